import { CircleCheck, Coffee, GitMerge, SearchX } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { Button, EmptyState, ProblemBanner } from "../../components";
import { useAnswer } from "../../data";
import { useText } from "../../i18n";
import type { AttentionPage } from "../../routes";
import { Banners } from "./Banners";
import { Grid } from "./Grid";
import { IssueListHeader } from "./IssueListHeader";
import type { ListProps } from "./IssuesView";
import { ListSkeleton } from "./ListSkeleton";
import { filterRows, rowsOfAttention } from "./rows";
import { useStart } from "./useStart";

const ICONS: Record<AttentionPage, ReactNode> = {
  "needs-you": <CircleCheck className="size-7" strokeWidth={1.5} />,
  ready: <GitMerge className="size-7" strokeWidth={1.5} />,
  working: <Coffee className="size-7" strokeWidth={1.5} />,
};

/** The loops of all repositories that need a person, are ready, or are at work. */
export function AttentionView({ page, shown, onShow, search }: ListProps & { page: AttentionPage }) {
  const t = useText();
  const loops = useAnswer({ command: "loops" });
  const [query, setQuery] = useState("");
  const { starting, start } = useStart();
  const all = useMemo(() => rowsOfAttention(loops.data ?? [], page), [loops.data, page]);
  const rows = useMemo(() => filterRows(all, { mine: false, agents: false, query }, null), [all, query]);
  return (
    <>
      <IssueListHeader title={t(`standing-${page}`)} query={query} onSearch={setQuery} search={search} />
      <Banners />
      <div className="relative min-h-0 flex-1 overflow-y-auto px-3 py-3">
        {loops.error && <ProblemBanner problem={loops.error} onRetry={() => void loops.refetch()} />}
        {loops.isPending && <ListSkeleton />}
        {loops.data && all.length === 0 && <EmptyState art={ICONS[page]} title={t(`standing-${page}-none`)} text={t(`standing-${page}-none-text`)} />}
        {all.length > 0 && rows.length === 0 && (
          <EmptyState art={<SearchX className="size-7" strokeWidth={1.5} />} title={t("list-no-match")} text={t("list-no-match-text")} action={<Button onClick={() => setQuery("")}>{t("list-show-all")}</Button>} />
        )}
        {rows.length > 0 && (
          <Grid
            label={t(`standing-${page}`)}
            rows={rows}
            shown={shown}
            withRepo
            starting={starting}
            onOpen={onShow}
            onStart={start}
            onCancel={(key) => onShow(key, "cancel")}
            onMerge={(key) => onShow(key, "merge")}
          />
        )}
      </div>
    </>
  );
}
