import { useState, type ReactNode } from "react";
import { Checkbox, ConfirmDialog } from "../../components";
import { useAct } from "../../data";
import { useText } from "../../i18n";

/** Asks before the demo is left: `dialog` belongs beside what asks. */
export function useLeaveDemo(returnTo?: () => HTMLElement | null): { ask: () => void; dialog: ReactNode } {
  const t = useText();
  const act = useAct();
  const [asking, setAsking] = useState(false);
  const [forget, setForget] = useState(false);
  const close = () => {
    setAsking(false);
    act.reset();
  };
  const dialog = (
    <ConfirmDialog
      title={t("demo-leave-title")}
      text={t("demo-leave-text")}
      confirm={t("demo-leave-confirm")}
      danger
      open={asking}
      busy={act.pending}
      problem={act.problem}
      onConfirm={() => void act.run({ command: "leave_demo", args: { forget } }).then(close, () => undefined)}
      onClose={close}
      returnTo={returnTo}
    >
      <Checkbox label={t("demo-leave-forget")} checked={forget} onChange={setForget} />
    </ConfirmDialog>
  );
  return { ask: () => setAsking(true), dialog };
}
