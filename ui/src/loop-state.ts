import type { Tone } from "./components";
import { TERMINAL_STATES, type LoopView, type PullLine, type State } from "./generated/wire";
import type { Translate } from "./i18n";

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

/** The round that a run is in, from 1: a push ends one, and the last review has no push of its own. */
export const roundOf = (loop: Pick<LoopView, "iteration" | "max_iterations">): number => Math.min(loop.iteration + 1, loop.max_iterations);

/** Whether the run is over. */
export const hasEnded = (state: State): boolean => TERMINAL_STATES.includes(state);

/** Where a loop stands in a word or two, in a sentence's case: what a column of a list has room for. */
export function stateWordOf(loop: LoopView, t: Translate): string {
  if (toneOfState(loop.state) === "run") {
    if (loop.queue_position !== null) return t("list-queued", { position: loop.queue_position });
    if (loop.blocker?.needs_person) return waitingFor(loop, t);
  }
  return t(`list-word-${loop.state}`);
}

/** What a line's pill says. */
export interface StatePill {
  tone: Tone;
  text: string;
}

/** The state of a line in a word or two. */
export function statePillOf({ pull, loop }: { pull?: PullLine; loop?: LoopView }, t: Translate): StatePill {
  if (!loop) {
    if (pull?.draft) return { tone: "none", text: t("list-draft") };
    return { tone: "none", text: t("list-not-started") };
  }
  const name = stateWordOf(loop, t);
  const tone = toneOfState(loop.state);
  if (tone !== "run") return { tone, text: name };
  if (loop.queue_position !== null) return { tone: "none", text: name };
  if (loop.blocker?.needs_person) return { tone: "warn", text: name };
  // Waiting for checks is a long word, and the same in each round.
  const counted = loop.iteration > 0 && loop.state !== "pr_awaiting_checks";
  const text = counted ? t("list-state-round", { state: name, iteration: roundOf(loop), max: loop.max_iterations }) : name;
  return { tone, text };
}

function waitingFor(loop: LoopView, t: Translate): string {
  const logins = loop.blocker?.args["logins"];
  const first: unknown = Array.isArray(logins) ? logins[0] : undefined;
  if (typeof first !== "string") return t("list-waiting-you");
  return logins && Array.isArray(logins) && logins.length > 1
    ? t("list-waiting-others", { login: first, others: logins.length - 1 })
    : t("list-waiting-login", { login: first });
}
