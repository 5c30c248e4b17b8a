import { memo, useMemo, useState } from "react";
import { classNames, EmptyState, ProblemBanner, Skeleton } from "../../components";
import { FILL } from "../../components/tone";
import { useAnswer } from "../../data";
import type { TimelineLine } from "../../generated/wire";
import { formatDate, formatTime, useLanguage, useText } from "../../i18n";
import { toneOfState } from "../../loop-state";
import { RecentActivity } from "./Activity";
import { collapseRepeats, dayName, firstLines, groupTimeline } from "./timeline";

/** So many entries at once: more are a click away. */
const PAGE = 100;

/** What happens to a loop and what happened, the latest first, by run and day. */
export function Timeline({ loopKey }: { loopKey: string }) {
  return (
    <>
      <RecentActivity loopKey={loopKey} />
      <Journal loopKey={loopKey} />
    </>
  );
}

function Journal({ loopKey }: { loopKey: string }) {
  const t = useText();
  const language = useLanguage();
  const [count, setCount] = useState(PAGE);
  const { data, error, refetch, isFetching } = useAnswer({ command: "timeline", args: { key: loopKey } });
  const groups = useMemo(() => groupTimeline(data ?? []), [data]);
  if (error && !data) return <ProblemBanner problem={error} busy={isFetching} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (data.length === 0) return <EmptyState title={t("review-timeline-empty-title")} text={t("review-timeline-empty")} />;
  const runs = groups[0]?.run ?? 1;
  const older = data.length - count;
  return (
    <>
      {firstLines(groups, count).map((group) => (
        <section key={`${group.run} ${group.day}`} className="mb-4">
          <h3 className="sticky top-0 mb-1 flex items-baseline gap-2 bg-panel py-1 text-sm font-semibold text-dim">
            {dayName(language, group.at)}
            {runs > 1 && <span className="font-normal text-faint">{t("review-timeline-run", { run: group.run })}</span>}
          </h3>
          <ol>
            {collapseRepeats(group.lines).map(({ line, times }) => (
              <Entry key={line.seq} line={line} times={times} />
            ))}
          </ol>
        </section>
      ))}
      {older > 0 && (
        <button type="button" className="rounded py-1 text-sm text-dim hover:text-text" onClick={() => setCount(count + 2 * PAGE)}>
          {t("review-timeline-older", { count: older })}
        </button>
      )}
    </>
  );
}

const Entry = memo(function Entry({ line, times }: { line: TimelineLine; times: number }) {
  const t = useText();
  const language = useLanguage();
  const moved = line.from !== line.to;
  return (
    <li className="group relative grid grid-cols-[40px_11px_minmax(0,1fr)] gap-x-2 pb-2 [contain-intrinsic-size:auto_28px] [content-visibility:auto]">
      <time dateTime={line.at} title={formatDate(language, line.at)} className="text-sm leading-5 text-faint">
        {formatTime(language, line.at)}
      </time>
      <span aria-hidden className="relative flex justify-center">
        <span className="absolute top-0 -bottom-2 w-px group-last:bottom-0 bg-line" />
        <span className={classNames("relative mt-[6.5px] size-[7px] rounded-full ring-3 ring-panel", moved ? FILL[toneOfState(line.to)] : "bg-line")} />
      </span>
      <div className="min-w-0 wrap-anywhere">
        <p>
          {line.text}
          {times > 1 && <span className="text-faint"> · {t("review-timeline-times", { times })}</span>}
        </p>
        {moved && <p className="text-sm text-dim">{t(`state-${line.to}`)}</p>}
        {line.notes.map((note, index) => (
          // Remarks may be made twice.
          <p key={index} className="text-sm text-faint">
            {note}
          </p>
        ))}
      </div>
    </li>
  );
});

function Loading() {
  return (
    <div className="flex flex-col gap-2">
      {[64, 80, 48, 72].map((width) => (
        <Skeleton key={width} className={`h-5 ${width > 70 ? "w-4/5" : "w-3/5"}`} />
      ))}
    </div>
  );
}
