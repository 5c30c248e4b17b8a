import { memo, useEffect, useId, useMemo, useRef, useState, type ReactNode } from "react";
import { Checkbox, classNames, EmptyState, ProblemBanner, Select, Skeleton, TextField } from "../../components";
import { FILL } from "../../components/tone";
import { useAnswer } from "../../data";
import type { Sha, TimelineLine } from "../../generated/wire";
import { formatFullTime, formatSeconds, useLanguage, useText } from "../../i18n";
import { toneOfState } from "../../loop-state";
import { RecentActivity } from "./Activity";
import { collapseRepeats, dayName, filterLog, firstLines, groupTimeline, logKinds, type LogFilter, type LogKind } from "./timeline";
import { TimelinePicture } from "./TimelinePicture";

/** So many entries at once: more are a click away. */
const PAGE = 100;
const ALL: LogFilter = { kind: null, quiet: false, search: "" };

/** What happens to a loop and what happened: as a picture, and as a log, the latest first, by run and day. */
export function Timeline({ loopKey, onOpenCommit }: { loopKey: string; onOpenCommit: (sha: Sha) => void }) {
  return (
    <>
      <RecentActivity loopKey={loopKey} />
      <Journal loopKey={loopKey} onOpenCommit={onOpenCommit} />
    </>
  );
}

function Journal({ loopKey, onOpenCommit }: { loopKey: string; onOpenCommit: (sha: Sha) => void }) {
  const t = useText();
  const { data, error, refetch, isFetching } = useAnswer({ command: "timeline", args: { key: loopKey } });
  const [chosen, setChosen] = useState<{ seq: number } | null>(null);
  const [filter, setFilter] = useState(ALL);
  if (error && !data) return <ProblemBanner problem={error} busy={isFetching} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (data.length === 0) return <EmptyState title={t("review-timeline-empty-title")} text={t("review-timeline-empty")} />;
  const choose = (seq: number) => {
    // What is filtered out cannot be led to.
    setFilter({ ...ALL, quiet: true });
    setChosen({ seq });
  };
  return (
    <>
      <TimelinePicture lines={data} onChoose={choose} />
      <LogFilters filter={filter} onChange={setFilter} />
      <Log lines={data} filter={filter} chosen={chosen} onOpenCommit={onOpenCommit} />
    </>
  );
}

function LogFilters({ filter, onChange }: { filter: LogFilter; onChange: (filter: LogFilter) => void }) {
  const t = useText();
  const options = [{ value: "", label: t("log-all") }, ...logKinds.map((kind) => ({ value: kind, label: t(`log-${kind}`) }))];
  return (
    <div role="group" aria-label={t("log-filters")} className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <TextField bare type="search" className="min-w-28 flex-1" label={t("log-search")} placeholder={t("log-search")} value={filter.search} onChange={(search) => onChange({ ...filter, search })} />
      <Select bare label={t("log-kind")} value={filter.kind ?? ""} options={options} onChange={(kind) => onChange({ ...filter, kind: kind === "" ? null : (kind as LogKind) })} />
      <Checkbox label={t("log-quiet")} checked={filter.quiet} onChange={(quiet) => onChange({ ...filter, quiet })} />
    </div>
  );
}

function Log(props: { lines: readonly TimelineLine[]; filter: LogFilter; chosen: { seq: number } | null; onOpenCommit: (sha: Sha) => void }) {
  const { lines, filter, chosen, onOpenCommit } = props;
  const t = useText();
  const language = useLanguage();
  const [count, setCount] = useState(PAGE);
  const commits = useMemo(() => commitsOf(lines), [lines]);
  const groups = useMemo(() => groupTimeline(lines, (all) => filterLog(all, filter)), [lines, filter]);
  const shown = groups.reduce((sum, group) => sum + group.lines.length, 0);
  const runs = groups[0]?.run ?? 1;
  // Whoever is led to an entry sees it, however far down it is.
  const wanted = chosen ? PAGE * Math.ceil((1 + rankOf(groups.flatMap((group) => group.lines), chosen.seq)) / PAGE) : 0;
  const limit = Math.max(count, wanted);
  const older = shown - limit;
  if (shown === 0) return <p className="text-dim">{t("log-nothing")}</p>;
  return (
    <>
      {firstLines(groups, limit).map((group) => (
        <section key={`${group.run} ${group.day}`} className="mb-4">
          <h3 className="mb-1 flex items-baseline gap-2 py-1 text-sm font-semibold text-dim">
            {dayName(language, group.at)}
            {runs > 1 && <span className="font-normal text-faint">{t("review-timeline-run", { run: group.run })}</span>}
          </h3>
          <ol>
            {collapseRepeats(group.lines).map(({ line, times }) => (
              <Entry key={line.seq} line={line} times={times} chosen={chosen?.seq === line.seq ? chosen : null} commits={commits} onOpenCommit={onOpenCommit} />
            ))}
          </ol>
        </section>
      ))}
      {older > 0 && (
        <button type="button" className="rounded py-1 text-sm text-dim hover:text-text" onClick={() => setCount(limit + 2 * PAGE)}>
          {t("review-timeline-older", { count: older })}
        </button>
      )}
    </>
  );
}

const rankOf = (lines: readonly TimelineLine[], seq: number): number => Math.max(0, lines.findIndex((line) => line.seq === seq));

const Entry = memo(function Entry(props: { line: TimelineLine; times: number; chosen: object | null; commits: Commits; onOpenCommit: (sha: Sha) => void }) {
  const { line, times, chosen, commits, onOpenCommit } = props;
  const t = useText();
  const language = useLanguage();
  const row = useRef<HTMLLIElement>(null);
  const words = useId();
  useEffect(() => {
    if (chosen === null) return;
    row.current?.focus();
    row.current?.scrollIntoView({ block: "center" });
  }, [chosen]);
  const moved = line.from !== line.to;
  return (
    <li
      ref={row}
      tabIndex={chosen ? -1 : undefined}
      aria-labelledby={chosen ? words : undefined}
      className={classNames(
        "group relative grid grid-cols-[3.75rem_0.6875rem_minmax(0,1fr)] gap-x-2 rounded pb-2 [contain-intrinsic-size:auto_1.75rem] [content-visibility:auto]",
        chosen && "bg-hover",
      )}
    >
      <time dateTime={line.at} title={formatFullTime(language, line.at)} className="text-sm leading-5 text-faint tabular-nums">
        {formatSeconds(language, line.at)}
      </time>
      <span aria-hidden className="relative flex justify-center">
        <span className="absolute top-0 -bottom-2 w-px bg-line group-last:bottom-0" />
        <span className={classNames("dot relative mt-[0.4rem] size-1.75 rounded-full ring-3 ring-panel", moved ? FILL[toneOfState(line.to)] : "bg-line")} />
      </span>
      <div id={words} className="min-w-0 wrap-anywhere">
        <p className={line.quiet ? "text-dim" : ""}>
          <LinkedText text={line.text} commits={commits} onOpenCommit={onOpenCommit} />
          {times > 1 && <span className="text-faint"> · {t("review-timeline-times", { times })}</span>}
        </p>
        {moved && line.event !== "observed" && <p className="text-sm text-dim">{t(`state-${line.to}`)}</p>}
        {line.notes.map((note, index) => (
          // Remarks may be made twice.
          <p key={index} className="text-sm text-faint">
            <LinkedText text={note} commits={commits} onOpenCommit={onOpenCommit} />
          </p>
        ))}
      </div>
    </li>
  );
});

/** What may be the name of a commit. */
const SHORT_SHA = /\b([0-9a-f]{7})\b/;

/** Words of an entry; the commits that they name lead to GitHub. */
function LinkedText({ text, commits, onOpenCommit }: { text: string; commits: Commits; onOpenCommit: (sha: Sha) => void }): ReactNode {
  const t = useText();
  // Every second piece may be the name of one.
  return text.split(SHORT_SHA).map((piece, index) => {
    const sha = index % 2 === 1 ? commits.get(piece) : undefined;
    if (sha === undefined) return piece;
    return (
      <button
        key={index}
        type="button"
        aria-label={t("review-finding-open-commit", { commit: piece })}
        className="rounded font-mono text-[0.92em] underline decoration-line underline-offset-3 hover:decoration-current"
        onClick={() => onOpenCommit(sha)}
      >
        {piece}
      </button>
    );
  });
}

/** The commits of a journal, by their short names. */
type Commits = ReadonlyMap<string, Sha>;

function commitsOf(lines: readonly TimelineLine[]): Commits {
  const shas = lines.flatMap((line) => [line.pushed, line.review?.head_sha].filter((sha) => sha != null));
  return new Map(shas.map((sha) => [sha.slice(0, 7), sha]));
}

function Loading() {
  return (
    <div className="flex flex-col gap-2">
      {[64, 80, 48, 72].map((width) => (
        <Skeleton key={width} className={`h-5 ${width > 70 ? "w-4/5" : "w-3/5"}`} />
      ))}
    </div>
  );
}
