import type { ReactNode } from "react";
import { classNames } from "./class-names";
import { BACKGROUND, TEXT, type Tone } from "./tone";

/** A state in a word or two. */
export function Pill({ tone, children, className }: { tone: Tone; children: ReactNode; className?: string }) {
  return (
    <span
      className={classNames(
        "inline-block max-w-full truncate rounded-[5px] px-2 py-px align-middle text-sm font-medium outline -outline-offset-1 outline-transparent",
        TEXT[tone],
        BACKGROUND[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}
