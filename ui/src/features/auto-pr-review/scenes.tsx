import { Views } from "../../App";
import type { LoopView, WorkerView } from "../../generated/wire";
import { aFinding, aListing, aPull, ago, aProblem, aRepository, aSession, aWorker, fakeHost, sha, type FakeAnswers, type Scene } from "../../test";
import { ScriptedScene, type ScriptStep } from "../onboarding/ScriptedScene";
import { aCommit, aDiff, aLargeDiff, anOddDiff, someChanges } from "../changes/fixtures";
import { answersWith, LOOPS } from "../issues/fixtures";
import {
  aBusyFixer,
  aLivedTimeline,
  aCheck, anAskingLoop, anObservedLoop, anOverBudgetLoop, aDeniedLoop, anOpenCheck, anUnseenLoop, anUntrustedLoop,
  aProvenLoop,
  aReviewer,
  aReviewingLoop,
  aStoppedLoop,
  aTimeline,
  greenChecks,
  manyFindings,
  someEarlierRuns,
  someExcerpts,
  threeAtWork,
  toldByModel,
} from "./fixtures";

const FIRST_FINDING: ScriptStep[] = [["li > button[aria-expanded=false]"]];
const CHANGES: ScriptStep[] = [["[role=tab]:nth-child(2)"]];
const CHANGES_WIDE: ScriptStep[] = [...CHANGES, ["button[aria-pressed=false]"]];
const SPLIT: ScriptStep[] = [...CHANGES_WIDE, ["input[value=split]"]];
const TIMELINE: ScriptStep[] = [["[role=tab]:last-child"]];

/** A page stands beside the list; what a person does is done on the page, or in the dialog that it opens. */
function onThePage([selector, ...text]: ScriptStep): ScriptStep {
  const within = (one: string) => (one.startsWith("[role=dialog]") ? one : `[data-detail] ${one}`);
  return [selector.split(", ").map(within).join(", "), ...text] as ScriptStep;
}

/** The page of a loop in the window, beside the list that it is chosen in. */
function scene(name: string, loop: LoopView, answers: FakeAnswers = {}, deeds: ScriptStep[] = []): Scene {
  const loops = [loop, ...LOOPS.filter(({ key }) => key !== loop.key)];
  return {
    name: `review-${name}`,
    element: (
      <ScriptedScene steps={deeds.map(onThePage)}>
        <Views />
      </ScriptedScene>
    ),
    host: () => fakeHost({ answers: { ...answersWith(), loops, activities: [], timeline: aTimeline(60), excerpts: someExcerpts, ...answers } }),
    route: `/?show=${encodeURIComponent(loop.key)}`,
  };
}

const key = "acme/api#468";
const noLoop = (name: string, pull: ReturnType<typeof aPull>) =>
  scene(`none-${name}`, aReviewingLoop({ key }), { loops: LOOPS, listing: aListing({ pulls: [pull] }) });

/** What Collie changed: the second round's commit, as it is given, is the latest. */
function changed(diff = aDiff, commit: Partial<ReturnType<typeof aCommit>> = {}): FakeAnswers {
  const rounds = someChanges.rounds.slice(0, 2).map((each) => (each.round === 2 ? { ...each, commits: [aCommit(commit)] } : each));
  return { changes: { ...someChanges, rounds }, commit_diff: diff };
}

/** What waits for approval alone. */
const held: FakeAnswers = { changes: { ...someChanges, rounds: someChanges.rounds.slice(2), files: 1, added: 3, removed: 1 }, commit_diff: aDiff };

/** Somebody at work on the loop that `aReviewingLoop` makes. */
const atWork = (...workers: WorkerView[]): FakeAnswers => ({ activities: [{ key: "acme/api#482", workers }] });
const fixing = aReviewingLoop({
  state: "pr_fixing",
  blocker: { code: "fixing", args: {}, text: "Fixing 1 finding", needs_person: false },
  stages: [{ reviewers: [aReviewer({ status: "reviewed", verdict: "request_changes", head_sha: sha("4be81d0") })] }],
});
const three = aReviewingLoop({
  blocker: { code: "reviewing", args: {}, text: "Under review by Quinn, Sam and 1 more", needs_person: false },
  stages: [
    {
      reviewers: ["quinn", "sam", "accessibility-and-inclusion-reviewer"].map((name) => aReviewer({ name, status: "reviewing" })),
    },
  ],
});

/** Nobody is at work once a loop has ended. */
const looked = [{ reviewers: [aReviewer({ status: "outdated", verdict: "request_changes", head_sha: sha("1c07a9e") }), aReviewer({ name: "sam" })] }];

const someDescription = "Tenants of two regions share an entry of the cache.\n\n- The key gains the **region**\n- `forget` clears both\n\nFixes #12.";
const oneStuck = aStoppedLoop({ findings: aStoppedLoop().findings.slice(0, 1) });
const ready = aProvenLoop();

/** Ready, with all that a proof can leave open: nobody has read it. */
function anUnprovenLoop(): LoopView {
  const { proof, findings } = aProvenLoop();
  const coverage = anUnseenLoop().coverage;
  const declined = "They mirror the names of the standard.";
  return aProvenLoop({
    people: [],
    findings: [
      ...findings,
      aFinding({
        fingerprint: "f5",
        status: "dismissed",
        can_dismiss: false,
        title: "Two-digit years are read as 1900s",
        dismissal: { by: "ana", reason: "Such dates are refused before.", at: ago(4) },
      }),
      aFinding({ fingerprint: "f6", priority: "P3", status: "rejected", title: "Name the format constants", rejection: declined, rejection_text: declined }),
      aFinding({ fingerprint: "f7", priority: "P3", status: "stuck", title: "Prefer a table", line: 9 }),
    ],
    bots: [{ login: "cursor", id: 206951365, verified: true, status: "out_of_quota", until: ago(-80) }],
    proof: proof && {
      ...proof,
      unread: true,
      verdicts: proof.verdicts.filter((line) => line.kind === "rules"),
      workflow_files: [".github/workflows/ci.yml"],
      unverified: ["npm run lint"],
      dismissed: [{ title: "Two-digit years are read as 1900s", by: "ana", reason: "Such dates are refused before." }],
      left: [
        { title: "Name the format constants", declined },
        { title: "Prefer a table", declined: null },
      ],
      ...(coverage && { coverage: { ...coverage, seen_by: "ana" } }),
    },
  });
}
const LONG_BASE = "release/2026.11-with-a-name-that-somebody-made-up-on-a-friday";
const MERGE: ScriptStep[] = [["footer [role=group] button:first-child"], ["[role=dialog] footer button:last-child:not(:disabled)"]];
const offer = { head_sha: sha("9f3c2ab"), base_ref: "main", methods: ["squash" as const, "merge" as const, "rebase" as const], refusal: null };

const fiveRounds: LoopView["rounds"] = Array.from({ length: 5 }, (_, index) => ({
  iteration: index + 1,
  p0: 8 - index,
  p1: 40 - 7 * index,
  p2: 60 - 9 * index,
  p3: 90 - 20 * index,
  fixed: 50,
  rejected: 3,
  commit: sha(`${index}be81d0`),
}));

export const scenes: Scene[] = [
  scene(
    "created",
    aReviewingLoop({
      state: "pr_created",
      iteration: 0,
      blocker: { code: "starting", args: {}, text: "Reading the configuration", needs_person: false },
      ci: { status: "none", passed: 0, failed: 0, running: 0, checks: [] },
      bots: [],
      stages: [],
      consensus: null,
      findings: [],
      rounds: [],
      usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
      started_at: ago(0.1),
    }),
  ),
  scene(
    "checks",
    aReviewingLoop({
      state: "pr_awaiting_checks",
      iteration: 0,
      blocker: { code: "checks_running", args: {}, text: "2 of 7 checks not finished: build, e2e", needs_person: false },
      ci: {
        status: "pending",
        passed: 3,
        failed: 1,
        running: 2,
        checks: [
          aCheck("unit", "success"),
          aCheck("lint", "success"),
          aCheck("docs", "skipped"),
          aCheck("typecheck (ubuntu-latest, node 20, with-a-very-long-matrix-name)", "failure"),
          anOpenCheck("build", "in_progress"),
          anOpenCheck("e2e", "queued"),
          aCheck("deploy preview", "action_required"),
        ],
      },
      bots: [
        { login: "coderabbitai", id: 136622811, verified: true, status: "waiting", until: ago(-11) },
        { login: "cursor", id: 206951365, verified: true, status: "timed_out", until: null },
        { login: "coderabbitai", id: 7, verified: false, status: "not_expected", until: null },
      ],
      stages: [{ reviewers: [aReviewer({ name: "rules", kind: "rules" }), aReviewer()] }, { reviewers: [aReviewer({ name: "ana", kind: "human" })] }],
      consensus: null,
      findings: [],
      rounds: [],
    }),
  ),
  scene("reviewing", aReviewingLoop()),
  scene("finding-open", aReviewingLoop(), {}, FIRST_FINDING),
  scene("findings-by-round", aReviewingLoop({ findings: manyFindings(14) }), {}, [["input[value=round]"]]),
  scene("timeline", aReviewingLoop(), {}, TIMELINE),
  scene("timeline-lived", aProvenLoop(), { timeline: aLivedTimeline() }, TIMELINE),
  scene("timeline-chosen", aProvenLoop(), { timeline: aLivedTimeline() }, [...TIMELINE, ["svg [role=button]:nth-child(4)"]]),
  scene("changes", aReviewingLoop(), changed(), CHANGES),
  scene("changes-wide", aReviewingLoop(), changed(), CHANGES_WIDE),
  scene("changes-split", aReviewingLoop(), changed(), SPLIT),
  scene("changes-held-split", anAskingLoop(), held, SPLIT),
  scene("changes-odd", aReviewingLoop(), changed(anOddDiff, { files: anOddDiff.files.map(({ file }) => file), files_left_out: 3 }), CHANGES_WIDE),
  scene("changes-large", aReviewingLoop(), changed(aLargeDiff(5_000)), CHANGES),
  scene("changes-none", aReviewingLoop(), {}, CHANGES),
  scene("changes-gone", aReviewingLoop(), changed({ ...aDiff, missing: "gone", files: [] }, { missing: "gone", files: [], subject: null, at: null }), CHANGES),
  scene(
    "queued",
    aReviewingLoop({ queue_position: 2, stages: [{ reviewers: [aReviewer(), aReviewer({ name: "sam", status: "outdated", verdict: "approve", head_sha: sha("1c07a9e") })] }] }),
    { session: aSession({ engine: { slots: 3, working: 3, queued: 4, process: null, elsewhere: false } }) },
  ),
  scene(
    "waits-for-person",
    aReviewingLoop({
      blocker: { code: "changes_requested", args: {}, text: "@ana requested changes; everything has been answered, waiting for a new review", needs_person: true },
      stages: [
        { reviewers: [aReviewer({ name: "rules", kind: "rules", status: "reviewed", verdict: "approve", head_sha: sha("4be81d0") })] },
        { reviewers: [aReviewer({ name: "ana", kind: "human", status: "outdated", verdict: "request_changes", head_sha: sha("1c07a9e") })] },
      ],
      current_stage: 1,
    }),
  ),
  scene("fixing", fixing),
  scene("work-model", aReviewingLoop(), atWork(aWorker({ recent: toldByModel }))),
  scene("work-model-timeline", aReviewingLoop(), atWork(aWorker({ recent: toldByModel })), TIMELINE),
  scene("work-fixer", fixing, atWork(aBusyFixer())),
  scene("work-fixer-timeline", fixing, atWork(aBusyFixer()), TIMELINE),
  scene("work-three", three, atWork(...threeAtWork())),
  scene("work-three-timeline", three, atWork(...threeAtWork()), TIMELINE),
  scene(
    "auto-merge",
    aReviewingLoop({
      state: "pr_created",
      blocker: {
        code: "auto_merge",
        args: {},
        text: "ana turned on auto-merge; Collie waits until it is off, so as not to complete the merge",
        needs_person: true,
      },
    }),
  ),
  scene("verify-untrusted", anUntrustedLoop()),
  scene("trust-commands", anUntrustedLoop(), {}, [["[role=group] button:first-child"]]),
  scene("author-not-allowed", aDeniedLoop()),
  scene("allow-author", aDeniedLoop(), {}, [["[role=group] button:first-child"]]),
  scene("budget", anOverBudgetLoop()),
  scene("unseen", anUnseenLoop()),
  scene("seen", anUnseenLoop(), {}, [["[role=group] button:first-child"]]),
  scene("description", aReviewingLoop(), { description: { text: someDescription } }, [["header button[aria-expanded=false]:not([aria-haspopup])"]]),
  scene("people", aReviewingLoop({ people: [{ login: "ana", verdict: "request_changes", head_sha: sha("1c07a9e"), at: ago(20) }, { login: "lea", verdict: "approve", head_sha: sha("4be81d0"), at: ago(5) }] })),
  scene("ready-unproven", anUnprovenLoop()),
  scene("ready-opened", anUnprovenLoop(), {}, [["[role=tabpanel] button[aria-expanded=false]"], ["li li button[aria-expanded=false], ul.divide-y > li > button[aria-expanded=false]"]]),
  scene("dismiss", oneStuck, {}, [["[role=group] > button"]]),
  scene("dismiss-choose", aStoppedLoop(), {}, [["[role=group] > button"]]),
  scene("note", oneStuck, {}, [["[role=group] > button:nth-child(2)"]]),
  scene("more-rounds", aStoppedLoop({ iteration: 5, rounds: fiveRounds, error: { code: "iterations_spent", message: "5 rounds are spent, and 2 findings still stand", hints: ["Fix what is listed, push it, then choose “Resume”: Collie continues from your commit."] } })),
  scene("dismissed", aReviewingLoop({ findings: [aFinding({ status: "dismissed", can_dismiss: false, dismissal: { by: "ana", reason: "The region is part of the tenant's id since the last migration.", at: ago(4) } })] }), {}, FIRST_FINDING),
  scene("observing", anObservedLoop(), { repositories: [aRepository({ autonomy: "observe" })] }, [["details:first-of-type > summary"]]),
  scene("raise", anObservedLoop(), { repositories: [aRepository({ autonomy: "observe" })] }, [["footer [role=group] button:first-child"]]),
  scene("awaiting-approval", anAskingLoop(), changed()),
  scene("approve", anAskingLoop(), {}, [["[role=group] button:first-child"]]),
  scene("reject", anAskingLoop(), {}, [["[role=group] button:nth-child(2)"]]),
  scene("ready", ready, { ...changed(), merge_offer: offer }),
  scene("merge", ready, { ...changed(), merge_offer: offer }, [["footer [role=group] button:first-child"]]),
  scene("ready-browser", ready, { session: aSession({ can_merge: false }) }),
  scene(
    "merge-refused",
    ready,
    {
      ...changed(),
      merge_offer: {
        ...offer,
        refusal: { code: "checks_not_green", message: "Its checks are not green: e2e failed.", hints: ["Wait for them, or run them again on GitHub."] },
      },
    },
    [["footer [role=group] button:first-child"]],
  ),
  scene(
    "merge-fails",
    { ...ready, base_ref: LONG_BASE },
    {
      ...changed(),
      merge_offer: { ...offer, base_ref: LONG_BASE },
      merge: aProblem("head_moved", "Somebody pushed 77aa001 meanwhile; nothing was merged.", ["Look at what was pushed, then merge once it is ready again."]),
    },
    MERGE,
  ),
  scene("merge-done", ready, { ...changed(), merge_offer: offer, merge: { sha: sha("c0ffee1"), by: "kim" } }, MERGE),
  scene("retry", oneStuck, {}, [["footer [role=group] button:nth-child(2)"]]),
  scene("resume", oneStuck, {}, [["footer [role=group] button:first-child"]]),
  scene("needs-human", aStoppedLoop()),
  scene(
    "failed",
    aStoppedLoop({
      state: "failed",
      can_resume: false,
      ci: { ...greenChecks, status: "pending", passed: 6, running: 1, checks: [anOpenCheck("e2e", "in_progress"), ...greenChecks.checks.slice(0, 6)] },
      error: {
        code: "ci_timeout",
        message: "The check e2e did not finish in time",
        hints: ["Look at the logs of those checks: they may hang, or be waiting for a runner.", "Rerun them, then retry."],
      },
    }),
  ),
  scene("merged", { ...ready, state: "merged", blocker: null, merge_type: "approved", can_merge: false, can_cancel: false, next_poll_at: null }),
  scene("closed", aReviewingLoop({ stages: looked, state: "closed", blocker: null, can_cancel: false, can_retry: true, next_poll_at: null })),
  scene("cancelled", aReviewingLoop({ stages: looked, state: "cancelled", blocker: null, can_cancel: false, can_retry: true, next_poll_at: null })),
  scene("duplicated", aReviewingLoop({ duplicated_posts: 1 })),
  scene("earlier-runs", aReviewingLoop({ findings: [], rounds: [] }), { earlier_runs: someEarlierRuns() }, [["section:last-of-type > ul > li:first-child > button[aria-expanded=false]"]]),
  scene(
    "many",
    aReviewingLoop({
      title:
        "A title that a person wrote who had much to say: replace_the_whole_of_the_tenant_lookup_with_something_that_scales and then tell everybody about it at length",
      findings: manyFindings(200),
      rounds: fiveRounds,
      ci: { ...greenChecks, passed: 40, checks: Array.from({ length: 40 }, (_, index) => aCheck(`test shard ${index + 1} of 40`, index < 12 ? "failure" : "success")), failed: 12 },
    }),
  ),
  noLoop("plain", aPull()),
  noLoop("draft", aPull({ draft: true, skip_reason: "Draft", labels: ["dependencies", "security"] })),
  noLoop("auto-merge", aPull({ auto_merge: true, skip_reason: "Auto-merge is on: switch it off to let Collie work" })),
  noLoop("passed-by", aPull({ skip_reason: "Its author renovate is not among those that the repository's settings name" })),
  scene("none-gone", aReviewingLoop({ key }), { loops: LOOPS, listing: aListing({ pulls: [] }) }),
  scene("none-problem", aReviewingLoop({ key }), {
    loops: LOOPS,
    listing: aProblem("unreachable", "GitHub does not answer.", ["Try again once the network is back."]),
  }),
];
