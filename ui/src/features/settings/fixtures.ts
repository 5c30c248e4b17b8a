import type { BotSetting, PersonaOption, RepositorySetting, SettingField, SettingGroup, SettingKind, SettingsView } from "../../generated/wire";
import { aSetting } from "../../test";

const duration: SettingKind = { type: "duration" };
const number = (min: number, max: number): SettingKind => ({ type: "number", min, max });

function bot(login: string, id: number): BotSetting {
  return { login, id, shipped: true };
}

/** The bots that ship with Collie, as `crates/app/src/config/bots.toml` has them. */
const BOTS: BotSetting[] = [
  bot("coderabbitai", 136622811),
  bot("cursor", 206951365),
  bot("copilot-pull-request-reviewer", 175728472),
  bot("chatgpt-codex-connector", 199175422),
  bot("gemini-code-assist", 176961590),
  bot("greptile-apps", 165735046),
  bot("sourcery-ai", 58596630),
  bot("codecov", 22429695),
  bot("dependabot", 49699333),
];

export const REPOSITORIES: RepositorySetting[] = [
  { name: "acme/api", auto_pr_review_enabled: true, authors: ["kim", "ana"], labels: [], base_branches: ["main"], read_from: [], unsandboxed: false, autonomy: null, except: [] },
  { name: "acme/web", auto_pr_review_enabled: false, authors: [], labels: ["good first issue"], base_branches: [], read_from: [], unsandboxed: false, autonomy: null, except: [] },
  { name: "acme/infrastructure-as-code-for-every-region", auto_pr_review_enabled: false, authors: [], labels: [], base_branches: [], read_from: [], unsandboxed: false, autonomy: null, except: [] },
];

const PROVIDERS = ["openai", "anthropic", "gemini", "ollama", "compatible"];
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const AGENTS = ["claude-code", "codex", "gemini", "opencode", "goose"];

/** Who can be put into a stage; what they run on is told by `runs_on`. */
export function offered(runs_on: string | null): PersonaOption[] {
  return [
    { name: "priya", title: null, runs_on, default_escalates_to: [] },
    { name: "quinn", title: null, runs_on, default_escalates_to: ["sam"] },
    { name: "sam", title: null, runs_on, default_escalates_to: [] },
    { name: "ada", title: "accessibility reviewer", runs_on, default_escalates_to: [] },
  ];
}

/** A model, an agent of one's own, and who runs on them. */
export const MODELS: Record<string, Partial<SettingField>> = {
  "llm.provider": { value: "anthropic", source: "file" },
  "llm.model": { value: "claude-sonnet-4-5", source: "file" },
  "llm.temperature": { value: 0.2, source: "file" },
  "llm.effort": { value: "high", source: "file" },
  "llm.fallback": { value: ["spare"], source: "file" },
  models: { value: [{ name: "spare", model: "gpt-6-sol", provider: "openai", effort: "low" }], source: "file" },
  "fixer.runs_on": { value: "codex", source: "file" },
  "fixer.by_author": { value: [{ login: "claude-bot", runs_on: "claude-code" }, { login: "kim", runs_on: "house-agent" }], source: "file" },
  reviewers: {
    kind: { type: "personas", options: ["llm", ...AGENTS, "house-agent"], personas: offered("llm"), providers: PROVIDERS, efforts: EFFORTS },
    value: [{ name: "ada", runs_on: "house-agent", model: null, escalates_to: null }, { name: "sam", runs_on: "llm", model: "claude-opus-4-5", escalates_to: null }],
    source: "file",
  },
  agents: {
    value: [{ name: "house-agent", command: ["house-agent", "--acp", "--profile", "quiet and careful"], env: ["HOUSE_TOKEN"], hosts: ["models.house.example"], readable: [], state: [], model: "house-large", effort: "high" }],
    source: "file",
  },
};

const RULES = [{ reviewers: [{ name: "rules", kind: "rules" }] }];

type Row = [key: string, kind: SettingKind, value: unknown, at?: unknown];

const ROWS: Record<SettingGroup, Row[]> = {
  general: [
    ["language", { type: "choice", options: ["en", "fr"] }, "en"],
    ["desktop.theme", { type: "choice", options: ["system", "light", "dark"] }, "system"],
    ["desktop.notifications", { type: "toggle" }, true],
    ["desktop.keep_running", { type: "toggle" }, true],
    ["desktop.new_repositories", { type: "choice", options: ["observe", "ask", "push"] }, "observe"],
  ],
  accounts: [
    ["allowed_users", { type: "logins" }, [], ["kim"]],
    ["github_account", { type: "text" }, null],
    ["github_api_url", { type: "text" }, "https://api.github.com"],
  ],
  repositories: [
    ["repositories", { type: "repositories" }, [], REPOSITORIES],
    ["ignore_label", { type: "text" }, "collie:ignore"],
  ],
  panel: [
    ["stages", { type: "stages", personas: offered(null), persona_problems: [] }, RULES],
    ["strictness", { type: "choice", options: ["permissive", "balanced", "strict"] }, "balanced"],
    ["unseen", { type: "choice", options: ["block", "tell"] }, "block"],
    ["comment_threshold", { type: "fraction" }, 0.7],
    ["max_comments", number(0, 100), 20],
  ],
  models: [
    ["llm.provider", { type: "choice", options: PROVIDERS }, null],
    ["llm.model", { type: "text" }, null],
    ["llm.url", { type: "text" }, null],
    ["llm.key_variable", { type: "text" }, null],
    ["llm.key_command", { type: "program" }, null],
    ["llm.effort", { type: "choice", options: EFFORTS }, null],
    ["llm.temperature", { type: "decimal", max: 2 }, null],
    ["llm.max_tokens", number(256, 200_000), 8_000],
    ["llm.context_tokens", number(2_000, 2_000_000), 60_000],
    ["llm.headers", { type: "headers" }, null],
    ["llm.fallback", { type: "model_names" }, null],
    ["models", { type: "models", providers: PROVIDERS, efforts: EFFORTS }, []],
    ["fixer.runs_on", { type: "runner", options: ["rules", ...AGENTS] }, "rules"],
    ["fixer.by_author", { type: "authors", options: ["rules", ...AGENTS] }, []],
    ["reviewers", { type: "personas", options: ["llm", ...AGENTS], personas: offered(null), providers: PROVIDERS, efforts: EFFORTS }, []],
    ["agents", { type: "agents", known: AGENTS, efforts: EFFORTS }, []],
    ["mcp", { type: "mcp_servers", transports: ["http", "sse"], roles: ["fixer", "reviewers"] }, []],
  ],
  limits: [
    ["budget.per_pull_request_usd", { type: "decimal", max: 1_000_000 }, null, 5],
    ["budget.per_day_usd", { type: "decimal", max: 1_000_000 }, null],
    ["budget.total_usd", { type: "decimal", max: 1_000_000 }, null],
    ["budget.per_pull_request_tokens", number(1_000, 4_294_967_295), null],
    ["budget.per_day_tokens", number(1_000, 4_294_967_295), null],
    ["budget.total_tokens", number(1_000, 4_294_967_295), null],
    ["max_pr_review_iterations", number(1, 50), 5],
    ["slots", number(1, 64), 3],
    ["ci_check_timeout", duration, "30m", "45m"],
    ["external_bot_timeout", duration, "15m"],
    ["poll_interval", duration, "1m"],
    ["ready_poll_interval", duration, "5m"],
    ["collect_failures_for", duration, "5m"],
    ["no_checks_grace", duration, "1m"],
    ["max_restarts", number(1, 1000), 20],
    ["disk.checkout_mb", number(1, 1_048_576), 2048],
    ["disk.checkout_files", number(1, 100_000_000), 500_000],
    ["disk.sandbox_mb", number(1, 1_048_576), 20_480],
    ["disk.replay_days", number(0, 3650), 30],
    ["session_retries", number(0, 10), 3],
  ],
  rules: [["fix", { type: "toggle" }, true], ["fix_suggestions", { type: "toggle" }, false], ["merge_base", { type: "choice", options: ["off", "clean", "agent"] }, "off"], ["linters", { type: "toggle" }, true], ["verify.prepare", { type: "text" }, null], ["verify.prepare_hosts", { type: "texts" }, []], ["verify.commands", { type: "texts" }, [], ["cargo fmt --check", "cargo test --workspace"]]],
  bots: [
    ["bots", { type: "bots" }, BOTS, [...BOTS, { login: "acme-reviewer", id: 98765432, shipped: false }]],
    ["expected_bots", { type: "logins" }, [], ["coderabbitai"]],
    ["ignored_checks", { type: "texts" }, []],
  ],
};

/** Every setting there is; `changes` are put onto the fields of these keys. */
export function allSettings(changes: Record<string, Partial<SettingField>> = {}, problems: SettingsView["problems"] = []): SettingsView {
  const fields = (Object.keys(ROWS) as SettingGroup[]).flatMap((group) =>
    ROWS[group].map(([key, kind, usual, value]) =>
      aSetting({
        key,
        group,
        kind,
        value: value ?? usual,
        default: usual,
        source: value === undefined ? "default" : "file",
        ...changes[key],
      }),
    ),
  );
  return { file: "/home/kim/.local/share/collie/config.toml", fields, problems };
}
