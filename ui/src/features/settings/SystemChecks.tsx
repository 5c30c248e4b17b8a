import { Button, ProblemBanner } from "../../components";
import { useAnswer, useCommand, useSession } from "../../data";
import { useText } from "../../i18n";
import { DoctorLines } from "../models";

/** What Collie needs on this machine, and whether it is there. */
export function SystemChecks() {
  const t = useText();
  const doctor = useAnswer({ command: "doctor" });
  const logs = useCommand();
  const { version, data_folder, rights } = useSession();
  return (
    <div className="flex flex-col gap-3 py-3">
      {doctor.error && <ProblemBanner problem={doctor.error} busy={doctor.isFetching} onRetry={() => void doctor.refetch()} />}
      <DoctorLines lines={doctor.data} rows={6} busy={doctor.isFetching} />
      {logs.problem && <ProblemBanner problem={logs.problem} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button busy={doctor.isFetching} onClick={() => void doctor.refetch()}>
          {t("settings-machine-look-again")}
        </Button>
        {rights.own_machine && (
          <Button onClick={() => void logs.run({ command: "open", args: { target: { what: "logs" } } })}>{t("settings-machine-logs")}</Button>
        )}
      </div>
      <p className="text-sm break-words text-faint">
        {t("version", { version })}
        {rights.own_machine && ` · ${t("settings-machine-data", { folder: data_folder })}`}
      </p>
    </div>
  );
}
