import type { Priority } from "../generated/wire";
import { classNames } from "./class-names";

const badges: Record<Priority, string> = { P0: "bg-p0", P1: "bg-p1", P2: "bg-p2", P3: "bg-p3" };

/** How much a finding weighs. */
export function PriorityBadge({ priority, faded = false }: { priority: Priority; faded?: boolean }) {
  return (
    <span
      className={classNames(
        "inline-block h-[18px] w-[26px] shrink-0 rounded text-center text-xs leading-[18px] font-semibold",
        faded ? "bg-chip text-dim" : classNames("text-on-p", badges[priority]),
      )}
    >
      {priority}
    </span>
  );
}
