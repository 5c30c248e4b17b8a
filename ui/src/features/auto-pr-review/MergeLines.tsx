import type { ProofEjection, ProofView } from "../../generated/wire";
import { useText, type Translate } from "../../i18n";
import { StatusIcon, StatusLine } from "../../components/StatusLine";

/** The lines of the bases that were merged in, and of the stays in the merge queue. */
export function MergeLines({ proof }: { proof: ProofView }) {
  const t = useText();
  return (
    <>
      {proof.merges?.map((merge) => (
        <StatusLine key={merge.commit} icon={<StatusIcon shape={merge.lost_lines > 0 ? "alert" : "done"} tone={merge.lost_lines > 0 ? "warn" : "ok"} />}>
          {t("review-proof-merge", { base: merge.base_ref, commit: merge.commit.slice(0, 7), count: merge.lost_lines })}
        </StatusLine>
      ))}
      {proof.ejections?.map((ejection, index) => (
        // One head may be taken out more than once.
        <StatusLine key={index} icon={<StatusIcon shape="alert" tone="warn" />}>
          {ejectionText(t, ejection)}
        </StatusLine>
      ))}
    </>
  );
}

/** Why the merge queue took it out, and what claims to fix that. */
function ejectionText(t: Translate, ejection: ProofEjection): string {
  const why = t(`ejection-${ejection.cause}`, { count: ejection.checks.length, names: ejection.checks.join(", "), word: ejection.word || "none" });
  return t("review-proof-ejection", { why, commit: ejection.claimed_in?.slice(0, 7) ?? "none" });
}
