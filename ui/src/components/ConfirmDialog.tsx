import type { ReactNode } from "react";
import { useText } from "../i18n";
import type { Problem } from "../platform";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ProblemBanner } from "./ProblemBanner";

export interface ConfirmDialogProps {
  title: string;
  text: string;
  /** What the button says that does it. */
  confirm: string;
  danger?: boolean;
  open: boolean;
  busy?: boolean;
  problem?: Problem | null;
  onConfirm: () => void;
  onClose: () => void;
  children?: ReactNode;
}

/** Asks before something is done. */
export function ConfirmDialog({ title, text, confirm, danger, open, busy, problem, onConfirm, onClose, children }: ConfirmDialogProps) {
  const t = useText();
  return (
    <Dialog
      title={title}
      text={text}
      open={open}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("back")}</Button>
          <Button variant={danger ? "danger" : "primary"} busy={busy} onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    >
      {children}
      {problem && <ProblemBanner problem={problem} />}
    </Dialog>
  );
}
