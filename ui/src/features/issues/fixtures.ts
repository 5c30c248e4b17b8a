import type { Answers, ConnectionView, ErrorView, LoopView, SessionView } from "../../generated/wire";
import {
  aDemo,
  aFinding,
  ago,
  aListing,
  aLoop,
  anIssue,
  aPull,
  aReadyLoop,
  aRepository,
  aSession,
  aWorker,
  fakeHost,
  sha,
  type FakeAnswers,
  type FakeHost,
} from "../../test";

/** Six pull requests of acme/api, each in another place. */
export const LOOPS: LoopView[] = [
  aLoop({
    key: "acme/api#482",
    title: "Cache tenant lookups in the auth middleware",
    state: "pr_reviewing",
    iteration: 2,
    head_sha: sha("4be81d0"),
    blocker: { code: "reviewing", args: { names: ["Quinn", "Sam"] }, text: "Under review by Quinn and Sam", needs_person: false },
    updated_at: ago(12),
    ci: { status: "passed", passed: 7, failed: 0, running: 0, checks: ["unit", "build"].map((name) => ({ name, status: "completed", conclusion: "success", outcome: "passed", url: null })) },
    stages: [{ reviewers: ["quinn", "sam"].map((name) => ({ name, kind: "agent", status: "reviewing", verdict: null, head_sha: null, findings: 0, escalations: [], at: null, linters: [] })) }],
    findings: [aFinding({ source: { type: "agent", name: "quinn", reviewId: null, timestamp: ago(3) } })],
  }),
  aLoop({ updated_at: ago(4) }),
  aLoop({
    key: "acme/api#479",
    title: "Drop the legacy session table",
    state: "pr_awaiting_checks",
    iteration: 1,
    updated_at: ago(62),
    blocker: {
      code: "changes_requested",
      args: { logins: ["ana"] },
      text: "@ana requested changes; everything has been answered, waiting for a new review",
      needs_person: true,
    },
  }),
  aReadyLoop({ updated_at: ago(26) }),
  aLoop({
    key: "acme/api#471",
    title: "Replace the date parser",
    state: "needs_human",
    iteration: 3,
    updated_at: ago(130),
    blocker: null,
    can_cancel: false,
    can_retry: true,
    can_resume: true,
    error: {
      code: "stuck",
      message: "1 finding came back after it was fixed, and nothing else is left to fix",
      hints: ["Agree on what it should be before anything is pushed again."],
    },
  }),
  aLoop({
    key: "acme/web#88",
    title: "Move the settings page to the new router",
    state: "pr_created",
    queue_position: 1,
    blocker: null,
    updated_at: ago(2),
  }),
  aLoop({
    key: "acme/web#85",
    title: "Fix the focus ring of the date picker",
    state: "pr_fixing",
    iteration: 1,
    updated_at: ago(1),
    blocker: { code: "fixing", args: { count: 3 }, text: "Fixing 3 findings", needs_person: false },
  }),
];

/** What acme/api lists of them. */
export const LISTING = aListing({
  pulls: [
    ...LOOPS.filter((loop) => loop.key.startsWith("acme/api")).map((loop) =>
      aPull({ number: Number(loop.key.split("#")[1]), title: loop.title, author: "kim", mine: loop.key !== "acme/api#479", by_agent: loop.key === "acme/api#480" }),
    ),
    aPull({ auto_merge: true, skip_reason: "Auto-merge is on: switch it off to let Collie work" }),
    aPull({ number: 466, title: "Try another allocator", author: "ana", draft: true, skip_reason: "Draft", head_ref: "ana/allocator", updated_at: ago(4400) }),
    aPull({ number: 461, title: "Describe the retry policy", author: "lee", head_ref: "docs/retries", updated_at: ago(7300) }),
  ],
  issues: [anIssue(), anIssue({ number: 29, title: "Login loops when the clock is wrong", author: "lee", labels: [], comments: 1 })],
  open_issues: 14,
});

/** What a host answers whose session differs from the usual in some way. */
export function answersWith(session: Partial<SessionView> = {}, more: FakeAnswers = {}): FakeAnswers {
  const loops = Array.isArray(more.loops) ? more.loops : LOOPS;
  return {
    session: aSession({ engine: { slots: 3, working: 3, queued: 1, process: null, elsewhere: false }, ...session }),
    loops,
    repositories: [
      aRepository({ auto_review: true, loops: 5 }),
      aRepository({ name: "acme/web", loops: 2 }),
      aRepository({ name: "acme/infra" }),
    ],
    listing: LISTING,
    activities: [{ key: "acme/api#482", workers: [aWorker(), aWorker({ name: "sam", runs_on: "codex 0.169.0", text: "Reads src/auth/middleware.rs" })] }],
    ...more,
  };
}

/** A host whose session differs from the usual in some way. */
export function hostWith(session: Partial<SessionView> = {}, more: FakeAnswers = {}): FakeHost {
  return fakeHost({ answers: answersWith(session, more) });
}

/** A way GitHub answers. */
export function connection(status: ConnectionView["status"], minutes: number | null = null): Partial<SessionView> {
  return { connection: { status, until: minutes === null ? null : ago(-minutes) } };
}

/** A repository that vanished. */
export const GONE: ErrorView = {
  code: "not_found",
  message: "GitHub does not find acme/infra for @kim",
  hints: ["Check that it exists and that the account can still see it."],
};

/** Many loops of one repository, in every state, with titles of all lengths. */
export function manyLoops(count: number): LoopView[] {
  return Array.from({ length: count }, (_, nth) => {
    const from = LOOPS[nth % 5];
    if (!from) throw new Error("there are five");
    const title = nth % 7 === 0 ? `${from.title} and everything that has ever depended on it, directly or indirectly, in any of the services ${nth}` : `${from.title} ${nth}`;
    return { ...from, key: `acme/api#${1000 + nth}`, title };
  });
}

/** The listing of them. */
export function listingOf(loops: LoopView[]): Answers["listing"] {
  return aListing({ pulls: loops.map((loop) => aPull({ number: Number(loop.key.split("#")[1]), title: loop.title })), truncated: true });
}

/** A session of the demo. */
export const DEMO: Partial<SessionView> = {
  account: { login: "you", host: "127.0.0.1", source: "demo", allowed: true, missing_scopes: [] },
  demo: aDemo(["clean", "fix-loop"]),
  quota: null,
};
