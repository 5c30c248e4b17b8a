import * as Radix from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import { useLayoutEffect, useRef, type ReactNode } from "react";
import { useText } from "../i18n";
import { classNames } from "./class-names";
import { IconButton } from "./IconButton";

interface DialogProps {
  title: string;
  /** A sentence below the title, read out when the dialog opens. */
  text?: string;
  open: boolean;
  onClose: () => void;
  /** Where the focus goes when what opened it has gone. */
  returnTo?: () => HTMLElement | null | undefined;
  children?: ReactNode;
  /** Buttons, the usual one last. */
  actions?: ReactNode;
  size?: "normal" | "wide";
}

/** A question or a small page in front of the window. Its middle scrolls; title and buttons stay. */
export function Dialog({ title, text, open, onClose, returnTo, children, actions, size = "normal" }: DialogProps) {
  const t = useText();
  // Radix gives the focus back to its own trigger only; here whatever had it gets it back.
  const opener = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (open) opener.current = document.activeElement;
  }, [open]);
  return (
    <Radix.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="appear fixed inset-0 z-40 bg-scrim" />
        <Radix.Content
          {...(text ? {} : { "aria-describedby": undefined })}
          onOpenAutoFocus={(event) => {
            // The dialog itself, so that it is read out, and not its way out.
            event.preventDefault();
            if (event.target instanceof HTMLElement) event.target.focus();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            const here = opener.current?.isConnected && opener.current !== document.body ? opener.current : returnTo?.();
            if (here instanceof HTMLElement) here.focus();
          }}
          className={classNames(
            "appear fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100vh-3rem)] w-[calc(100vw-3rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-xl border border-transparent bg-panel shadow-float outline-none",
            size === "wide" ? "max-w-160" : "max-w-110",
          )}
        >
          <header className="flex items-start gap-3 px-5 pt-4">
            <Radix.Title className="min-w-0 flex-1 py-0.5 text-lg font-semibold break-words">{title}</Radix.Title>
            <IconButton label={t("close")} onClick={onClose} className="-me-1.5">
              <X aria-hidden className="size-4" />
            </IconButton>
          </header>
          {text && <Radix.Description className="px-5 pt-1 text-dim">{text}</Radix.Description>}
          {children && <div className="@container min-h-0 overflow-auto px-5 pt-3 pb-1">{children}</div>}
          {actions ? <footer className="flex flex-wrap justify-end gap-2 px-5 pt-4 pb-5">{actions}</footer> : <div className="h-4 shrink-0" />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
