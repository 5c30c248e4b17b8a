import type { BotLine, CheckLine, LoopView, ReviewerView } from "../../generated/wire";
import type { Tone } from "../../components";
import type { Translate } from "../../i18n";
import { toneOfState } from "../../states";

/** The four steps of a loop, in the order shown. */
export const stepNames = ["checks", "review", "fix", "ready"] as const;
export type StepName = (typeof stepNames)[number];

/** How far a step is; `waits` is under way, and up to a person. */
export type StepStatus = "todo" | "now" | "waits" | "done" | "failed";
export type Steps = Record<StepName, StepStatus>;

/** What a run that stopped did not get past. */
const stoppedAt: Record<string, StepName | undefined> = {
  ci_timeout: "checks",
  review_failed: "review",
  fix_failed: "fix",
  cannot_push: "fix",
  iterations_spent: "fix",
  stuck: "fix",
  oscillating: "fix",
  upheld: "fix",
  too_many_restarts: "fix",
  too_many_turns: "fix",
};

/** Where the four steps stand. */
export function stepsOf(loop: LoopView): Steps {
  const reviewers = loop.stages.flatMap((stage) => stage.reviewers);
  const looked = reviewers.length > 0 && reviewers.every((one) => one.status === "reviewed");
  const checks: StepStatus = loop.ci.status === "failed" ? "failed" : loop.ci.status === "passed" ? "done" : "todo";
  const review: StepStatus = looked ? "done" : "todo";
  const fix: StepStatus = loop.iteration > 0 ? "done" : "todo";
  const now: StepStatus = loop.blocker?.needs_person ? "waits" : "now";
  switch (loop.state) {
    case "pr_created":
    case "pr_awaiting_checks":
      return { checks: now, review: "todo", fix: "todo", ready: "todo" };
    case "pr_reviewing":
      return { checks: "done", review: now, fix: "todo", ready: "todo" };
    case "pr_fixing":
      return { checks: checks === "failed" ? "failed" : "done", review, fix: now, ready: "todo" };
    case "pr_ready_to_merge":
    case "merged":
      return { checks: "done", review: "done", fix: "done", ready: "done" };
    case "closed":
    case "cancelled":
      return { checks, review, fix, ready: "todo" };
    case "needs_human":
    case "failed": {
      const steps: Steps = { checks, review, fix, ready: "todo" };
      steps[stoppedAt[loop.error?.code ?? ""] ?? "ready"] = "failed";
      return steps;
    }
  }
}

/** The colour of what a loop waits for, or of how it ended. */
export function situationTone(loop: LoopView): Tone {
  const tone = toneOfState(loop.state);
  return tone === "run" ? blockerTone(loop) : tone;
}

function blockerTone(loop: LoopView): Tone {
  if (loop.queue_position !== null) return "none";
  if (loop.blocker === null) return "run";
  switch (loop.blocker.code) {
    case "unauthorized":
    case "forbidden":
    case "config_invalid":
      return "bad";
    case "unreachable":
    case "not_found":
    case "rate_limited":
      return "warn";
    default:
      return loop.blocker.needs_person ? "warn" : "run";
  }
}

/** What a check came to; counted as the loop counts it (§3.3). */
export type CheckOutcome = "passed" | "failed" | "running";

export function outcomeOf(check: CheckLine): CheckOutcome {
  if (check.status !== "completed") return "running";
  switch (check.conclusion) {
    case "success":
    case "neutral":
    case "skipped":
      return "passed";
    case null:
    case "action_required":
      return "running";
    default:
      return "failed";
  }
}

/** The words there are for how a check stands; GitHub may say others. */
const checkWords: Record<string, string | undefined> = {
  success: "review-check-success",
  neutral: "review-check-neutral",
  skipped: "review-check-skipped",
  failure: "review-check-failure",
  cancelled: "review-check-cancelled",
  timed_out: "review-check-timed_out",
  stale: "review-check-stale",
  startup_failure: "review-check-startup_failure",
  action_required: "review-check-action_required",
  queued: "review-check-queued",
  requested: "review-check-queued",
  waiting: "review-check-queued",
  pending: "review-check-queued",
  in_progress: "review-check-running",
  missing: "review-check-missing",
};

/** How a check stands: the key of the words, or GitHub’s own word where there are none. */
export function checkWord(check: CheckLine): { key: string } | { word: string } {
  const said = check.status === "completed" ? (check.conclusion ?? "in_progress") : check.status;
  const key = checkWords[said];
  return key === undefined ? { word: said } : { key };
}

/** The colour of a bot’s line. One whose account is not the registered one is never trusted. */
export function botTone(bot: BotLine): Tone {
  if (!bot.verified) return "bad";
  switch (bot.status) {
    case "reviewed":
      return "ok";
    case "waiting":
      return "run";
    case "out_of_quota":
    case "timed_out":
      return "warn";
    default:
      return "none";
  }
}

/** The colour of a reviewer’s line. */
export function reviewerTone(reviewer: ReviewerView): Tone {
  switch (reviewer.status) {
    case "reviewing":
      return "run";
    case "failed":
      return "bad";
    case "waiting":
      return "none";
    case "reviewed":
    case "outdated":
      switch (reviewer.verdict) {
        case "approve":
          return reviewer.status === "reviewed" ? "ok" : "none";
        case "request_changes":
          return "warn";
        case "needs_major_work":
          return "bad";
        case null:
          return "none";
      }
  }
}

/** Who asked a reviewer in. */
export function askedInBy(loop: LoopView, name: string): string[] {
  return loop.stages
    .flatMap((stage) => stage.reviewers)
    .filter((one) => one.escalations.includes(name))
    .map((one) => one.name);
}

const personas: readonly string[] = ["priya", "quinn", "sam"];

/** A reviewer's name: a persona's with a capital, a login as it is. */
export function reviewerName(t: Translate, name: string): string {
  if (name === "rules") return t("review-reviewer-rules");
  return personas.includes(name) ? name.charAt(0).toUpperCase() + name.slice(1) : name;
}

/** The name of somebody at work. */
export function workerName(t: Translate, who: string): string {
  return who === "fixer" ? t("review-fixer") : reviewerName(t, who);
}
