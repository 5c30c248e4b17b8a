import { Button, ProblemBanner } from "../../components";
import { useAnswer } from "../../data";
import { useText } from "../../i18n";
import { DoctorLines } from "./DoctorLines";

/** The model that is set up and the agents that are installed here, each started once for a test. */
export function ModelChecks() {
  const t = useText();
  const doctor = useAnswer({ command: "doctor" });
  const lines = doctor.data?.filter(({ code }) => code === "model" || code === "agent");
  return (
    <div className="flex flex-col gap-3 py-3">
      {doctor.error && <ProblemBanner problem={doctor.error} busy={doctor.isFetching} onRetry={() => void doctor.refetch()} />}
      <DoctorLines lines={lines} rows={2} busy={doctor.isFetching} />
      <div className="flex items-center gap-3">
        <Button busy={doctor.isFetching} onClick={() => void doctor.refetch()}>
          {t("settings-machine-look-again")}
        </Button>
        <p className="min-w-0 flex-1 text-sm text-pretty text-faint">{t("settings-models-found")}</p>
      </div>
    </div>
  );
}
