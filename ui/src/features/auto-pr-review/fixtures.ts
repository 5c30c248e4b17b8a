import type { CheckConclusion, CheckLine, CheckOutcome, EarlierRunView, ExcerptView, FindingView, LoopView, Priority, ReviewerView, State, TimelineLine, WorkerView } from "../../generated/wire";
import { aFinding, ago, aLoop, aReadyLoop, aWorker, sha } from "../../test/fixtures";

/** A check that is done. */
export function aCheck(name: string, conclusion: CheckConclusion): CheckLine {
  const outcomes: Partial<Record<CheckConclusion, CheckOutcome>> = { success: "passed", neutral: "passed", skipped: "passed", action_required: "needs_action" };
  return { name, status: "completed", conclusion, outcome: outcomes[conclusion] ?? "failed", url: `https://ci.example/${name}` };
}

/** A check that is not done. */
export function anOpenCheck(name: string, status: "queued" | "in_progress" | "missing"): CheckLine {
  return { name, status, conclusion: null, outcome: "running", url: status === "missing" ? null : `https://ci.example/${name}` };
}

/** A reviewer who has not begun. */
export function aReviewer(changes: Partial<ReviewerView> = {}): ReviewerView {
  return { name: "quinn", kind: "agent", status: "waiting", verdict: null, head_sha: null, findings: 0, escalations: [], at: null, linters: [], ...changes };
}

const names = ["unit", "lint", "build", "e2e", "docs", "audit", "types"];
/** Seven checks that passed. */
export const greenChecks: LoopView["ci"] = {
  status: "passed",
  passed: 7,
  failed: 0,
  running: 0,
  checks: names.map((name) => aCheck(name, "success")),
};

const head = sha("4be81d0");
const before = sha("1c07a9e");

/** A loop in its second review: an open finding, fixed ones, two reviewers at work. */
export function aReviewingLoop(changes: Partial<LoopView> = {}): LoopView {
  return aLoop({
    key: "acme/api#482",
    title: "Cache tenant lookups in the auth middleware",
    state: "pr_reviewing",
    iteration: 2,
    head_sha: head,
    blocker: { code: "reviewing", args: {}, text: "Under review by Quinn and Sam", needs_person: false },
    ci: greenChecks,
    bots: [
      { login: "coderabbitai", id: 136622811, verified: true, status: "reviewed", until: null },
      { login: "cursor", id: 206951365, verified: true, status: "out_of_quota", until: ago(-80) },
    ],
    stages: [
      {
        reviewers: [
          aReviewer({ status: "reviewing", verdict: "request_changes", head_sha: before, escalations: ["sam"], at: ago(6) }),
          aReviewer({ name: "sam", status: "reviewing" }),
        ],
      },
    ],
    consensus: "request_changes",
    findings: [
      aFinding({ source: { type: "agent", name: "quinn", reviewId: null, timestamp: ago(3) }, first_round: 2, last_round: 2 }),
      aFinding({
        fingerprint: "f2",
        priority: "P2",
        line: 41,
        title: "Lock held across await",
        status: "fixed",
        fixed_in: [head],
      }),
    ],
    rounds: [
      { iteration: 1, p0: 1, p1: 2, p2: 3, p3: 0, fixed: 5, rejected: 0, commit: before },
      { iteration: 2, p0: 0, p1: 1, p2: 0, p3: 0, fixed: 1, rejected: 0, commit: head },
    ],
    usage: { input_tokens: 11_200, output_tokens: 1_100, cost_usd: 0.09 },
    ...changes,
  });
}

/** A loop that stopped for a person, and what it can do. */
export function aStoppedLoop(changes: Partial<LoopView> = {}): LoopView {
  return aReviewingLoop({
    key: "acme/api#471",
    title: "Replace the date parser",
    state: "needs_human",
    blocker: null,
    next_poll_at: null,
    throttle: null,
    duplicated_posts: 0,
    elapsed_ms: 7_260_000,
    stages: [{ reviewers: [aReviewer({ status: "reviewed", verdict: "request_changes", head_sha: head, at: ago(9) })] }],
    findings: [
      aFinding({ status: "stuck", fixed_in: [before, head], last_round: 3, title: "Two-digit years are read as 1900s", file: "src/dates/parse.rs" }),
      aFinding({
        fingerprint: "f2",
        priority: "P2",
        status: "rejected",
        title: "Name the format constants",
        rejection: "They mirror the names of the standard.",
        rejection_text: "They mirror the names of the standard.",
      }),
      aFinding({ fingerprint: "f3", priority: "P2", status: "open", introduced_by_fix: true, title: "The new branch is never reached", line: 112 }),
      aFinding({ fingerprint: "f4", priority: "P3", status: "withdrawn", title: "Prefer a table", line: 9 }),
    ],
    error: {
      code: "stuck",
      message: "1 finding came back after it was fixed, and nothing else is left to fix",
      hints: [
        "Fix what is listed, push it, then choose “Resume”: Collie continues from your commit.",
        "If a finding is wrong, say so in its thread; people decide.",
      ],
    },
    can_cancel: false,
    can_retry: true,
    can_resume: true,
    ...changes,
  });
}

/** A loop that is ready, in full. */
export function aProvenLoop(changes: Partial<LoopView> = {}): LoopView {
  const ready = aReadyLoop();
  const at = sha("9f3c2ab");
  const approved = { status: "reviewed", verdict: "approve", head_sha: at, at: ago(2) } as const;
  return aReadyLoop({
    ci: greenChecks,
    stages: [{ reviewers: [aReviewer({ ...approved, name: "rules", kind: "rules" })] }, { reviewers: [aReviewer({ ...approved, name: "ana", kind: "human" })] }],
    current_stage: 1,
    findings: [
      aFinding({ priority: "P2", status: "fixed", fixed_in: [head], title: "Lock held across await", file: "export/stream.rs" }),
      aFinding({ fingerprint: "f2", priority: "P3", title: "The buffer size could be a constant", file: "export/stream.rs", line: 17 }),
    ],
    rounds: [
      { iteration: 1, p0: 0, p1: 1, p2: 2, p3: 1, fixed: 3, rejected: 0, commit: head },
      { iteration: 2, p0: 0, p1: 0, p2: 1, p3: 1, fixed: 1, rejected: 0, commit: at },
    ],
    usage: { input_tokens: 12_300, output_tokens: 1_100, cost_usd: 0.09 },
    proof: ready.proof && {
      ...ready.proof,
      checks: [...names.map((name) => ({ name, conclusion: "success" as const })), { name: "nightly", conclusion: "skipped" }],
      threads: [{ file: "export/stream.rs", settled: "resolved" }],
      suggestions: ["The buffer size could be a constant"],
    },
    ...changes,
  });
}

const deeds = [
  "Thinks",
  "Reads services/billing/src/cache.rs",
  "Reads services/billing/internal/adapters/persistence/postgres/migrations/v2026/ledger_entries_repository.rs",
  "Searches for tenant_region",
  "Reads Cargo.toml",
  "Runs cargo test -p billing --lib cache::tests::a_tenant_of_another_region_has_an_entry_of_its_own -- --nocapture",
  "Edits services/billing/src/cache.rs",
  "Edits services/billing/internal/adapters/persistence/postgres/migrations/v2026/ledger_entries_repository_of_regions.rs",
  "Thinks",
  "`cargo fmt --all`",
  "`cd services/billing && cargo clippy --all-targets`",
  "Edits services/billing/tests/cache.rs",
];

/** An agent that fixes, and did a dozen things by now, some of them with long paths. */
export function aBusyFixer(changes: Partial<WorkerView> = {}): WorkerView {
  return aWorker({
    name: "fixer",
    runs_on: "codex 0.169.0",
    since: ago(4.3),
    text: "Runs cargo test --workspace --all-targets --no-fail-fast -- --include-ignored",
    recent: deeds.map((text, index) => ({ at: ago(4.2 - index / 3), text })),
    ...changes,
  });
}

/** What a model did before it wrote. */
export const toldByModel = ["Gathering context", "Reading a prompt of 11,240 tokens", "Thinking"].map((text, index) => ({
  at: ago(1.2 - index / 3),
  text,
}));

/** Three reviewers side by side: two models and an agent with a long name. */
export function threeAtWork(): WorkerView[] {
  const read = deeds.slice(0, 6).map((text, index) => ({ at: ago(2 - index / 4), text }));
  return [
    aWorker({ recent: toldByModel }),
    aWorker({ name: "sam", runs_on: "claude-opus-4-5", since: ago(1.1), text: "Reading a prompt of 11,240 tokens", recent: toldByModel.slice(0, 1) }),
    aWorker({
      name: "accessibility-and-inclusion-reviewer",
      runs_on: "house-agent 2026.11.3-nightly+build.4711",
      since: ago(61),
      text: deeds[7] ?? "",
      recent: read,
    }),
  ];
}

const told = [
  "Cache entries are shared between tenants of different regions",
  "The retry loop never gives up when the server keeps answering 503 with a Retry-After header",
  "Error is swallowed",
  "A very long title that goes on and on, since the reviewer wanted to say everything about the unbounded_channel_of_pending_deliveries at once",
  "Magic number",
];
const files = ["src/a.rs", "services/billing/internal/adapters/persistence/postgres/migrations/v2026/ledger_entries_repository.rs", "web/src/App.tsx"];

/** So many findings, of all priorities and fates, in four rounds. */
export function manyFindings(count: number): FindingView[] {
  const fates = ["open", "fixed", "open", "rejected", "stuck", "fixed", "withdrawn"] as const;
  const one = (index: number) => {
    const round = 1 + (index % 4);
    const status = fates[index % fates.length] ?? "open";
    return aFinding({
      fingerprint: `many-${index}`,
      priority: `P${Math.min(3, Math.floor((index * 5) / count))}` as Priority,
      title: told[index % told.length] ?? "",
      file: files[index % files.length] ?? "",
      line: index + 1,
      status,
      first_round: round,
      last_round: round,
      fixed_in: status === "fixed" || status === "stuck" ? [head] : [],
      introduced_by_fix: index % 11 === 0,
    });
  };
  return Array.from({ length: count }, (_, index) => one(index));
}

/** An entry that says nothing beyond its words. */
export const aTimelineLine: TimelineLine = {
  seq: 1,
  at: ago(0),
  event: "observed",
  from: "pr_reviewing",
  to: "pr_reviewing",
  text: "GitHub was read",
  notes: [],
  quiet: false,
  waits_for: null,
  bots_awaited: null,
  review: null,
  pushed: null,
  worker: null,
  usage: null,
};

/** A journal of so many entries, over some days and two runs. */
export function aTimeline(count: number): TimelineLine[] {
  const cycle: { to: State; event: string; text: string; notes: string[] }[] = [
    { to: "pr_awaiting_checks", event: "observed", text: "Saw that 2 of 7 checks still run", notes: [] },
    { to: "pr_reviewing", event: "observed", text: "Saw that all checks passed, and asked Quinn for a review", notes: [] },
    { to: "pr_fixing", event: "review_finished", text: "Quinn requested changes: 3 findings", notes: ["1 finding became stuck"] },
    { to: "pr_awaiting_checks", event: "pushed", text: "Pushed the fix as 4be81d0", notes: [] },
  ];
  let from: State | null = null;
  return Array.from({ length: count }, (_, index): TimelineLine => {
    const half = index === Math.floor(count / 2);
    const step = half
      ? { to: "cancelled" as const, event: "cancel", text: "Cancelled by kim", notes: [] }
      : (cycle[index % cycle.length] ?? { to: "pr_created" as const, event: "observed", text: "", notes: [] });
    const line = { ...aTimelineLine, seq: index + 1, at: ago((count - index) * 37), event: step.event, from, to: step.to, text: step.text, notes: step.notes };
    from = step.to;
    return line;
  });
}

/** The code a finding is about, and its fix. */
export const someExcerpts: ExcerptView = {
  finding: [
    { kind: "context", old: 86, new: 86, text: "    fn key(&self, tenant: &Tenant) -> String {", marked: false },
    { kind: "removed", old: 87, new: null, text: '        tenant.id.to_string()', marked: false },
    { kind: "added", old: null, new: 87, text: "        // One entry for each tenant.", marked: false },
    { kind: "added", old: null, new: 88, text: '        format!("{}:{}", self.prefix, tenant.id.as_hyphenated().to_string().to_ascii_lowercase())', marked: true },
    { kind: "context", old: 88, new: 89, text: "    }", marked: false },
    { kind: "gap", old: null, new: null, text: "", marked: false },
    { kind: "context", old: 120, new: 121, text: "    fn forget(&mut self) {", marked: false },
  ],
  fix_commit: head,
  fix: [
    { kind: "removed", old: 88, new: null, text: '        format!("{}:{}", self.prefix, tenant.id)', marked: false },
    { kind: "added", old: null, new: 88, text: '        format!("{}:{}:{}", self.prefix, tenant.region, tenant.id)', marked: false },
  ],
};

/** A loop whose finished fix waits for the word about the repository's commands. */
export function anUntrustedLoop(): LoopView {
  return aReviewingLoop({
    state: "pr_fixing",
    blocker: {
      code: "verify_untrusted",
      args: { commands: ["npm run lint", "npm test -- --ci"] },
      text: "A fix is done and waits: nobody has said yet that the repository’s verify commands may run: `npm run lint` and `npm test -- --ci`",
      needs_person: true,
    },
  });
}

/** A loop of an author who has no write access and was not allowed. */
export function aDeniedLoop(): LoopView {
  return aReviewingLoop({
    author: "mallory",
    blocker: {
      code: "author_not_allowed",
      args: { login: "mallory", id: 66 },
      text: "@mallory has no write access: nothing is fixed until you allow the author or this pull request",
      needs_person: true,
    },
  });
}

/** A loop whose next question its budget does not pay for. */
export function anOverBudgetLoop(): LoopView {
  return aReviewingLoop({
    attention: "needs_you",
    blocker: {
      code: "budget",
      args: { scope: "pull_request", unit: "cost_micros" },
      text: "This pull request’s budget does not pay for the next question: $4.90 of $5.00 are spent or reserved, and it may cost up to $0.40. Raise the limit to continue.",
      needs_person: true,
    },
  });
}

/** A loop that waits until a person has looked at what no reviewer was shown. */
export function anUnseenLoop(): LoopView {
  return aReviewingLoop({
    blocker: {
      code: "unseen",
      args: { count: 2, names: ["src/schema.sql", "src/table.py"] },
      text: "No reviewer was shown all of 2 files; a person has to look at them: src/schema.sql and src/table.py",
      needs_person: true,
    },
    coverage: {
      unseen: [
        { path: "assets/logo.png", reason: "binary" },
        { path: "src/schema.sql", reason: "too_large" },
        { path: "src/table.py", reason: "nesting" },
      ],
      needing_look: 2,
      rules_only: ["src/routes.py"],
      seen_by: null,
    },
  });
}

/** A run of two rounds with a model, a bot and a push, minute by minute, up to ready. */
export function aLivedTimeline(): TimelineLine[] {
  const wait = (code: NonNullable<TimelineLine["waits_for"]>["code"], needs_person = false) => ({ waits_for: { code, needs_person } });
  const reviewed = (verdict: "approve" | "request_changes", head_sha: string, findings: number) => ({ reviewer: "quinn", kind: "agent" as const, verdict, head_sha, findings });
  const spent = (cost_usd: number, input_tokens: number) => ({ usage: { input_tokens, output_tokens: input_tokens / 10, cost_usd } });
  const entries: [minute: number, to: State, event: string, text: string, changes?: Partial<TimelineLine>][] = [
    [58, "pr_created", "created", "Loop started"],
    [57.8, "pr_awaiting_checks", "observed", "GitHub was read", { ...wait("checks_running"), bots_awaited: ["coderabbit"], quiet: true }],
    [54, "pr_awaiting_checks", "observed", "GitHub was read", { ...wait("bots_pending"), quiet: true }],
    [49, "pr_reviewing", "observed", "Checks passed; the review began", { ...wait("reviewing"), bots_awaited: [] }],
    [44, "pr_reviewing", "review_finished", `Quinn requested changes on ${before.slice(0, 7)}: 2 findings`, { review: reviewed("request_changes", before, 2), worker: "quinn", ...spent(0.05, 18_200) }],
    [43.9, "pr_fixing", "observed", "Changes are needed; the fix began", wait("fixing")],
    [40, "pr_fixing", "fixer_noted", "@kim told the fixer: Keep the public names."],
    [35, "pr_fixing", "fix_finished", "A fix was made", { worker: "fixer", ...spent(0.21, 64_000), notes: ["The fixer on claude-code 2.1, 9 edits, 64,000 tokens in, 6,400 out, $0.21"] }],
    [34.5, "pr_awaiting_checks", "pushed", `Pushed ${head.slice(0, 7)}`, { ...wait("awaiting_push"), pushed: head }],
    [34, "pr_awaiting_checks", "observed", "GitHub was read", { ...wait("checks_running"), bots_awaited: ["coderabbit"], quiet: true }],
    [30, "pr_awaiting_checks", "observed", "GitHub was read", { bots_awaited: [], quiet: true }],
    [28, "pr_reviewing", "observed", "Checks passed; the review began", wait("reviewing")],
    [25, "pr_reviewing", "review_finished", `Quinn approved ${head.slice(0, 7)}`, { review: reviewed("approve", head, 0), worker: "quinn", ...spent(0.04, 15_900) }],
    [24.9, "pr_ready_to_merge", "observed", "Ready to merge", wait("awaiting_merge", true)],
  ];
  let from: State | null = null;
  return entries.map(([minute, to, event, text, changes], index): TimelineLine => {
    const line = { ...aTimelineLine, seq: index + 1, at: ago(minute), event, from, to, text, ...changes };
    from = to;
    return line;
  });
}

/** A loop that only observes: what it would have posted and pushed waits. */
export function anObservedLoop(changes: Partial<LoopView> = {}): LoopView {
  return aReviewingLoop({
    state: "pr_fixing",
    attention: "needs_you",
    autonomy: "observe",
    blocker: {
      code: "observing",
      args: { count: 4 },
      text: "4 posts and pushes are held back. Raise the autonomy to send them.",
      needs_person: true,
    },
    held: [
      {
        kind: "review",
        place: null,
        body: "### Collie · Review 1\n\n**Request changes**: 1 finding is critical.\n\n- **P1** Lock held across await (`src/auth/middleware.rs:88`)\n\n<!-- pr-review-loop-marker -->\n<!-- collie-action:1f -->",
      },
      { kind: "inline", place: "src/auth/middleware.rs:88", body: "**P1** The lock is held across an await: two requests of one tenant wait for each other.\n\n<!-- collie-action:2f -->" },
      { kind: "reply", place: "src/auth/cache.rs:12", body: "Done in the commit that would be pushed.\n\n<!-- collie-action:3f -->" },
    ],
    held_push: { commit: sha("77aa01c"), head: sha("4be81d0"), files: ["src/auth/middleware.rs", "src/auth/cache.rs"], can_approve: false },
    ...changes,
  });
}

/** A loop whose commit waits for Approve or Reject. */
export function anAskingLoop(changes: Partial<LoopView> = {}): LoopView {
  return anObservedLoop({
    autonomy: "ask",
    blocker: {
      code: "awaiting_approval",
      args: { commit: sha("77aa01c"), count: 2, names: ["src/auth/middleware.rs", "src/auth/cache.rs"] },
      text: "2 changed files wait for your approval (77aa01c)",
      needs_person: true,
    },
    held: [],
    held_push: { commit: sha("77aa01c"), head: sha("4be81d0"), files: ["src/auth/middleware.rs", "src/auth/cache.rs"], can_approve: true },
    ...changes,
  });
}

/** Three runs that others have followed: one that was ready, one that stopped, and one from before the rest was kept. */
export function someEarlierRuns(): EarlierRunView[] {
  const { error, usage } = aStoppedLoop();
  const run = (number: number, changes: Partial<EarlierRunView>): EarlierRunView => ({
    run_id: `run-${number}`,
    number,
    started_at: ago(1440 * (5 - number)),
    ended_at: ago(1440 * (5 - number) - 31),
    state: "cancelled",
    kept: true,
    head_sha: before,
    error: null,
    proof: null,
    usage,
    ...changes,
  });
  return [
    run(3, { head_sha: sha("9f3c2ab"), proof: aProvenLoop().proof }),
    run(2, { state: "needs_human", error }),
    run(1, { state: "closed", kept: false, head_sha: null, usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 } }),
  ];
}
