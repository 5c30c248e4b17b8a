import { useState } from "react";
import { Button } from "../../components";
import { useMayWrite, useRights } from "../../data";
import type { FindingView, LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { repoOf } from "../../routes";
import { isOpen } from "./findings";
import { DismissDialog, NoteDialog } from "./PersonsWord";
import { hasWorktree } from "./worktree";
import type { AutoPRReview } from "./useAutoPRReview";

/** What a person can do about one finding. */
export function FindingActions({ loop, finding, review }: { loop: LoopView; finding: FindingView; review: AutoPRReview }) {
  const t = useText();
  const [asked, setAsked] = useState<"dismiss" | "note" | null>(null);
  const ask = (what: "dismiss" | "note") => {
    review.reset();
    setAsked(what);
  };
  const over = loop.attention === "over";
  const { own_machine } = useRights();
  const mayWrite = useMayWrite(repoOf(loop.key));
  const editable = own_machine && finding.file !== "" && hasWorktree(loop);
  const noted = mayWrite && isOpen(finding) && !over;
  const dismissible = mayWrite && finding.can_dismiss;
  if (!dismissible && !noted && !finding.has_page && !editable) return null;
  return (
    <>
      <div role="group" aria-label={t("finding-actions")} className="flex flex-wrap gap-1.5">
        {dismissible && (
          <Button size="small" onClick={() => ask("dismiss")}>
            {t("finding-dismiss")}
          </Button>
        )}
        {noted && (
          <Button size="small" onClick={() => ask("note")}>
            {t("finding-note")}
          </Button>
        )}
        {finding.has_page && (
          <Button size="small" onClick={() => void review.openThread(finding.fingerprint)}>
            {t("finding-open-thread")}
          </Button>
        )}
        {editable && (
          <Button size="small" onClick={() => void review.openCode(finding.fingerprint)}>
            {t("finding-open-code")}
          </Button>
        )}
      </div>
      {asked === "dismiss" && <DismissDialog finding={finding} canResume={loop.can_resume} review={review} onClose={() => setAsked(null)} />}
      {asked === "note" && <NoteDialog finding={finding} review={review} onClose={() => setAsked(null)} />}
    </>
  );
}
