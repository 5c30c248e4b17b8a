import type { Priority } from "../generated/wire";
import { classNames } from "./class-names";

const badges: Record<Priority, string> = { P0: "bg-p0", P1: "bg-p1", P2: "bg-p2", P3: "bg-p3" };

/** How much a finding weighs. */
export function PriorityBadge({ priority, faded = false }: { priority: Priority; faded?: boolean }) {
  return (
    <span
      className={classNames(
        "inline-block outline -outline-offset-1 outline-transparent h-4.5 w-6.5 shrink-0 rounded text-center text-xs leading-4.5 font-semibold",
        faded ? "bg-chip text-dim" : classNames("text-on-p", badges[priority]),
      )}
    >
      {priority}
    </span>
  );
}
