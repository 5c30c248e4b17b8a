import type {
  DemoView,
  FindingView,
  IssueLine,
  ListingView,
  LoopView,
  ModelKeyView,
  PullLine,
  RepositoryView,
  SessionView,
  SettingField,
  SettingsView,
  WorkerView,
} from "../generated/wire";

/** A time before now, as the wire writes it. */
export function ago(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toISOString();
}

/** A commit id that begins with some digits. */
export function sha(start: string): string {
  return start.padEnd(40, "0");
}

/** A signed-in session whose engine runs, with nothing wrong. */
export function aSession(changes: Partial<SessionView> = {}): SessionView {
  return {
    phase: "running",
    account: { login: "kim", host: "github.com", source: "gh", allowed: true, missing_scopes: [] },
    credentials: { gh_installed: true, token: "gh", login: "kim", keychain: true },
    demo: null,
    engine: { slots: 3, working: 0, queued: 0, process: null, elsewhere: false },
    pause: null,
    connection: { status: "ok", until: null },
    quota: { left: 4812, limit: 5000, resets_at: ago(-42) },
    problem: null,
    language: "en",
    theme: "light",
    can_merge: true,
    server: false,
    device_sign_in: false,
    rights: { operate: true, own_machine: true },
    version: "0.1.0",
    data_folder: "/home/kim/.local/share/collie",
    ...changes,
  };
}

/** The demo with its five scenarios. */
export function aDemo(started: string[] = []): DemoView {
  return {
    scenarios: ["clean", "fix-loop", "ci-red", "stuck", "human"].map((name, index) => ({
      name,
      key: `acme/demo#${index + 1}`,
      started: started.includes(name),
    })),
  };
}

/** A loop that waits for checks. */
export function aLoop(changes: Partial<LoopView> = {}): LoopView {
  const loop: LoopView = {
    key: "acme/api#480",
    host: "github.com",
    run_id: "run-1",
    correlation_id: "run-1",
    title: "Retry webhook delivery with jitter",
    author: "kim",
    url: "https://github.com/acme/api/pull/480",
    state: "pr_awaiting_checks",
    attention: "working",
    iteration: 0,
    max_iterations: 5,
    head_sha: sha("9f3c2ab"),
    base_ref: "main",
    head_ref: "webhook-jitter",
    size: { files: 2, additions: 24, deletions: 3 },
    started_at: ago(12),
    updated_at: ago(4),
    elapsed_ms: 760_000,
    queue_position: null,
    branch_holder: null,
    workers: [],
    autonomy: "push",
    held: [],
    held_push: null,
    blocker: {
      code: "checks_running",
      args: { open: 2, total: 7, names: "build, e2e" },
      text: "2 of 7 checks not finished: build, e2e",
      needs_person: false,
    },
    next_poll_at: ago(-1),
    throttle: null,
    duplicated_posts: 0,
    ci: {
      status: "pending",
      passed: 5,
      failed: 0,
      running: 2,
      checks: [
        { name: "unit", status: "completed", conclusion: "success", outcome: "passed", url: "https://github.com/acme/api/runs/1" },
        { name: "build", status: "in_progress", conclusion: null, outcome: "running", url: "https://github.com/acme/api/runs/2" },
      ],
    },
    bots: [],
    current_stage: 0,
    stages: [
      {
        reviewers: [
          { name: "rules", kind: "rules", status: "waiting", verdict: null, head_sha: null, findings: 0, escalations: [], at: null, linters: [] },
        ],
      },
    ],
    consensus: null,
    people: [],
    coverage: null,
    proof: null,
    findings: [],
    rounds: [],
    usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
    usage_all_runs: null,
    can_cancel: true,
    can_retry: false,
    can_resume: false,
    can_merge: false,
    merge_type: null,
    error: null,
    ...changes,
  };
  return { ...loop, attention: changes.attention ?? standingOf(loop) };
}

/** As Rust says it (crates/wire/src/settled.rs): a fixture that changes the state need not say both. */
function standingOf({ state, blocker }: LoopView): LoopView["attention"] {
  if (state === "merged" || state === "closed" || state === "cancelled") return "over";
  if (state === "needs_human" || state === "failed") return "needs_you";
  if (state === "pr_ready_to_merge") return "ready";
  return blocker?.needs_person ? "needs_you" : "working";
}

/** A model that writes its answer. */
export function aWorker(changes: Partial<WorkerView> = {}): WorkerView {
  return { name: "quinn", runs_on: "claude-sonnet-4-5", since: ago(1.2), text: "Writing its answer", spent: null, recent: [], ...changes };
}

/** A loop that is ready, with its proof. */
export function aReadyLoop(changes: Partial<LoopView> = {}): LoopView {
  const head = sha("9f3c2ab");
  return aLoop({
    key: "acme/api#477",
    title: "Stream exports instead of buffering them in memory",
    state: "pr_ready_to_merge",
    iteration: 2,
    head_sha: head,
    blocker: { code: "awaiting_merge", args: {}, text: "Ready: a person decides whether to merge", needs_person: true },
    ci: { status: "passed", passed: 11, failed: 0, running: 0, checks: [] },
    bots: [{ login: "coderabbitai", id: 136622811, verified: true, status: "reviewed", until: null }],
    consensus: "approve",
    proof: {
      head_sha: head,
      checks: Array.from({ length: 11 }, (_, index) => ({ name: `check ${index + 1}`, conclusion: "success" })),
      verdicts: [
        { name: "rules", kind: "rules", verdict: "approve", head_sha: head, findings: 0 },
        { name: "ana", kind: "human", verdict: "approve", head_sha: head, findings: 0 },
      ],
      unread: false,
      threads: [],
      iterations: 2,
      fixed: [{ title: "Lock held across await", commit: sha("4be81d0") }],
      suggestions: [],
      usage: { input_tokens: 12_300, output_tokens: 1_100, cost_usd: 0.09 },
      elapsed_ms: 1_560_000,
    },
    can_merge: true,
    ...changes,
  });
}

/** A P1 finding of the rules, open. */
export function aFinding(changes: Partial<FindingView> = {}): FindingView {
  return {
    fingerprint: "f1",
    status: "open",
    introduced_by_fix: false,
    first_round: 1,
    last_round: 1,
    fixed_in: [],
    rejection: null,
    id: "R1",
    priority: "P1",
    category: "security",
    file: "auth/cache.rs",
    line: 88,
    title: "Cache key leaves out the tenant's region",
    description: "Two tenants of different regions share an entry.",
    suggestion: null,
    source: { type: "rules", name: "rules", reviewId: null, timestamp: ago(8) },
    kind: "error",
    confidence: 0.9,
    evidence: null,
    can_dismiss: true,
    has_page: true,
    ...changes,
  };
}

/** A pull request without a loop. */
export function aPull(changes: Partial<PullLine> = {}): PullLine {
  const number = changes.number ?? 468;
  return {
    key: `acme/api#${number}`,
    number,
    title: "Bump openssl",
    author: "renovate",
    mine: false,
    by_agent: false,
    draft: false,
    auto_merge: false,
    head_ref: "bump-openssl",
    base_ref: "main",
    labels: [],
    updated_at: ago(1500),
    skip_reason: null,
    would_start: true,
    left_out: false,
    ...changes,
  };
}

/** An open issue. */
export function anIssue(changes: Partial<IssueLine> = {}): IssueLine {
  const number = changes.number ?? 31;
  return {
    key: `acme/api#${number}`,
    number,
    title: "Exports time out over 2 GB",
    author: "ana",
    mine: false,
    labels: ["bug"],
    comments: 4,
    updated_at: ago(3000),
    ...changes,
  };
}

/** What is open in acme/api. */
export function aListing(changes: Partial<ListingView> = {}): ListingView {
  return {
    pulls: [
      aPull({ number: 480, title: "Retry webhook delivery with jitter", author: "kim", mine: true, updated_at: ago(4) }),
      aPull({ auto_merge: true, skip_reason: "Auto-merge is on: switch it off to let Collie work" }),
    ],
    issues: [anIssue()],
    open_issues: 1,
    truncated: false,
    read_at: ago(1),
    problem: null,
    ...changes,
  };
}

/** A repository of the sidebar. */
export function aRepository(changes: Partial<RepositoryView> = {}): RepositoryView {
  return { name: "acme/api", auto_review: false, autonomy: "push", chosen: true, may_write: true, loops: 0, problem: null, ...changes };
}

/** A setting. */
export function aSetting(changes: Partial<SettingField> & Pick<SettingField, "key">): SettingField {
  return { group: "general", kind: { type: "toggle" }, value: true, default: true, source: "default", variable: null, ...changes };
}

/** Settings with language and theme. */
export function aSettings(changes: Partial<SettingsView> = {}): SettingsView {
  return {
    file: "/home/kim/.config/collie/config.toml",
    fields: [
      aSetting({ key: "language", kind: { type: "choice", options: ["system", "en", "fr"] }, value: "system", default: "system" }),
      aSetting({ key: "theme", kind: { type: "choice", options: ["system", "light", "dark"] }, value: "system", default: "system" }),
    ],
    problems: [],
    ...changes,
  };
}

/** Where a model's key is: nowhere, with a keychain that would take one. */
export function aModelKey(changes: Partial<ModelKeyView> = {}): ModelKeyView {
  return {
    provider: "anthropic",
    host: null,
    source: "missing",
    name: null,
    variables: ["ANTHROPIC_API_KEY", "LLM_API_KEY"],
    editable: true,
    stored: false,
    problem: null,
    ...changes,
  };
}
