import { ChartColumn } from "lucide-react";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { EmptyState, ProblemBanner, Skeleton } from "../../components";
import { useAnswer, useCommand, useRights } from "../../data";
import type { InsightsTable, InsightsView } from "../../generated/wire";
import { formatDay, useLanguage, useText } from "../../i18n";
import { Banners, useNotify } from "../issues";
import { Charts } from "./Charts";
import { daysOf, isNothing } from "./figures";
import { lastAsked, wireRange } from "./range";
import { Tiles } from "./Tiles";
import { Toolbar } from "./Toolbar";

/** What many runs came to (§13.8). */
export function InsightsPage() {
  const t = useText();
  const notify = useNotify();
  const { own_machine } = useRights();
  const { run } = useCommand();
  const asked = useSyncExternalStore(lastAsked.subscribe, lastAsked.get);
  const [saved, setSaved] = useState<string | null>(null);
  const range = wireRange(asked);
  const args = { range: range ?? { kind: "all" as const }, only: asked.only || null };
  const answer = useAnswer({ command: "insights", args }, { enabled: range !== null, keepPrevious: true });
  useReadAgain(answer.refetch, range !== null);
  const view = range ? answer.data : undefined;
  const save = (table: InsightsTable) => {
    setSaved(null);
    run({ command: "export_insights", args: { ...args, table } }).then(({ path }) => setSaved(path), notify);
  };
  return (
    <>
      <header className="flex h-14 shrink-0 items-center gap-3 border-b border-line px-5">
        <h1 className="min-w-0 flex-1 truncate text-lg font-semibold">{t("insights")}</h1>
      </header>
      <Banners />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Toolbar asked={asked} repositories={view?.all_repositories ?? []} onChange={lastAsked.set} onExport={view?.first_day && own_machine ? save : null} />
        <p role="status" className="px-5 text-sm break-all text-dim empty:hidden">
          {saved === null ? "" : t("insights-saved", { path: saved })}
        </p>
        {answer.error && (
          <div className="px-5 py-2">
            <ProblemBanner problem={answer.error} busy={answer.isFetching} onRetry={() => void answer.refetch()} />
          </div>
        )}
        {range === null && <p className="px-5 py-6 text-dim">{t("insights-choose-days")}</p>}
        {range !== null && !view && !answer.error && <Loading />}
        {view && <Figures view={view} />}
      </div>
    </>
  );
}

/** Reads the figures anew once the page is opened again, and whenever a loop becomes ready or ends. */
function useReadAgain(refetch: () => unknown, enabled: boolean): void {
  const loops = useAnswer({ command: "loops" }).data;
  const counted = loops?.map(({ key, run_id, attention }) => (attention === "ready" || attention === "over" ? `${key} ${run_id} ${attention}` : "")).join("\n");
  const latest = useRef(refetch);
  useEffect(() => {
    latest.current = refetch;
  });
  useEffect(() => {
    if (enabled && counted !== undefined) void latest.current();
  }, [enabled, counted]);
}

function Figures({ view }: { view: InsightsView }) {
  const t = useText();
  const language = useLanguage();
  const { from, to } = view.range;
  if (view.first_day === null) return <EmptyState art={<ChartColumn className="size-7" strokeWidth={1.5} />} title={t("insights-none")} text={t("insights-none-text")} />;
  return (
    <div className="@container flex flex-col gap-3 px-5 pt-1 pb-6">
      <p className="text-dim">
        {t("insights-days", { from: formatDay(language, from, true), to: formatDay(language, to, true) })}
        {view.before && !isNothing(view) && ` ${t("insights-compared", { days: daysOf(view.range) })}`}
        {isNothing(view) && ` ${t("insights-nothing-here", { first: formatDay(language, view.first_day, true) })}`}
      </p>
      <Tiles view={view} />
      <p className="text-sm text-dim">
        {t("insights-ended-only")}
        {view.ongoing_runs > 0 && ` ${t("insights-ongoing-runs", { count: view.ongoing_runs })}`}
      </p>
      {view.unrecorded_runs > 0 && (
        <p className="rounded-lg bg-chip px-3 py-2">{t("insights-unrecorded-runs", { count: view.unrecorded_runs, date: formatDay(language, view.recorded_since, true) })}</p>
      )}
      <Charts view={view} />
    </div>
  );
}

function Loading() {
  return (
    <div className="grid grid-cols-2 gap-3 px-5 pt-2 @max-[40rem]:grid-cols-1">
      {[0, 1, 2, 3].map((at) => (
        <Skeleton key={at} className="h-56" />
      ))}
    </div>
  );
}
