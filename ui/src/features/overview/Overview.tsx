import { CircleCheck, Coffee, GitMerge, RefreshCcwDot, SearchX } from "lucide-react";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import { Button, EmptyState, ProblemBanner } from "../../components";
import { useAnswer, useCommand, useNow, useSession } from "../../data";
import type { LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { hrefOf, useRoute, type AttentionPage } from "../../routes";
import { useSnoozes } from "../../snooze";
import { Banners, IssueListHeader, ListSkeleton, useNotify, type ListProps } from "../issues";
import { BulkBar } from "../issues/BulkBar";
import { useSelection } from "../issues/selection";
import { useCancel } from "../issues/useCancel";
import { useSnooze } from "../issues/useSnooze";
import { factsOf } from "./facts";
import { OverviewList } from "./OverviewList";
import { PauseButton } from "./PauseButton";
import { countStandings } from "./standing";
import { Tiles } from "./Tiles";
import { Toolbar } from "./Toolbar";
import { FIRST_VIEW, isUnfiltered, itemsOf, matchesOf, useFolded, useLastView, type View } from "./view";

/** Snoozes end within that. */
const SNOOZE_TICK_MS = 30_000;
const NO_LOOPS: LoopView[] = [];

/** The loops of all repositories (§13.8); with `only` those that stand somewhere. */
export function Overview({ only, shown, onShow, search }: ListProps & { only: AttentionPage | null }) {
  const t = useText();
  const { navigate } = useRoute();
  const loops = useAnswer({ command: "loops" });
  const { account } = useSession();
  const snoozes = useSnoozes();
  const now = useNow(SNOOZE_TICK_MS);
  const [kept, keep] = useLastView();
  const [query, setQuery] = useState("");
  const [folded, fold] = useFolded();
  const all = loops.data ?? NO_LOOPS;
  const view = useMemo((): View => ({ ...kept, query }), [kept, query]);
  const looking = useMemo(() => ({ only, login: account?.login ?? null, snoozes, now, folded }), [only, account?.login, snoozes, now, folded]);
  const standings = countStandings(all, snoozes, now);
  const matches = useMemo(() => matchesOf(all, view, looking), [all, view, looking]);
  const items = useMemo(() => itemsOf(matches, view, looking), [matches, view, looking]);
  const repositories = useRepositories(all);
  const change = useCallback(
    (next: View) => {
      keep(next);
      setQuery(next.query);
    },
    [keep],
  );
  const go = useCallback((page: AttentionPage | null) => navigate(page === null ? { page: "home" } : { page }, shown), [navigate, shown]);
  const showView = useCallback(
    (page: AttentionPage | null, next: View) => {
      change(next);
      go(page);
    },
    [change, go],
  );
  const title = only === null ? t("overview") : t(`standing-${only}`);
  return (
    <>
      <IssueListHeader title={title} query={query} onSearch={setQuery} search={search} actions={<PauseButton />} />
      <Banners />
      {loops.data && <div className="@container shrink-0">
        <Tiles
          standings={standings}
          only={only}
          onOnly={go}
          byCost={kept.sorting === "cost"}
          onByCost={(on) => keep({ ...kept, sorting: on ? "cost" : FIRST_VIEW.sorting })}
        />
      </div>}
      {all.length > 0 && (
        <Toolbar
          view={view}
          only={only}
          repositories={repositories}
          onChange={change}
          onView={showView}
        />
      )}
      {loops.error && (
        <div className="px-5 py-2">
          <ProblemBanner problem={loops.error} busy={loops.isFetching} onRetry={() => void loops.refetch()} />
        </div>
      )}
      {loops.isPending && (
        <div className="px-3 py-2">
          <ListSkeleton />
        </div>
      )}
      {loops.data && items.length === 0 && <Nothing only={only} unfiltered={all.length === 0 || isUnfiltered(view)} onAll={() => change({ ...FIRST_VIEW, grouping: kept.grouping, sorting: kept.sorting })} />}
      {items.length > 0 && <Lines {...{ title, all, matches, items, looking, shown, onShow, fold }} />}
    </>
  );
}

interface LinesProps extends Pick<ListProps, "shown" | "onShow"> {
  title: string;
  all: LoopView[];
  matches: LoopView[];
  items: ReturnType<typeof itemsOf>;
  looking: Parameters<typeof matchesOf>[2];
  fold: (id: string) => void;
}

/** The repositories of loops, by name; the same list until another one comes in. */
function useRepositories(loops: readonly LoopView[]): string[] {
  const names = [...new Set(loops.map((loop) => factsOf(loop).repo))].sort().join("\n");
  return useMemo(() => names.split("\n").filter(Boolean), [names]);
}

/** The list with what is done to its lines. */
function Lines({ title, all, matches, items, looking, shown, onShow, fold }: LinesProps) {
  const notify = useNotify();
  const selection = useSelection();
  const { run } = useCommand();
  const cancel = useCancel();
  const snoozing = useSnooze();
  const lines = useMemo(() => matches.flatMap((loop) => (selection.keys.has(loop.key) ? { key: loop.key, title: loop.title, loop } : [])), [matches, selection.keys]);
  return (
    <>
      <OverviewList
        label={title}
        items={items}
        shown={shown}
        selection={selection}
        snoozes={looking.snoozes}
        now={looking.now}
        onFold={fold}
        onOpen={onShow}
        onCancel={(key) => {
          const loop = all.find((each) => each.key === key);
          if (loop && !cancel([loop])) onShow(key, "cancel");
        }}
        onMerge={(key) => onShow(key, "merge")}
        onGitHub={(key) => run({ command: "open", args: { target: { what: "item", key } } }).catch(notify)}
        onSnooze={snoozing.toggle}
      />
      <BulkBar lines={lines} />
      {snoozing.dialog}
    </>
  );
}

const ART: Record<AttentionPage, ReactNode> = {
  "needs-you": <CircleCheck className="size-7" strokeWidth={1.5} />,
  ready: <GitMerge className="size-7" strokeWidth={1.5} />,
  working: <Coffee className="size-7" strokeWidth={1.5} />,
};

/** Why no loop is listed, and where some are begun. */
function Nothing({ only, unfiltered, onAll }: { only: AttentionPage | null; unfiltered: boolean; onAll: () => void }) {
  const t = useText();
  const repositories = useAnswer({ command: "repositories" });
  if (!unfiltered) {
    return (
      <EmptyState art={<SearchX className="size-7" strokeWidth={1.5} />} title={t("list-no-match")} text={t("list-no-match-text")} action={<Button onClick={onAll}>{t("list-show-all")}</Button>} />
    );
  }
  if (only !== null) return <EmptyState art={ART[only]} title={t(`standing-${only}-none`)} text={t(`standing-${only}-none-text`)} />;
  return (
    <div className="min-h-0 overflow-y-auto">
      <EmptyState art={<RefreshCcwDot className="size-7" strokeWidth={1.5} />} title={t("overview-none")} text={t("overview-none-text")} />
      <ul aria-label={t("sidebar-repositories")} className="mx-auto -mt-10 flex max-w-110 flex-col gap-1.5 px-5 pb-6">
        {repositories.data?.map(({ name }) => (
          <li key={name}>
            <a
              href={hrefOf({ page: "repo", repo: name })}
              className="flex items-center gap-3 rounded-lg border border-line bg-panel px-3 py-1.5 hover:bg-hover"
            >
              <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
              <span className="text-sm text-dim">{t("overview-open-repository-text")}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
