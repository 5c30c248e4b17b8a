import { ExternalLink } from "lucide-react";
import { IconButton, ProblemBanner, Skeleton } from "../../components";
import { useAnswer } from "../../data";
import type { FindingView, Sha } from "../../generated/wire";
import { useText } from "../../i18n";
import { Diff } from "./Diff";
import { Quote } from "./Quote";

/** The lines that a finding is about and those that fixed it; read when it is opened. */
export function Excerpts(props: { loopKey: string; finding: FindingView; onOpenCommit: (sha: Sha) => void }) {
  const { loopKey, finding, onOpenCommit } = props;
  const t = useText();
  const { data, error, refetch, isFetching } = useAnswer({
    command: "excerpts",
    args: { key: loopKey, fingerprint: finding.fingerprint },
  });
  const evidence = finding.evidence !== null && <Quote title={t("review-finding-evidence")} text={finding.evidence} />;
  if (error) {
    return (
      <>
        {evidence}
        <ProblemBanner problem={error} busy={isFetching} onRetry={() => void refetch()} />
      </>
    );
  }
  if (!data) return <Skeleton className="h-24 rounded-md" />;
  const commit = data.fix_commit;
  return (
    <>
      {data.finding.length > 0 ? (
        <Diff title={t("review-finding-where")} lines={data.finding} />
      ) : (
        (evidence || (finding.file !== "" && <p className="text-sm text-faint">{t("review-finding-gone")}</p>))
      )}
      {commit !== null && data.fix.length > 0 && (
        <Diff
          title={t("review-finding-fix", { commit: commit.slice(0, 7) })}
          lines={data.fix}
          action={
            <IconButton
              label={t("review-finding-open-commit", { commit: commit.slice(0, 7) })}
              className="size-6"
              onClick={() => onOpenCommit(commit)}
            >
              <ExternalLink aria-hidden className="size-3.25" />
            </IconButton>
          }
        />
      )}
    </>
  );
}
