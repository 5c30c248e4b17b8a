import type { ReactNode } from "react";

interface EmptyStateProps {
  title: string;
  text: string;
  action?: ReactNode;
  /** A drawing above the words. */
  art?: ReactNode;
}

/** Says why there is nothing, and what can be done. */
export function EmptyState({ title, text, action, art }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-90 flex-col items-center px-4 py-16 text-center">
      {art && (
        <div aria-hidden className="mb-4 text-faint">
          {art}
        </div>
      )}
      <h2 className="font-semibold">{title}</h2>
      <p className="mt-1 text-balance text-dim">{text}</p>
      {action && <div className="mt-4 flex gap-2">{action}</div>}
    </div>
  );
}
