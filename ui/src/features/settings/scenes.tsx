import type { DoctorLine, SessionView } from "../../generated/wire";
import { aDemo, aModelKey, aProblem, aSession, fakeHost, type FakeAnswers, type Scene } from "../../test";
import { ScriptedScene, type ScriptStep } from "../onboarding/ScriptedScene";
import { allSettings, MODELS, offered } from "./fixtures";
import { PAGES } from "./labels";
import { Settings } from "./Settings";

const DOCTOR: DoctorLine[] = [
  { code: "git", title: "git", status: "ok", text: "git version 2.47.3" },
  { code: "gh", title: "gh", status: "warning", text: "Not found. A token in GITHUB_TOKEN works too." },
  { code: "token", title: "Token", status: "ok", text: "kim on github.com" },
  { code: "allowed", title: "Allowed users", status: "bad", text: "Nobody may start loops: add a login to allowed_users in /home/kim/.local/share/collie/config.toml" },
  { code: "model", title: "Language model", status: "ok", text: "claude-sonnet-4-5 (anthropic)" },
  { code: "agent", title: "Coding agent", status: "ok", text: "Claude Code 2.0.31: logged in, ACP 1, resumes earlier sessions" },
  { code: "agent", title: "Coding agent", status: "ok", text: "Codex 0.58.0: logged in, ACP 1, resumes earlier sessions" },
  { code: "agent", title: "Coding agent", status: "warning", text: "Gemini CLI 0.16.0: not logged in, ACP 1" },
  { code: "sandbox", title: "Sandbox", status: "warning", text: "Neither Landlock nor bubblewrap found: verify commands run without a sandbox." },
  { code: "config", title: "Configuration", status: "ok", text: "/home/kim/.local/share/collie/config.toml" },
  { code: "quota", title: "Quota", status: "ok", text: "4,812 of 5,000 requests left until 14:27" },
  { code: "data", title: "Data folder", status: "ok", text: "/home/kim/.local/share/collie" },
];

function scene(name: string, group: string, answers: FakeAnswers = {}, session: Partial<SessionView> = {}, deeds: ScriptStep[] = []): Scene {
  return {
    name: `settings-${name}`,
    element: (
      <ScriptedScene steps={deeds}>
        <main className="h-full">
          <Settings group={group} onClose={() => undefined} />
        </main>
      </ScriptedScene>
    ),
    host: () => fakeHost({ answers: { settings: allSettings(), doctor: DOCTOR, session: aSession(session), ...answers } }),
    route: `/settings/${group}`,
  };
}

const ENVIRONMENT = {
  strictness: { value: "strict", source: "environment", variable: "REVIEW_STRICTNESS" },
  comment_threshold: { value: 0.55, source: "environment", variable: "COMMENT_THRESHOLD" },
  max_comments: { value: 5, source: "environment", variable: "MAX_COMMENTS" },
} as const;

const AVAILABLE = [
  { name: "acme/api", private: true, open_pulls: 12, chosen: true },
  { name: "acme/mobile", private: true, open_pulls: 4, chosen: false },
  { name: "kim/dotfiles", private: false, open_pulls: 0, chosen: false },
];

const STAGES = [
  { reviewers: [{ name: "rules", kind: "rules" }, { name: "ana", kind: "human" }] },
  { reviewers: [{ name: "a-person-with-a-rather-long-login", kind: "human" }] },
];

const NOTHING_FOUND: DoctorLine[] = [
  { code: "model", title: "Language model", status: "ok", text: "not set up; the rules and agents review without it" },
  { code: "agent", title: "Coding agent", status: "ok", text: "none found; the rules fix without one" },
];

const PERSONAS_STAGE = {
  reviewers: [
    { name: "quinn", kind: "agent" },
    { name: "sam", kind: "agent" },
    { name: "rules", kind: "rules" },
  ],
};

const LISTED = Array.from({ length: 500 }, (_, nth) => ({ name: `vendor/model-${nth + 1}`, title: `Model ${nth + 1}`, context_tokens: 131_072 }));

export const scenes: Scene[] = [
  ...PAGES.map((page) => scene(page, page)),
  scene("panel-stages", "panel", { settings: allSettings({ stages: { value: STAGES, source: "file" } }) }),
  scene("panel-environment", "panel", { settings: allSettings(ENVIRONMENT) }),
  scene("models-set", "models", { settings: allSettings(MODELS), model_key: aModelKey({ source: "keychain", stored: true }) }),
  scene("models-spares", "models", { settings: allSettings(MODELS), list_models: LISTED }, {}, [
    ["ul button[aria-expanded]"],
    ["[data-adds-rows] input"],
  ]),
  scene("models-persona", "models", {
    settings: allSettings(MODELS),
    model_key: aModelKey({ source: "variable", name: "ANTHROPIC_API_KEY", stored: true }),
  }, {}, [['[id="setting-reviewers"] button[aria-expanded]']]),
  scene("models-mcp", "models", {
    settings: allSettings({
      ...MODELS,
      mcp: {
        value: [
          { name: "docs", command: ["docs-server", "--stdio"], env: ["DOCS_TOKEN"], headers: [], used_by: ["fixer", "reviewers"], hosts: ["docs.example.com"], readable: ["/srv/docs"] },
          {
            name: "tickets",
            command: [],
            env: [],
            url: "https://mcp.example.com/tickets-of-the-whole-company",
            transport: "http",
            headers: [{ name: "Authorization", value: "TICKETS_AUTH", from_variable: true }],
            used_by: ["reviewers"],
            hosts: [],
            readable: [],
          },
        ],
        source: "file",
      },
    }),
  }, {}, [['[id="setting-mcp"] [data-adds-rows] input']]),
  scene("models-persona-agent", "models", { settings: allSettings(MODELS) }, {}, [['[id="setting-reviewers"] li:last-child button[aria-expanded]']]),
  scene("models-headers", "models", {
    settings: allSettings({
      ...MODELS,
      "llm.headers": { value: [{ name: "X-Team", value: "reviews", from_variable: false }, { name: "X-Gateway", value: "GATEWAY_SECRET", from_variable: true }], source: "file" },
      "llm.key_command": { value: ["gcloud", "auth", "print-access-token"], source: "file" },
    }),
    model_key: aModelKey({ source: "command", name: "gcloud", editable: false }),
  }),
  scene("models-half", "models", {
    doctor: NOTHING_FOUND,
    check_settings: [
      { key: "llm.provider", line: null, message: "a language model needs both `provider` and `model`: Collie has no default for either" },
    ],
  }, {}, [['[id="setting-llm.model"]', "gpt-5"]]),
  scene("models-environment", "models", {
    settings: allSettings({
      "llm.provider": { value: "ollama", source: "environment", variable: "LLM_PROVIDER" },
      "llm.model": { value: "qwen3-coder:30b", source: "environment", variable: "LLM_MODEL" },
      "llm.url": { value: "http://localhost:11434/v1", source: "environment", variable: "LLM_API_URL" },
    }),
  }),
  scene("panel-personas", "panel", {
    settings: allSettings({
      stages: {
        kind: { type: "stages", personas: offered("llm"), persona_problems: [] },
        value: [PERSONAS_STAGE, { reviewers: [{ name: "ada", kind: "agent" }] }],
        source: "file",
      },
    }),
  }),
  scene("panel-asks", "panel", {
    settings: allSettings({
      stages: { kind: { type: "stages", personas: offered("llm"), persona_problems: [] }, value: [PERSONAS_STAGE], source: "file" },
      reviewers: {
        value: [
          { name: "quinn", runs_on: null, model: null, escalates_to: ["priya", "sam", "ada", "a-persona-that-has-gone"] },
          { name: "sam", runs_on: null, model: null, escalates_to: ["ada"] },
        ],
        source: "file",
      },
    }),
  }, {}, [["li button[aria-haspopup=menu]"]]),
  scene("panel-nothing", "panel", {
    settings: allSettings({
      stages: {
        kind: { type: "stages", personas: offered(null), persona_problems: ["personas/nora.md, line 1: no front matter: expected `---`, then lines such as `name: quinn`, then `---`, then the persona's words"] },
        value: [PERSONAS_STAGE],
        source: "file",
      },
    }),
  }),
  scene("limits-problems", "limits", {
    settings: allSettings({}, [
      { key: "ci_check_timeout", line: 3, message: "\"soon\" is not a duration: expected one such as \"30m\", \"45s\" or \"500ms\"" },
      { key: "max_iteration", line: 9, message: "unknown key; did you mean `max_iterations`?" },
    ]),
  }),
  scene("file-broken", "general", {
    settings: allSettings({}, [{ key: "", line: 12, message: "expected `=` after a key" }]),
  }),
  scene("accounts-not-allowed", "accounts", { settings: allSettings({ allowed_users: { value: [], source: "default" } }) }, {
    account: { login: "kim", host: "ghe.example.com", source: "keychain", allowed: false, missing_scopes: ["repo"] },
  }),
  scene("accounts-demo", "accounts", {}, {
    account: { login: "kim", host: "127.0.0.1:4000", source: "demo", allowed: true, missing_scopes: [] },
    demo: aDemo(),
  }),
  scene("repositories-none", "repositories", { settings: allSettings({ repositories: { value: [], source: "default" } }) }),
  scene("unreadable", "general", {
    settings: aProblem("settings_unreadable", "config.toml cannot be read: permission denied", ["Let your account read it, then try again."]),
  }),
  scene("changed", "limits", {}, {}, [['[id="setting-slots"]', "5"], ['[id="setting-poll_interval"]', "30s"]]),
  scene(
    "changed-problem",
    "limits",
    { check_settings: [{ key: "poll_interval", line: null, message: "github.com is read every 15 s at most: set it to \"15s\" or more" }] },
    {},
    [['[id="setting-slots"]', "5"], ['[id="setting-poll_interval"]', "5s"]],
  ),
  scene("leaving", "limits", {}, {}, [['[id="setting-slots"]', "5"], ["header > button:last-child"]]),
  scene("repositories-filters", "repositories", {}, {}, [["li button[aria-expanded]"]]),
  scene("repositories-adding", "repositories", { available_repositories: AVAILABLE }, {}, [["section ul + div button"]]),
  scene("accounts-sign-out", "accounts", {}, {}, [["dl + div button"]]),
  scene("loading", "general", { settings: () => new Promise(() => undefined) }),
];
