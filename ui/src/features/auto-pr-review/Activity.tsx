import { useEffect, useRef, useState } from "react";
import { classNames, Elapsed, Section, TextWithCode, useAnnounce } from "../../components";
import { FILL } from "../../components/tone";
import { useActivity, useWorkerNames } from "../../data";
import type { ActivityLine, WorkerView } from "../../generated/wire";
import { formatFullTime, formatSeconds, useLanguage, useText } from "../../i18n";
import { workerName } from "./lifecycle";
import { ShowMore } from "./ShowMore";
import { StatusIcon } from "../../components/StatusLine";

/** Of several at work at once, so much of what each did is shown before it is asked for. */
const MAX_COLLAPSED = 3;

/** Who is at work on a loop, and at what. */
export function ActiveWorkers({ loopKey }: { loopKey: string }) {
  const t = useText();
  const workers = useActivity(loopKey);
  if (workers.length === 0) return null;
  return (
    <Section title={t("review-at-work")}>
      <ul>
        {workers.map((worker) => (
          <li key={`${worker.name} ${worker.since}`} className="grid grid-cols-[1.125rem_minmax(0,1fr)] gap-x-1.5 py-0.5 [&>svg]:mt-0.75">
            <StatusIcon shape="running" tone="run" />
            <WorkerStatus worker={worker} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What those at work do and did just now, the latest first: the newest end of the timeline. */
export function RecentActivity({ loopKey }: { loopKey: string }) {
  const t = useText();
  const workers = useActivity(loopKey);
  if (workers.length === 0) return null;
  return (
    <section className="mb-4">
      <h3 className="sticky top-0 z-1 mb-1 bg-panel py-1 text-sm font-semibold text-dim">{t("review-now")}</h3>
      {workers.map((worker) => (
        <WorkerHistory key={`${worker.name} ${worker.since}`} worker={worker} alone={workers.length === 1} />
      ))}
    </section>
  );
}

/** Two lines, whatever is said: who on what since when, then what it does. */
function WorkerStatus({ worker }: { worker: WorkerView }) {
  const t = useText();
  return (
    <div className="min-w-0">
      <p className="flex items-baseline gap-2">
        <span title={worker.name} className="max-w-40 shrink-0 truncate">
          {workerName(t, worker.name)}
        </span>
        <span title={worker.runs_on} className="min-w-0 flex-1 truncate text-sm text-faint">
          {worker.runs_on}
        </span>
        {worker.spent !== null && <span className="shrink-0 text-sm text-faint">{worker.spent}</span>}
        <span className="shrink-0 text-sm text-dim">
          <Elapsed since={worker.since} />
        </span>
      </p>
      <OneLine text={worker.text} className="text-sm text-dim" />
    </div>
  );
}

function WorkerHistory({ worker, alone }: { worker: WorkerView; alone: boolean }) {
  const [open, setOpen] = useState(false);
  const latest = [...worker.recent].reverse();
  const shown = alone || open ? latest : latest.slice(0, MAX_COLLAPSED);
  return (
    <div className="mb-2">
      <ol>
        <li className={classNames(ROW, "pb-1.5")}>
          <TimelineDot tone={FILL.run} />
          <WorkerStatus worker={worker} />
        </li>
        {shown.map((line, nth) => (
          <WorkerAction key={`${line.at} ${line.text} ${latest.length - nth}`} line={line} after={shown[nth - 1]} />
        ))}
      </ol>
      {!alone && latest.length > MAX_COLLAPSED && (
        <div className="ps-[5.4375rem]">
          <ShowMore open={open} count={latest.length - MAX_COLLAPSED} onToggle={() => setOpen(!open)} />
        </div>
      )}
    </div>
  );
}

/** As the entries of the timeline are laid out. */
const ROW = "group relative grid grid-cols-[3.75rem_0.6875rem_minmax(0,1fr)] gap-x-2";

/** One thing that was done. Its second is told once. */
function WorkerAction({ line, after }: { line: ActivityLine; after: ActivityLine | undefined }) {
  const language = useLanguage();
  const time = formatSeconds(language, line.at);
  const sameSecond = after !== undefined && formatSeconds(language, after.at) === time;
  return (
    <li className={classNames(ROW, "pb-0.5 text-sm/5")}>
      <time dateTime={line.at} title={formatFullTime(language, line.at)} className="text-faint tabular-nums">
        {sameSecond ? "" : time}
      </time>
      <TimelineDot tone="bg-line" />
      <OneLine text={line.text} className="text-dim" />
    </li>
  );
}

function TimelineDot({ tone }: { tone: string }) {
  return (
    <span aria-hidden className="relative col-start-2 flex justify-center">
      <span className="absolute top-0 -bottom-2 w-px bg-line group-last:bottom-0 group-only:hidden" />
      <span className={classNames("dot relative mt-[0.4rem] size-1.75 rounded-full ring-3 ring-panel", tone)} />
    </span>
  );
}

/**
 * A text on one line, and the whole of it as its title. Agents write commands between backticks. Where a path ends it, what is cut off is cut out of its
 * folders.
 */
function OneLine({ text, className }: { text: string; className?: string }) {
  const [head, tail] = splitAtFileName(text);
  return (
    <p title={text} className={classNames("flex min-w-0", className)}>
      <span className="min-w-0 truncate">
        <TextWithCode text={head} />
      </span>
      {tail !== "" && <span className="max-w-[75%] shrink-0 truncate">{tail}</span>}
    </p>
  );
}

/** A text in two: where it ends with a path, the name of the file is the second. */
function splitAtFileName(text: string): [head: string, tail: string] {
  const [, head, tail] = /^([^`]*\/)([^\s/`]{1,48})$/.exec(text) ?? [];
  return head === undefined || tail === undefined ? [text, ""] : [head, tail];
}

/** Says aloud who begins and ends on the shown loop; not what they do, nor that another loop is shown. */
export function useWorkerAnnouncements(loopKey: string): void {
  const announce = useAnnounce();
  const t = useText();
  const names = useWorkerNames(loopKey);
  const last = useRef({ loopKey, names });
  useEffect(() => {
    const before = last.current;
    last.current = { loopKey, names };
    if (before.loopKey !== loopKey) return;
    const [namesBefore, namesNow] = [before.names, names].map((each) => each.split("\n").filter(Boolean));
    const announceNames = (id: string, who: string[] = []) => {
      if (who.length > 0) announce(t(id, { names: who.map((one) => workerName(t, one)).join(", ") }));
    };
    announceNames("review-work-ended", namesBefore?.filter((one) => !namesNow?.includes(one)));
    announceNames("review-work-began", namesNow?.filter((one) => !namesBefore?.includes(one)));
  }, [loopKey, names, announce, t]);
}
