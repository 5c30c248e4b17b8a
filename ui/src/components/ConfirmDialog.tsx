import type { ReactNode } from "react";
import { useText } from "../i18n";
import type { Problem } from "../platform";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ProblemBanner } from "./ProblemBanner";

interface ConfirmDialogProps {
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
  /** Where the focus goes when what opened it has gone. */
  returnTo?: () => HTMLElement | null | undefined;
  children?: ReactNode;
}

/** Asks before something is done. */
export function ConfirmDialog({ title, text, confirm, danger, open, busy, problem, onConfirm, onClose, returnTo, children }: ConfirmDialogProps) {
  const t = useText();
  return (
    <Dialog
      title={title}
      text={text}
      open={open}
      onClose={onClose}
      returnTo={returnTo}
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
