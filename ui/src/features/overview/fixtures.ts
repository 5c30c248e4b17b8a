import type { LoopView, SpendingView } from "../../generated/wire";
import { ago, aLoop, aReadyLoop, sha } from "../../test";
import { aCheck, anOpenCheck, aReviewingLoop, aStoppedLoop } from "../auto-pr-review/fixtures";

const ended = (state: "merged" | "closed" | "cancelled"): Partial<LoopView> => ({ state, blocker: null, can_cancel: false, can_retry: state === "cancelled" });

const spent = (cost_usd: number | null, tokens = 40_000): Partial<LoopView> => ({ usage: { input_tokens: tokens, output_tokens: 900, cost_usd } });

const LOOPS: LoopView[] = [
  aReviewingLoop({ ...spent(0.42), started_at: ago(44) }),
  aLoop({ key: "acme/api#480", ...spent(null) }),
  aLoop({
    key: "acme/api#479",
    title: "Drop the legacy session table",
    iteration: 1,
    updated_at: ago(62),
    author: "ana",
    blocker: { code: "changes_requested", args: { logins: ["ana"] }, text: "@ana requested changes; everything has been answered, waiting for a new review", needs_person: true },
    ...spent(0.18),
  }),
  aReadyLoop({ ...spent(0.09), started_at: ago(88) }),
  aStoppedLoop({ updated_at: ago(130), ...spent(1.37) }),
  aLoop({ key: "acme/web#88", title: "Move the settings page to the new router and everything that has ever linked to it", state: "pr_created", queue_position: 1, blocker: null, started_at: ago(2) }),
  aLoop({ key: "acme/web#85", title: "Fix the focus ring of the date picker", state: "pr_fixing", iteration: 1, started_at: ago(9), blocker: { code: "fixing", args: { count: 3 }, text: "Fixing 3 findings", needs_person: false }, ...spent(0.21) }),
  aReadyLoop({ key: "acme/web#80", title: "Lazy-load the chart of the dashboard", iteration: 1, ...spent(0.05), started_at: ago(300) }),
  aLoop({ key: "platform-team/deployment-configuration#12", title: "Pin the base image by digest", author: "renovate[bot]", blocker: { code: "bots_pending", args: {}, text: "Waiting for coderabbitai", needs_person: false }, started_at: ago(18) }),
  aLoop({
    key: "platform-team/deployment-configuration#11",
    title: "Rotate the signing key",
    state: "failed",
    blocker: null,
    can_cancel: false,
    can_retry: true,
    error: { code: "ci_timeout", message: "2 checks did not finish in time: build, e2e", hints: ["Look at the logs of those checks: they may hang, or be waiting for a runner."] },
    updated_at: ago(900),
    ci: { status: "pending", passed: 1, failed: 0, running: 2, checks: [aCheck("unit", "success"), anOpenCheck("build", "in_progress"), anOpenCheck("e2e", "queued")] },
  }),
  aLoop({ key: "acme/infra#7", title: "Raise the limit of open files", ...ended("merged"), iteration: 2, updated_at: ago(1_500), proof: aReadyLoop().proof, head_sha: sha("9f3c2ab"), ...spent(0.31) }),
  aLoop({ key: "acme/infra#6", title: "Try another allocator", ...ended("closed"), updated_at: ago(4_400) }),
  aLoop({ key: "acme/web#71", title: "Describe the retry policy", ...ended("cancelled"), iteration: 1, updated_at: ago(7_000), ...spent(0.02) }),
];

/** Loops of four repositories, in every state. */
export const SOME_LOOPS = LOOPS.map((loop, nth): LoopView => ({ ...loop, run_id: `run-${nth}` }));

/** Many loops of twenty repositories, in every state. */
export function loopsOf(count: number): LoopView[] {
  return Array.from({ length: count }, (_, nth): LoopView => {
    const from = SOME_LOOPS[nth % SOME_LOOPS.length];
    if (!from) throw new Error("there are some");
    return { ...from, key: `acme/service-${(nth % 20) + 1}#${1000 + nth}`, run_id: `run-${nth}`, title: `${from.title} ${nth}` };
  });
}

/** What today has cost of a budget of twenty dollars. */
export function aSpending(cost_usd: number | null, limit: number | null = 20): SpendingView {
  const period = (cost: number | null) => ({
    spent: { input_tokens: 800_000, output_tokens: 42_000, cost_usd: cost, ...(cost === null && { unpriced: true }) },
    unpriced_tokens: 0,
    limit: { cost_usd: limit, tokens: null },
  });
  return { day: period(cost_usd), total: period(cost_usd), pull_request_limit: { cost_usd: null, tokens: null } };
}
