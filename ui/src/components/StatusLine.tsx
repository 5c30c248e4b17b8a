import { Check, ChevronsRight, Circle, CircleAlert, CircleDashed, CircleHelp, Clock, Minus, RotateCcw, X } from "lucide-react";
import type { ReactNode } from "react";
import { TEXT, type Tone } from "./tone";

/** The shape of a mark: colour alone says nothing to those who do not see it. */
export type StatusShape = "done" | "failed" | "running" | "clock" | "alert" | "none" | "asks" | "todo" | "again" | "skipped";

const icons = {
  done: Check,
  failed: X,
  running: CircleDashed,
  clock: Clock,
  alert: CircleAlert,
  none: Minus,
  asks: CircleHelp,
  todo: Circle,
  again: RotateCcw,
  skipped: ChevronsRight,
} satisfies Record<StatusShape, unknown>;

/** A small sign at the start of a line; the words beside it say the same. */
export function StatusIcon({ shape, tone }: { shape: StatusShape; tone: Tone }) {
  const Shape = icons[shape];
  return <Shape aria-hidden strokeWidth={2.25} className={`size-3.5 shrink-0 ${TEXT[tone]}`} />;
}

/** A line of a list: sign, what it is, how it is. */
export function StatusLine({ icon, children, aside }: { icon: ReactNode; children: ReactNode; aside?: ReactNode }) {
  return (
    <li className="grid min-h-6 grid-cols-[1.125rem_minmax(0,1fr)_auto] items-start gap-x-1.5 py-0.5 [&>svg]:mt-0.75">
      {icon}
      <span className="min-w-0 wrap-anywhere">{children}</span>
      <span className="max-w-64 text-end text-sm leading-5 text-dim tabular-nums">{aside}</span>
    </li>
  );
}
