import type { LoopView } from "../../generated/wire";
import { hasEnded } from "../../loop-state";

/** Whether a loop may have a worktree on this machine: it goes when the run is merged, closed or cancelled. */
export function hasWorktree({ state }: Pick<LoopView, "state">): boolean {
  return !hasEnded(state) || state === "needs_human" || state === "failed";
}
