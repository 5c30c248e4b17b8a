import { Skeleton, TextWithCode, type Tone } from "../../components";
import type { DoctorLine, DoctorStatus } from "../../generated/wire";
import { useText } from "../../i18n";
import { StatusIcon, type StatusShape } from "../../components/StatusLine";

const SIGNS: Record<DoctorStatus, { shape: StatusShape; tone: Tone }> = {
  ok: { shape: "done", tone: "ok" },
  warning: { shape: "alert", tone: "warn" },
  bad: { shape: "failed", tone: "bad" },
};

/** What the doctor says, a line each; several about the same thing name it once. */
export function DoctorLines({ lines, rows, busy }: { lines: DoctorLine[] | undefined; rows: number; busy: boolean }) {
  const t = useText();
  return (
    <ul aria-busy={busy} className="@container divide-y divide-line rounded-lg border border-line bg-panel">
      {lines === undefined &&
        Array.from({ length: rows }, (_, row) => (
          <li key={row} className="px-4 py-2.5">
            <Skeleton className="h-5 w-80 max-w-full" />
          </li>
        ))}
      {lines?.map((line, at) => (
        <li key={`${line.code} ${at}`} className="grid grid-cols-[0.875rem_minmax(0,8rem)_minmax(0,1fr)] items-baseline gap-x-3 px-4 py-2 @max-[26rem]:grid-cols-[0.875rem_minmax(0,1fr)]">
          <span role="img" aria-label={t(`settings-machine-${line.status}`)} title={t(`settings-machine-${line.status}`)} className="self-start pt-0.75">
            <StatusIcon {...SIGNS[line.status]} />
          </span>
          <span className="break-words text-dim">{lines[at - 1]?.code === line.code ? <span className="sr-only">{line.title}</span> : line.title}</span>
          <span className="break-words @max-[26rem]:col-start-2">
            <TextWithCode text={line.text} />
          </span>
        </li>
      ))}
    </ul>
  );
}
