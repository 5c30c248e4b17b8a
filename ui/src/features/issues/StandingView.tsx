import { CircleCheck, Coffee, GitMerge, SearchX } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { Button, EmptyState, ProblemBanner } from "../../components";
import { useAnswer } from "../../data";
import { useText } from "../../i18n";
import { Banners } from "./Banners";
import { Grid } from "./Grid";
import { IssueListHeader } from "./IssueListHeader";
import type { ListProps } from "./IssuesView";
import { ListSkeleton } from "./ListSkeleton";
import { filtered, rowsOfStanding, type Standing } from "./rows";
import { useStart } from "./useStart";

const ART: Record<Standing, ReactNode> = {
  "needs-you": <CircleCheck className="size-7" strokeWidth={1.5} />,
  ready: <GitMerge className="size-7" strokeWidth={1.5} />,
  working: <Coffee className="size-7" strokeWidth={1.5} />,
};

/** The loops of all repositories that need a person, are ready, or are at work. */
export function StandingView({ standing, shown, onShow, search }: ListProps & { standing: Standing }) {
  const t = useText();
  const loops = useAnswer({ command: "loops" });
  const [words, setWords] = useState("");
  const { starting, start } = useStart();
  const all = useMemo(() => rowsOfStanding(loops.data ?? [], standing), [loops.data, standing]);
  const rows = useMemo(() => filtered(all, { mine: false, agents: false, words }, null), [all, words]);
  return (
    <>
      <IssueListHeader title={t(`standing-${standing}`)} words={words} onSearch={setWords} search={search} />
      <Banners />
      <div className="relative min-h-0 flex-1 overflow-y-auto px-3 py-3">
        {loops.error && <ProblemBanner problem={loops.error} onRetry={() => void loops.refetch()} />}
        {loops.isPending && <ListSkeleton />}
        {loops.data && all.length === 0 && <EmptyState art={ART[standing]} title={t(`standing-${standing}-none`)} text={t(`standing-${standing}-none-text`)} />}
        {all.length > 0 && rows.length === 0 && (
          <EmptyState art={<SearchX className="size-7" strokeWidth={1.5} />} title={t("list-no-match")} text={t("list-no-match-text")} action={<Button onClick={() => setWords("")}>{t("list-show-all")}</Button>} />
        )}
        {rows.length > 0 && (
          <Grid
            label={t(`standing-${standing}`)}
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
