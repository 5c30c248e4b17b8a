import { classNames } from "./class-names";
import { FILL, type Tone } from "./tone";

/** A state as a point; say it in words beside it, or in the label. */
export function Dot({ tone, label, className }: { tone: Tone; label?: string; className?: string }) {
  return (
    <span
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
      className={classNames("dot inline-block size-1.75 shrink-0 rounded-full", FILL[tone], className)}
    />
  );
}
