import { CircleDot, GitPullRequest, SearchX } from "lucide-react";
import { useMemo, useState, type RefObject } from "react";
import { Button, EmptyState, ProblemBanner } from "../../components";
import { useAnswer, useCommand, useLoops, useMayWrite, useSession } from "../../data";
import { formatMoment, useLanguage, useText } from "../../i18n";
import type { ListingView } from "../../generated/wire";
import type { RouteAction } from "../../routes";
import { Banners } from "./Banners";
import { BulkBar } from "./BulkBar";
import { FilterChips } from "./FilterChips";
import { Grid } from "./Grid";
import { IssueListHeader } from "./IssueListHeader";
import { ListSkeleton } from "./ListSkeleton";
import { useNotify } from "./Notices";
import { filterRows, rowsOfIssues, rowsOfPulls, type Filter } from "./rows";
import { useCancel } from "./useCancel";
import { useMayAct } from "./useMayAct";
import { useSnooze } from "./useSnooze";
import { useStart } from "./useStart";

export interface ListProps {
  shown: string | null;
  onShow: (key: string, ask?: RouteAction) => void;
  search: RefObject<HTMLInputElement | null>;
}

const NO_FILTER: Filter = { kind: "pulls", mine: false, agents: false, query: "" };

/** Pull requests and issues of one repository. */
export function IssuesView({ repo, shown, onShow, search }: ListProps & { repo: string }) {
  const listing = useAnswer({ command: "listing", args: { repo } });
  const repositories = useAnswer({ command: "repositories" });
  const [filter, setFilter] = useState(NO_FILTER);
  const loops = useLoops();
  const session = useSession();
  const repository = repositories.data?.find((one) => one.name === repo);
  const pulls = useMemo(() => rowsOfPulls(repo, listing.data, loops), [repo, listing.data, loops]);
  const issues = useMemo(() => rowsOfIssues(listing.data), [listing.data]);
  const all = filter.kind === "pulls" ? pulls : issues;
  const login = session.account?.login ?? null;
  const mayWrite = useMayWrite(repo);
  const rows = useMemo(() => filterRows(all, filter, login), [all, filter, login]);
  const readAt = listing.data?.read_at ?? null;
  // Until the engine has started it is not known which of them have a loop.
  const loading = listing.isPending || (session.phase === "starting" && loops.length === 0) || (readAt === null && !listing.data?.problem);
  return (
    <>
      <IssueListHeader
        title={repo}
        query={filter.query}
        onSearch={(query) => setFilter({ ...filter, query })}
        search={search}
        repository={{ name: repo, autoReview: repository?.auto_review, autonomy: repository?.autonomy, readAt, reading: listing.isFetching }}
      />
      <Banners />
      <FilterChips
        filter={filter}
        onChange={setFilter}
        pulls={readAt === null || loading ? undefined : pulls.length}
        morePulls={listing.data?.truncated ?? false}
        issues={readAt === null || loading ? undefined : listing.data?.open_issues}
      />
      <div className="relative min-h-0 flex-1 overflow-y-auto px-3 pt-px pb-3">
        <ListProblem repo={repo} listing={listing.data} problem={listing.error} />
        {loading && !listing.error && (rows.length === 0 || session.phase === "starting") ? (
          <ListSkeleton />
        ) : (
          <ListRows repo={repo} rows={rows} filter={filter} empty={all.length === 0} readAt={readAt} onAll={() => setFilter({ ...NO_FILTER, kind: filter.kind })} shown={shown} onShow={onShow} mayStart={mayWrite} />
        )}
      </div>
      <BulkBar lines={pulls} />
    </>
  );
}

interface ListRowsProps extends Omit<ListProps, "search"> {
  repo: string;
  rows: ReturnType<typeof filterRows>;
  filter: Filter;
  /** There is nothing to filter. */
  empty: boolean;
  readAt: string | null;
  onAll: () => void;
  /** Whether the person may start loops here. */
  mayStart: boolean;
}

function ListRows({ repo, rows, filter, empty, readAt, onAll, shown, onShow, mayStart }: ListRowsProps) {
  const t = useText();
  const { starting, start } = useStart();
  const { run } = useCommand();
  const notify = useNotify();
  const cancel = useCancel();
  const mayAct = useMayAct();
  const snoozing = useSnooze();
  if (rows.length === 0 && empty) {
    if (readAt === null) return null;
    return filter.kind === "pulls" ? (
      <EmptyState art={<GitPullRequest className="size-7" strokeWidth={1.5} />} title={t("list-no-pulls")} text={t("list-no-pulls-text")} />
    ) : (
      <EmptyState art={<CircleDot className="size-7" strokeWidth={1.5} />} title={t("list-no-issues")} text={t("list-no-issues-text")} />
    );
  }
  if (rows.length === 0) {
    return <EmptyState art={<SearchX className="size-7" strokeWidth={1.5} />} title={t("list-no-match")} text={t("list-no-match-text")} action={<Button onClick={onAll}>{t("list-show-all")}</Button>} />;
  }
  const open = (key: string) => {
    if (filter.kind === "pulls") onShow(key);
    else run({ command: "open", args: { target: { what: "item", key } } }).catch(notify);
  };
  return (
    <>
      <Grid
        label={t(filter.kind === "pulls" ? "list-pulls-of" : "list-issues-of", { repo })}
        rows={rows}
        shown={shown}
        starting={starting}
        onOpen={open}
        onStart={mayStart ? start : null}
        onCancel={(key) => {
          const loop = rows.find((row) => row.key === key)?.loop;
          if (loop && mayAct(key) && !cancel([loop])) onShow(key, "cancel");
        }}
        onGitHub={(key) => run({ command: "open", args: { target: { what: "item", key } } }).catch(notify)}
        onMerge={(key) => onShow(key, "merge")}
        onSnooze={snoozing.toggle}
      />
      {snoozing.dialog}
    </>
  );
}

/** Why the list is old, or not there. */
function ListProblem({ repo, listing, problem }: { repo: string; listing: ListingView | undefined; problem: { message: string; hints: string[] } | null }) {
  const t = useText();
  const language = useLanguage();
  const command = useCommand();
  const shownProblem = command.problem ?? problem ?? listing?.problem;
  if (!shownProblem) return null;
  const old = listing?.read_at ? [t("list-read-at", { at: formatMoment(language, listing.read_at) })] : [];
  return (
    <div className="px-2 pb-2">
      <ProblemBanner
        problem={{ message: shownProblem.message, hints: [...shownProblem.hints, ...old] }}
        busy={command.pending}
        onRetry={() => void command.run({ command: "refresh", args: { repo } })}
      />
    </div>
  );
}
