import { SHIPPED_PERSONAS, type BlockerCode, type BotLine, type BotStatusCode, type CheckConclusion, type CheckLine, type LoopView, type ReviewerKind, type ReviewerView, type StopCode, type UnseenReason } from "../../generated/wire";
import type { Tone } from "../../components";
import type { Translate } from "../../i18n";
import { toneOfState } from "../../loop-state";

/** The four steps of a loop, in the order shown. */
export const stepNames = ["checks", "review", "fix", "ready"] as const;
export type StepName = (typeof stepNames)[number];

/** How far a step is; `waits` is under way, and up to a person; `again` is due after the fix, for the first time or once more; `skipped` was not needed. */
export type StepStatus = "todo" | "now" | "waits" | "done" | "again" | "skipped" | "failed";
export type Steps = Record<StepName, StepStatus>;

/** What a run that stopped did not get past. */
const failedSteps: Record<StopCode, StepName> = {
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
  access_lost: "ready",
};

/** Where the four steps stand. */
export function stepsOf(loop: LoopView): Steps {
  const reviewers = loop.stages.flatMap((stage) => stage.reviewers);
  const allReviewed = reviewers.length > 0 && reviewers.every((one) => one.status === "reviewed");
  const checks: StepStatus = loop.ci.status === "failed" ? "failed" : loop.ci.status === "passed" ? "done" : "todo";
  const looked = reviewers.some((one) => one.verdict !== null);
  const review: StepStatus = allReviewed ? "done" : looked ? "again" : "todo";
  const fix: StepStatus = loop.iteration > 0 ? "done" : "todo";
  // A finding may have been fixed by somebody else, without a push of Collie's.
  const fixed = loop.iteration > 0 || (loop.proof?.fixed.length ?? 0) > 0;
  const now: StepStatus = loop.blocker?.needs_person ? "waits" : "now";
  switch (loop.state) {
    case "pr_created":
    case "pr_awaiting_checks":
      return { checks: now, review: looked ? "again" : "todo", fix, ready: "todo" };
    case "pr_reviewing":
      return { checks: checks === "failed" ? "failed" : "done", review: now, fix, ready: "todo" };
    case "pr_fixing":
      return { checks: checks === "failed" ? "failed" : "done", review: review === "todo" ? "again" : review, fix: now, ready: "todo" };
    case "pr_ready_to_merge":
    case "merged":
      return { checks: "done", review: "done", fix: fixed ? "done" : "skipped", ready: "done" };
    case "closed":
    case "cancelled":
      return { checks, review, fix, ready: "todo" };
    case "needs_human":
    case "failed": {
      const steps: Steps = { checks, review, fix, ready: "todo" };
      steps[loop.error ? failedSteps[loop.error.code] : "ready"] = "failed";
      return steps;
    }
  }
}

/** The colour of what a loop waits for, or of how it ended. */
export function loopTone(loop: LoopView): Tone {
  const tone = toneOfState(loop.state);
  return tone === "run" ? blockerTone(loop) : tone;
}

function blockerTone(loop: LoopView): Tone {
  if (loop.queue_position !== null) return "none";
  return loop.blocker === null ? "run" : blockerTones[loop.blocker.code];
}

/** Work that goes on by itself runs; a wait for a person, or for GitHub, is a warning; what stays wrong until somebody mends it is bad. */
const blockerTones: Record<BlockerCode, Tone> = {
  starting: "run",
  checks_running: "run",
  no_checks_yet: "run",
  collecting_failures: "run",
  check_needs_action: "warn",
  rerunning_checks: "run",
  base_broken: "warn",
  budget: "warn",
  paused: "warn",
  bots_pending: "run",
  bots_out_of_quota: "run",
  reviewing: "run",
  awaiting_reviewer: "warn",
  changes_requested: "warn",
  threads_open: "warn",
  comments_open: "warn",
  fixing: "run",
  merging_base: "run",
  verifying: "run",
  verify_untrusted: "warn",
  author_not_allowed: "warn",
  fixing_off: "warn",
  unseen: "warn",
  observing: "warn",
  awaiting_approval: "warn",
  no_sandbox: "bad",
  pushing: "run",
  awaiting_push: "run",
  posting: "run",
  awaiting_merge: "warn",
  draft: "warn",
  conflict: "warn",
  behind: "warn",
  mergeability_unknown: "run",
  merge_blocked: "warn",
  review_required: "warn",
  ignore_label: "warn",
  pending_review: "warn",
  auto_merge: "warn",
  merge_queue: "run",
  queue_ejected: "warn",
  unreachable: "warn",
  unauthorized: "bad",
  forbidden: "bad",
  account_unusable: "bad",
  app_unusable: "bad",
  rights_lacking: "bad",
  server_too_old: "bad",
  not_found: "warn",
  rate_limited: "warn",
  config_invalid: "bad",
};

/** The words for how a check ended. */
export const conclusionTexts: Record<CheckConclusion, string> = {
  success: "review-check-success",
  neutral: "review-check-neutral",
  skipped: "review-check-skipped",
  failure: "review-check-failure",
  cancelled: "review-check-cancelled",
  timed_out: "review-check-timed_out",
  stale: "review-check-stale",
  startup_failure: "review-check-startup_failure",
  action_required: "review-check-action_required",
};

/** The words for how a check stands. */
const statusTexts: Record<CheckLine["status"], string> = {
  queued: "review-check-queued",
  requested: "review-check-queued",
  waiting: "review-check-queued",
  pending: "review-check-queued",
  in_progress: "review-check-running",
  // GitHub shows a run as completed a moment before its conclusion.
  completed: "review-check-running",
  missing: "review-check-missing",
};

/** The key of the words for how a check stands, or how it ended. */
export function checkText({ status, conclusion }: CheckLine): string {
  return status === "completed" && conclusion !== null ? conclusionTexts[conclusion] : statusTexts[status];
}

const botTones: Record<BotStatusCode, Tone> = {
  reviewed: "ok",
  waiting: "run",
  out_of_quota: "warn",
  timed_out: "warn",
  not_expected: "none",
};

/** The colour of a bot’s line. One whose account is not the registered one is never trusted. */
export function botTone(bot: BotLine): Tone {
  return bot.verified ? botTones[bot.status] : "bad";
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
export function escalatedBy(loop: LoopView, name: string): string[] {
  return loop.stages
    .flatMap((stage) => stage.reviewers)
    .filter((one) => one.escalations.includes(name))
    .map((one) => one.name);
}

/** A reviewer's name: a persona's with a capital, a login as it is. */
export function reviewerName(t: Translate, name: string, kind?: ReviewerKind | null): string {
  if (kind === "human") return `@${name}`;
  if (name === "rules") return t("review-reviewer-rules");
  return SHIPPED_PERSONAS.some((persona) => persona === name) ? name.charAt(0).toUpperCase() + name.slice(1) : name;
}

/** What one reviewer came to. Rules approve nothing: what they know was there, or was not. */
export function verdictText(t: Translate, reviewer: Pick<ReviewerView, "verdict" | "findings"> & { kind: ReviewerKind | null }): string {
  if (reviewer.kind === "rules" && reviewer.verdict === "approve") {
    return t(reviewer.findings === 0 ? "verdict-rules-none" : "verdict-rules-suggestions");
  }
  return t(`verdict-${reviewer.verdict ?? "none"}`);
}

/** The name of somebody at work. */
export function workerName(t: Translate, who: string): string {
  return who === "fixer" ? t("review-fixer") : reviewerName(t, who);
}

/** The words for why a file was not shown. */
export const reasonTexts: Record<UnseenReason, string> = {
  binary: "unseen-reason-binary",
  lockfile: "unseen-reason-lockfile",
  generated: "unseen-reason-generated",
  submodule: "unseen-reason-submodule",
  link: "unseen-reason-link",
  too_large: "unseen-reason-too_large",
  too_many: "unseen-reason-too_many",
  unreadable: "unseen-reason-unreadable",
  nesting: "unseen-reason-nesting",
  no_room: "unseen-reason-no_room",
  reading_failed: "unseen-reason-reading_failed",
  taken_out: "unseen-reason-taken_out",
};

/** Whether a file that was not shown for that reason is text that somebody has to look at. */
export const needsLook: Record<UnseenReason, boolean> = {
  binary: false,
  lockfile: false,
  generated: false,
  submodule: false,
  link: true,
  too_large: true,
  too_many: true,
  unreadable: true,
  nesting: true,
  no_room: true,
  reading_failed: true,
  taken_out: true,
};
