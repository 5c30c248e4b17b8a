import { GitCommitHorizontal } from "lucide-react";
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { EmptyState, ProblemBanner } from "../../components";
import { useAnswer } from "../../data";
import type { LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { hasEnded } from "../../loop-state";
import { CommitDiff, DiffLoading } from "./CommitDiff";
import { CommitList } from "./CommitList";
import type { DiffTableHandle } from "./DiffTable";

export interface ChangesProps {
  loop: LoopView;
  /** What the diff scrolls in. */
  scroller: RefObject<HTMLElement | null>;
  /** It has the whole window. */
  wide: boolean;
  onWide: (wide: boolean) => void;
  /** Leads to a finding, which goes by its fingerprint. */
  onShowFinding: (fingerprint: string) => void;
  onOpenCommit: (sha: string) => void;
}

/** All that Collie pushed or would push: commits by round, and what the chosen one changes. */
export default function Changes(props: ChangesProps) {
  const { loop, scroller } = props;
  const t = useText();
  const { data, error, refetch, isFetching } = useAnswer({ command: "changes", args: { key: loop.key } });
  const [chosen, setChosen] = useState<string | null>(null);
  const [file, setFile] = useState(0);
  const table = useRef<DiffTableHandle>(null);
  const commits = data?.rounds.flatMap((round) => round.commits) ?? [];
  // Without a choice it is the latest, also once there is a later one.
  const commit = commits.find(({ sha }) => sha === chosen) ?? commits.at(-1);
  const sha = commit?.sha;
  useEffect(() => {
    setFile(0);
  }, [sha]);
  const select = useCallback(
    (next: string) => {
      setChosen(next);
      scroller.current?.scrollTo({ top: 0 });
    },
    [scroller],
  );
  if (error && !data) return <ProblemBanner problem={error} busy={isFetching} onRetry={() => void refetch()} />;
  if (!data) return <DiffLoading />;
  if (!commit) {
    return (
      <EmptyState
        art={<GitCommitHorizontal className="size-7" strokeWidth={1.5} />}
        title={t("review-changes-none-title")}
        text={t(hasEnded(loop.state) || loop.proof ? "review-changes-none-ended" : "review-changes-none")}
      />
    );
  }
  return (
    <div className="@container">
      <div className="grid gap-x-6 gap-y-4 @min-[47.5rem]:grid-cols-[16rem_minmax(0,1fr)]">
        <div className="min-w-0 @min-[47.5rem]:sticky @min-[47.5rem]:top-2 @min-[47.5rem]:max-h-[calc(100vh-8.75rem)] @min-[47.5rem]:self-start @min-[47.5rem]:overflow-y-auto @min-[47.5rem]:px-2">
          <CommitList changes={data} selected={commit.sha} file={file} onSelect={select} onFile={(at) => table.current?.goToFile(at)} />
        </div>
        <CommitDiff key={commit.sha} {...props} loopKey={loop.key} commit={commit} table={table} onFile={setFile} />
      </div>
    </div>
  );
}
