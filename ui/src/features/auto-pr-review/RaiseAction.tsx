import { useState } from "react";
import { Button, ConfirmDialog } from "../../components";
import { useAnswer, useCommand, useRights } from "../../data";
import type { LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { repoOf } from "../../routes";

/** Lets a repository that only observes post, and ask before each push (§13.7). A label's own limit is lifted on GitHub. */
export function RaiseAction({ loop, onClosed }: { loop: LoopView; onClosed: () => void }) {
  const t = useText();
  const command = useCommand();
  const { operate } = useRights();
  const { data } = useAnswer({ command: "repositories" });
  const [asked, setAsked] = useState(false);
  const repo = repoOf(loop.key);
  const ofRepository = data?.find(({ name }) => name === repo)?.autonomy ?? loop.autonomy;
  const close = () => {
    setAsked(false);
    onClosed();
  };
  const confirm = () => void command.run({ command: "set_autonomy", args: { repo, level: "ask" } }).then(close, () => undefined);
  return (
    <>
      {operate && loop.blocker?.code === "observing" && ofRepository === "observe" && (
        <Button
          variant="primary"
          onClick={() => {
            command.reset();
            setAsked(true);
          }}
        >
          {t("review-raise")}
        </Button>
      )}
      <ConfirmDialog
        title={t("review-raise-title", { repo })}
        text={t("review-raise-text")}
        confirm={t("review-raise-confirm")}
        open={asked}
        busy={command.pending}
        problem={command.problem}
        onConfirm={confirm}
        onClose={close}
      />
    </>
  );
}
