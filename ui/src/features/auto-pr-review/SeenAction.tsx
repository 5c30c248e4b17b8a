import { useState } from "react";
import { Button, ConfirmDialog } from "../../components";
import type { LoopView, Sha, UnseenFile } from "../../generated/wire";
import { useText } from "../../i18n";
import { UnseenFiles } from "./Coverage";
import { needsLook } from "./lifecycle";
import type { AutoPRReview } from "./useAutoPRReview";

/** Lets a person say that they have looked at what no reviewer was shown (§4.4): of the head and the files that the dialog shows. */
export function SeenAction({ loop, review, onClosed }: { loop: LoopView; review: AutoPRReview; onClosed: () => void }) {
  const t = useText();
  const [asked, setAsked] = useState<{ head: Sha; files: UnseenFile[] } | null>(null);
  const { head_sha: head, coverage } = loop;
  const waits = loop.blocker?.code === "unseen" && head !== null && coverage !== null;
  const close = () => {
    setAsked(null);
    onClosed();
  };
  const confirm = () => {
    if (asked) void review.seen(asked.head).then(close, () => undefined);
  };
  return (
    <>
      {waits && (
        <Button
          variant="primary"
          onClick={() => {
            review.reset();
            setAsked({ head, files: coverage.unseen.filter((file) => needsLook[file.reason]) });
          }}
        >
          {t("review-seen")}
        </Button>
      )}
      {asked && (
        <ConfirmDialog
          title={t("review-seen-title", { count: asked.files.length })}
          text={t("review-seen-text", { head: asked.head.slice(0, 7) })}
          confirm={t("review-seen-confirm")}
          open
          busy={review.pending}
          problem={review.problem}
          onConfirm={confirm}
          onClose={close}
        >
          <UnseenFiles files={asked.files} />
          <p className="mt-2 text-dim">{t("review-seen-kept")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
