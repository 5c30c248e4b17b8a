import { useState, type ReactNode } from "react";
import { Checkbox, ConfirmDialog } from "../../components";
import { useCommand } from "../../data";
import { useText } from "../../i18n";

/** Asks before the demo is left: `dialog` belongs beside what asks. */
export function useLeaveDemo(returnTo?: () => HTMLElement | null): { ask: () => void; dialog: ReactNode } {
  const t = useText();
  const command = useCommand();
  const [asking, setAsking] = useState(false);
  const [forget, setForget] = useState(false);
  const close = () => {
    setAsking(false);
    command.reset();
  };
  const dialog = (
    <ConfirmDialog
      title={t("demo-leave-title")}
      text={t("demo-leave-text")}
      confirm={t("demo-leave-confirm")}
      danger
      open={asking}
      busy={command.pending}
      problem={command.problem}
      onConfirm={() => void command.run({ command: "leave_demo", args: { forget } }).then(close, () => undefined)}
      onClose={close}
      returnTo={returnTo}
    >
      <Checkbox label={t("demo-leave-forget")} checked={forget} onChange={setForget} />
    </ConfirmDialog>
  );
  return { ask: () => setAsking(true), dialog };
}
