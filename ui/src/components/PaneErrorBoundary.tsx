import { Unplug } from "lucide-react";
import type { ReactNode } from "react";
import { useText } from "../i18n";
import { Button } from "./Button";
import { EmptyState } from "./EmptyState";
import { ErrorBoundary } from "./ErrorBoundary";

/** A part of the window: when what it shows cannot be shown, the others still are, and so is the next thing here. */
export function PaneErrorBoundary({ resetKey, children }: { resetKey?: string; children: ReactNode }) {
  return (
    <ErrorBoundary resetKey={resetKey} fallback={<PaneError />}>
      {children}
    </ErrorBoundary>
  );
}

/** In place of what cannot be shown. */
export function PaneError() {
  const t = useText();
  return (
    <div role="alert" className="grid h-full place-items-center overflow-auto">
      <EmptyState
        art={<Unplug className="size-7" strokeWidth={1.5} />}
        title={t("broken-title")}
        text={t("broken-text")}
        action={<Button onClick={() => window.location.reload()}>{t("broken-reload")}</Button>}
      />
    </div>
  );
}
