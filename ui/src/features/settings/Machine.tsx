import { Button, Dot, ProblemBanner, Skeleton, type Tone } from "../../components";
import { useAct, useAnswer, useSession } from "../../data";
import type { DoctorStatus } from "../../generated/wire";
import { useText } from "../../i18n";

const TONES: Record<DoctorStatus, Tone> = { ok: "ok", warning: "warn", bad: "bad" };

/** What Collie needs on this machine, and whether it is there. */
export function Machine() {
  const t = useText();
  const doctor = useAnswer({ command: "doctor" });
  const logs = useAct();
  const { version, data_folder } = useSession();
  return (
    <div className="flex flex-col gap-3 py-3">
      {doctor.error && <ProblemBanner problem={doctor.error} busy={doctor.isFetching} onRetry={() => void doctor.refetch()} />}
      <ul aria-busy={doctor.isFetching} className="divide-y divide-line rounded-lg border border-line bg-panel">
        {doctor.isPending &&
          [1, 2, 3, 4, 5, 6].map((row) => (
            <li key={row} className="px-4 py-2.5">
              <Skeleton className="h-5 w-80 max-w-full" />
            </li>
          ))}
        {doctor.data?.map((line) => (
          <li key={line.code} className="grid grid-cols-[8px_minmax(0,128px)_minmax(0,1fr)] items-baseline gap-x-3 px-4 py-2">
            <Dot tone={TONES[line.status]} label={t(`settings-machine-${line.status}`)} />
            <span className="break-words text-dim">{line.title}</span>
            <span className="break-words">{line.text}</span>
          </li>
        ))}
      </ul>
      {logs.problem && <ProblemBanner problem={logs.problem} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button busy={doctor.isFetching} onClick={() => void doctor.refetch()}>
          {t("settings-machine-look-again")}
        </Button>
        <Button onClick={() => void logs.run({ command: "open", args: { target: { what: "logs" } } })}>{t("settings-machine-logs")}</Button>
      </div>
      <p className="text-sm break-words text-faint">
        {t("version", { version })} · {t("settings-machine-data", { folder: data_folder })}
      </p>
    </div>
  );
}
