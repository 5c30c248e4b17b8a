import { CircleCheck, Coffee, GitMerge, RefreshCcwDot, SearchX } from "lucide-react";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import { Button, EmptyState, ProblemBanner } from "../../components";
import { useCompactRows } from "../../compact-rows";
import { useAnswer, useCommand, useNow, useSession } from "../../data";
import type { LoopView, OpenPullsView, PullLine } from "../../generated/wire";
import { useText } from "../../i18n";
import { hrefOf, useRoute, type AttentionPage } from "../../routes";
import { useSnoozes } from "../../snooze";
import { Banners, IssueListHeader, ListSkeleton, useNotify, useStart, type ListProps } from "../issues";
import { BulkBar } from "../issues/BulkBar";
import { useSelection, type Choosable } from "../issues/selection";
import { useCancel } from "../issues/useCancel";
import { useMayAct } from "../issues/useMayAct";
import { useSnooze } from "../issues/useSnooze";
import { factsOf, factsOfPull } from "./facts";
import { OverviewList } from "./OverviewList";
import { PauseButton } from "./PauseButton";
import { countStandings } from "./standing";
import { SpentToday, Tiles } from "./Tiles";
import { Toolbar } from "./Toolbar";
import { FIRST_VIEW, isUnfiltered, itemsOf, matchesOf, pullMatchesOf, useFolded, useLastView, type View } from "./view";

/** Snoozes end within that. */
const SNOOZE_TICK_MS = 30_000;
const NO_LOOPS: LoopView[] = [];
const NO_OPEN: OpenPullsView = { pulls: [], unread: [], truncated: [] };

/** The loops of all repositories (§13.8), and what is open in them without one; with `only` the loops that stand somewhere. */
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
  const [compact] = useCompactRows();
  const all = loops.data ?? NO_LOOPS;
  const view = useMemo((): View => ({ ...kept, query }), [kept, query]);
  const looking = useMemo(() => ({ only, login: account?.login ?? null, snoozes, now, folded }), [only, account?.login, snoozes, now, folded]);
  const standings = countStandings(all, snoozes, now);
  const matches = useMemo(() => matchesOf(all, view, looking), [all, view, looking]);
  // No tile counts what is not started: behind one, nobody reads it.
  const openPulls = useAnswer({ command: "open_pulls" }, { enabled: only === null });
  const open = openPulls.data ?? NO_OPEN;
  const pulls = useMemo(() => pullMatchesOf(open.pulls, all, view, looking), [open, all, view, looking]);
  const items = useMemo(() => itemsOf(matches, view, looking, pulls), [matches, view, looking, pulls]);
  const repositories = useRepositories(all, open.pulls);
  // Where nothing was begun, what could be is all that there is to show: it is waited for.
  const reading = only === null && all.length === 0 && open.pulls.length === 0 && (openPulls.isPending || open.unread.length > 0);
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
      <IssueListHeader title={title} query={query} onSearch={setQuery} search={search} actions={compact ? <><SpentToday /><PauseButton /></> : <PauseButton />} />
      <Banners />
      {/* The sidebar counts the same; where rows are compact, so is what is above them. */}
      {loops.data && !compact && <div className="@container shrink-0">
        <Tiles
          standings={standings}
          only={only}
          onOnly={go}
          byCost={kept.sorting === "cost"}
          onByCost={(on) => keep({ ...kept, sorting: on ? "cost" : FIRST_VIEW.sorting })}
        />
      </div>}
      {(all.length > 0 || open.pulls.length > 0) && (
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
      {(loops.isPending || (loops.data && reading)) && (
        <div className="px-3 py-2">
          <ListSkeleton />
        </div>
      )}
      {loops.data && !reading && items.length === 0 && <Nothing only={only} noneOpen={openPulls.data !== undefined} unfiltered={(all.length === 0 && open.pulls.length === 0) || isUnfiltered(view)} onAll={() => change({ ...FIRST_VIEW, grouping: kept.grouping, sorting: kept.sorting })} />}
      {items.length > 0 && <Lines {...{ title, all, matches, pulls, items, looking, compact, shown, onShow, fold }} more={open.truncated.length > 0} />}
    </>
  );
}

interface LinesProps extends Pick<ListProps, "shown" | "onShow"> {
  title: string;
  all: LoopView[];
  matches: LoopView[];
  pulls: PullLine[];
  /** More are not started than are listed. */
  more: boolean;
  items: ReturnType<typeof itemsOf>;
  looking: Parameters<typeof matchesOf>[2];
  compact: boolean;
  fold: (id: string) => void;
}

/** The repositories of what is listed, by name; the same list until another one comes in. */
function useRepositories(loops: readonly LoopView[], pulls: readonly PullLine[]): string[] {
  const names = [...new Set([...loops.map((loop) => factsOf(loop).repo), ...pulls.map((pull) => factsOfPull(pull).repo)])].sort().join("\n");
  return useMemo(() => names.split("\n").filter(Boolean), [names]);
}

/** The list with what is done to its lines. */
function Lines({ title, all, matches, pulls, more, items, looking, compact, shown, onShow, fold }: LinesProps) {
  const notify = useNotify();
  const selection = useSelection();
  const { run } = useCommand();
  const cancel = useCancel();
  const snoozing = useSnooze();
  const { starting, start } = useStart();
  const mayAct = useMayAct();
  const lines = useMemo(() => {
    const chosen = ({ key }: { key: string }) => selection.keys.has(key);
    return [
      ...matches.filter(chosen).map((loop): Choosable => ({ key: loop.key, title: loop.title, loop })),
      ...pulls.filter(chosen).map((pull): Choosable => ({ key: pull.key, title: pull.title, pull })),
    ];
  }, [matches, pulls, selection.keys]);
  return (
    <>
      <OverviewList
        label={title}
        items={items}
        shown={shown}
        selection={selection}
        snoozes={looking.snoozes}
        now={looking.now}
        starting={starting}
        moreNotStarted={more}
        compact={compact}
        onStart={(key) => void (mayAct(key) && start(key))}
        onFold={fold}
        onOpen={onShow}
        onCancel={(key) => {
          const loop = all.find((each) => each.key === key);
          if (loop && mayAct(key) && !cancel([loop])) onShow(key, "cancel");
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
function Nothing({ only, noneOpen, unfiltered, onAll }: { only: AttentionPage | null; /** All repositories were read, and have nothing open. */ noneOpen: boolean; unfiltered: boolean; onAll: () => void }) {
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
      <EmptyState art={<RefreshCcwDot className="size-7" strokeWidth={1.5} />} title={t("overview-none")} text={t(noneOpen ? "overview-none-open-text" : "overview-none-text")} />
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
