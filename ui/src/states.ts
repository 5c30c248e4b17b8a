import type { Tone } from "./components";
import type { State } from "./generated/wire";

/** The colour of a state, wherever it is shown. */
export function toneOfState(state: State): Tone {
  switch (state) {
    case "pr_created":
    case "pr_awaiting_checks":
    case "pr_reviewing":
    case "pr_fixing":
      return "run";
    case "pr_ready_to_merge":
    case "merged":
      return "ok";
    case "needs_human":
    case "failed":
      return "bad";
    case "closed":
    case "cancelled":
      return "none";
  }
}

/** Whether the run is over. */
export function hasEnded(state: State): boolean {
  switch (state) {
    case "merged":
    case "closed":
    case "cancelled":
    case "needs_human":
    case "failed":
      return true;
    case "pr_created":
    case "pr_awaiting_checks":
    case "pr_reviewing":
    case "pr_fixing":
    case "pr_ready_to_merge":
      return false;
  }
}
