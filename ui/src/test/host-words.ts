import { FluentBundle, FluentResource, type FluentVariable } from "@fluent/bundle";
import type { Language } from "../generated/wire";
import type { FakeHost } from "./host";

// A host has all texts, those that the page does not need among them.
const files = import.meta.glob<string>("../../../locales/*/*.ftl", { query: "?raw", import: "default", eager: true });

function textsOf(language: Language): (id: string, args?: Record<string, FluentVariable>) => string {
  const bundle = new FluentBundle(language, { useIsolating: false });
  for (const [path, text] of Object.entries(files)) if (path.includes(`/${language}/`)) bundle.addResource(new FluentResource(text));
  return (id, args = {}) => {
    const pattern = bundle.getMessage(id)?.value;
    if (!pattern) throw new Error(`no text for ${id} in ${language}`);
    const errors: Error[] = [];
    const text = bundle.formatPattern(pattern, args, errors);
    if (errors.length > 0) throw new Error(`${id} in ${language}: ${errors.map(String).join("; ")}`);
    return text;
  };
}

/** A list is written as the language writes one; another text stands for itself. */
type Args = Record<string, FluentVariable | string[] | { text: string } | { dollars: number }>;

const HOME = "/home/kim/.local/share/collie";
const GITHUB = { host: "github.com" };
const refused = { ...GITHUB, message: "connection refused" };
const agentIs = (agent: string, login: string, id: string): [string, Args] => [id, { agent, login: { text: login }, protocol: "1" }];

/** What a real host would say where a fixture has an English sentence. */
const SAID: Record<string, [id: string, args?: Args]> = {
  // What is waited for, and why a run stopped.
  "Reading the configuration": ["blocker-starting"],
  "2 of 7 checks not finished: build, e2e": ["blocker-checks_running", { open: 2, total: 7, names: "build, e2e" }],
  "Under review by Quinn and Sam": ["blocker-reviewing", { names: ["Quinn", "Sam"] }],
  "Under review by Quinn, Sam and 1 more": ["blocker-reviewing", { names: ["Quinn", "Sam", "accessibility-and-inclusion-reviewer"] }],
  "Waiting for coderabbitai": ["blocker-bots_pending", { names: "CodeRabbit", until: "17:27" }],
  "@ana requested changes; everything has been answered, waiting for a new review": ["blocker-changes_requested", { names: "@ana" }],
  "Fixing 1 finding": ["blocker-fixing", { count: 1 }],
  "Fixing 3 findings": ["blocker-fixing", { count: 3 }],
  "A fix is done and waits: nobody has said yet that the repository’s verify commands may run: `npm run lint` and `npm test -- --ci`": [
    "blocker-verify_untrusted",
    { count: 2, commands: ["`npm run lint`", "`npm test -- --ci`"] },
  ],
  "@mallory has no write access: nothing is fixed until you allow the author or this pull request": ["blocker-author_not_allowed", { login: "@mallory" }],
  "This pull request’s budget does not pay for the next question: $4.90 of $5.00 are spent or reserved, and it may cost up to $0.40. Raise the limit to continue.": [
    "blocker-budget",
    { scope: "pull_request", unit: "cost_micros", spent: { dollars: 4.9 }, limit: { dollars: 5 }, needed: { dollars: 0.4 } },
  ],
  "No reviewer was shown all of 2 files; a person has to look at them: src/schema.sql and src/table.py": ["blocker-unseen", { count: 2, names: ["src/schema.sql", "src/table.py"] }],
  "4 posts and pushes are held back. Raise the autonomy to send them.": ["blocker-observing", { count: 4 }],
  "2 changed files wait for your approval (77aa01c)": [
    "blocker-awaiting_approval",
    { commit: "77aa01c", count: 2 },
  ],
  "Ready: a person decides whether to merge": ["blocker-awaiting_merge"],
  "ana turned on auto-merge; Collie waits until it is off, so as not to complete the merge": ["blocker-auto_merge", { by: "ana" }],
  "1 finding came back after it was fixed, and nothing else is left to fix": ["stop-stuck", { count: 1 }],
  "5 rounds are spent, and 2 findings still stand": ["stop-iterations_spent", { max: 5 }],
  "2 checks did not finish in time: build, e2e": ["stop-ci_timeout", { count: 2, names: "build, e2e" }],
  "The check e2e did not finish in time": ["stop-ci_timeout", { count: 1, names: "e2e" }],
  "Fix what is listed, push it, then choose “Resume”: Collie continues from your commit.": ["hint-fix-yourself"],
  "If a finding is wrong, say so in its thread; people decide.": ["hint-dismiss"],
  "Agree on what it should be before anything is pushed again.": ["hint-settle-first"],
  "Look at the logs of those checks: they may hang, or be waiting for a runner.": ["hint-ci-logs"],
  "Rerun them, then retry.": ["hint-ci-retry"],
  // Why a pull request is passed by.
  Draft: ["passed-by-draft"],
  "Auto-merge is on: switch it off to let Collie work": ["problem-auto_merge_on", { pull: "acme/api#468" }],
  "Its author renovate is not among those that the repository's settings name": ["passed-by-author"],
  // What somebody is at.
  "Writing its answer": ["doing-writes"],
  "Gathering context": ["doing-gathers"],
  "Reading a prompt of 11,240 tokens": ["doing-reads", { tokens: 11_240 }],
  Thinking: ["doing-thinks"],
  Thinks: ["doing-thinks"],
  // What happened.
  "Loop started": ["event-created"],
  "GitHub was read": ["event-observed"],
  "Saw that 2 of 7 checks still run": ["moved-pr_awaiting_checks"],
  "Saw that all checks passed, and asked Quinn for a review": ["moved-pr_reviewing"],
  "Checks passed; the review began": ["moved-pr_reviewing"],
  "Changes are needed; the fix began": ["moved-pr_fixing"],
  "Ready to merge": ["state-pr_ready_to_merge"],
  "Quinn approved 4be81d0": ["note-review_done", { who: "Quinn", verdict: "approve", head: "4be81d0", count: 0 }],
  "Quinn requested changes on 1c07a9e: 2 findings": ["note-review_done", { who: "Quinn", verdict: "request_changes", head: "1c07a9e", count: 2 }],
  "Quinn requested changes: 3 findings": ["note-review_done", { who: "Quinn", verdict: "request_changes", head: "1c07a9e", count: 3 }],
  "1 finding became stuck": ["note-became_stuck"],
  "A fix was made": ["event-fix_finished"],
  "Pushed 4be81d0": ["note-pushed", { commit: "4be81d0" }],
  "Pushed the fix as 4be81d0": ["note-pushed", { commit: "4be81d0" }],
  "@kim told the fixer: Keep the public names.": ["note-fixer_noted", { login: "kim", text: "Keep the public names." }],
  "Cancelled by kim": ["event-cancel"],
  "The fixer on claude-code 2.1, 9 edits, 64,000 tokens in, 6,400 out, $0.21": ["note-worked", { who: { text: "note-worked-fixer" }, name: "claude-code 2.1" }],
  // What goes wrong.
  "github.com does not accept the token": ["problem-bad_token", GITHUB],
  "github.com does not accept the token of gh": ["problem-bad_token", GITHUB],
  "github.com no longer accepts the token of @kim": ["problem-unauthorized", GITHUB],
  "github.com could not be reached (connection refused)": ["problem-unreachable", refused],
  "GitHub does not answer.": ["problem-unreachable", refused],
  "GitHub does not find acme/infra for @kim": ["problem-not_found", { ...GITHUB, what: "acme/infra" }],
  "intranet.example.com does not answer as GitHub does (404)": ["problem-not_github", { host: "intranet.example.com", message: "404" }],
  "The keychain is locked, so the token cannot be kept": ["problem-keychain_locked"],
  "Collie found no keychain on this system.": ["problem-no_keychain"],
  "The token of @kim lacks the scope repo": ["problem-scopes", { ...GITHUB, scopes: "repo" }],
  "The demo forge could not be set up: git was not found": ["problem-demo", { message: "git: ENOENT" }],
  "The store cannot be read": ["problem-store", { message: "SQLITE_IOERR" }],
  [`The data folder ${HOME} belongs to another user`]: ["problem-folder", { folder: HOME, message: "EPERM" }],
  "config.toml cannot be read: permission denied": ["problem-settings_unreadable", { file: "config.toml", message: "EACCES" }],
  "Somebody pushed 77aa001 meanwhile; nothing was merged.": ["problem-head_moved", { pull: "acme/api#477" }],
  "Its checks are not green: e2e failed.": ["problem-checks_not_green", { pull: "acme/api#477" }],
  '"soon" is not a duration: expected one such as "30m", "45s" or "500ms"': ["problem-config_invalid_duration", { value: '"soon"' }],
  "a language model needs both `provider` and `model`: Collie has no default for either": ["problem-config_llm_incomplete"],
  "expected `=` after a key": ["problem-config_invalid_toml", { message: "expected `=`" }],
  'github.com is read every 15 s at most: set it to "15s" or more': ["problem-config_poll_too_fast"],
  "must be a number from 0 to 1,000,000": ["problem-config_out_of_range", { value: "-1", least: 0, most: 1_000_000 }],
  "unknown key; did you mean `max_iterations`?": ["problem-config_unknown_key", { known: "`max_iterations`" }],
  "Check that it exists and that the account can still see it.": ["problem-hint-access"],
  "Check that it was copied whole and has not expired.": ["problem-hint-new_token"],
  "Create one that has it.": ["problem-hint-new_token"],
  "Check the network, then try again.": ["problem-hint-network"],
  "Try again once the network is back.": ["problem-hint-network"],
  "For GitHub Enterprise the API is https://HOST/api/v3.": ["problem-hint-api_url"],
  "Give it back with chown, or set COLLIE_HOME to a folder of your own.": ["problem-hint-data_folder"],
  "Install git 2.38 or later.": ["problem-hint-git"],
  "Let your account read it, then try again.": ["problem-hint-settings_rights"],
  "Look at what was pushed, then merge once it is ready again.": ["problem-hint-on_github"],
  "Wait for them, or run them again on GitHub.": ["problem-hint-on_github"],
  "Run `gh auth login` again.": ["problem-hint-sign_in"],
  "Sign in again; loops resume where they were.": ["problem-hint-sign_in"],
  "Unlock it, then sign in again.": ["problem-hint-keychain"],
  "Set the key as an environment variable where Collie is started, or name a program that prints it as `key_command`.": ["problem-hint-model_key_elsewhere"],
  // What a person has.
  "Language model": ["doctor-model"],
  "Coding agent": ["doctor-agent"],
  "Allowed users": ["doctor-allowed"],
  Token: ["doctor-token"],
  Sandbox: ["doctor-sandbox"],
  Configuration: ["doctor-config"],
  Quota: ["doctor-quota"],
  "Data folder": ["doctor-data"],
  "Claude Code 2.0.31: logged in, ACP 1, resumes earlier sessions": agentIs("Claude Code 2.0.31", "doctor-agent-login", "doctor-agent-resumes"),
  "Codex 0.58.0: logged in, ACP 1, resumes earlier sessions": agentIs("Codex 0.58.0", "doctor-agent-login", "doctor-agent-resumes"),
  "Gemini CLI 0.16.0: not logged in, ACP 1": agentIs("Gemini CLI 0.16.0", "doctor-agent-no-login", "doctor-agent-ok"),
  "Claude Code 2.1.4 is installed.": agentIs("Claude Code 2.1.4", "doctor-agent-login", "doctor-agent-ok"),
  "Codex is not installed.": ["linter-not_installed", { name: "Codex" }],
  "No model is set up: the rules review. Set one up in Settings.": ["doctor-model-none"],
  "not set up; the rules and agents review without it": ["doctor-model-none"],
  "none found; the rules fix without one": ["doctor-agent-none"],
  "Neither Landlock nor bubblewrap found: verify commands run without a sandbox.": ["problem-sandbox_missing"],
  "Not found. A token in GITHUB_TOKEN works too.": ["doctor-gh-missing"],
  [`Nobody may start loops: add a login to allowed_users in ${HOME}/config.toml`]: ["doctor-allowed-nobody", { file: `${HOME}/config.toml` }],
  "4,812 of 5,000 requests left until 14:27": ["doctor-quota-left", { left: 4_812, limit: 5_000, until: "14:27" }],
  "kim on github.com": ["doctor-token-of", { ...GITHUB, login: "kim" }],
};

/** What people, tools and programs say is in their own words, in every language. */
const OWN_WORDS = /^(git$|gh$|Reads|Edits|Runs|Searches for|`|Tenants of two regions|git version|claude-sonnet|\/)/;

/** Fields of a host's answers that are sentences of its own. */
const FIELDS = new Set(["text", "message", "hints", "skip_reason", "notes"]);

/** The sentence in a language; none where it is not a host's. */
function sayIn(language: Language): (sentence: string) => string | null {
  const say = textsOf(language);
  const list = new Intl.ListFormat(language);
  const amounts = new Intl.NumberFormat(language, { minimumFractionDigits: 2 });
  return (sentence) => {
    const [id, args] = SAID[sentence] ?? [];
    if (id === undefined) return null;
    const valueOf = (value: Args[string]): FluentVariable => {
      if (Array.isArray(value)) return list.format(value);
      if (typeof value === "object" && "dollars" in value) return say("money", { amount: amounts.format(value.dollars) });
      return typeof value === "object" && "text" in value ? say(value.text) : value;
    };
    return say(id, Object.fromEntries(Object.entries(args ?? {}).map(([name, value]) => [name, valueOf(value)])));
  };
}

function mapped(value: unknown, name: string, change: (sentence: string) => string): unknown {
  if (typeof value === "string") return FIELDS.has(name) ? change(value) : value;
  if (Array.isArray(value)) return value.map((each) => mapped(each, name, change));
  if (value === null || typeof value !== "object") return value;
  // Lines of code.
  if ("old" in value && "new" in value) return value;
  if (value instanceof Error) {
    const copy: Error = Object.assign(Object.create(Object.getPrototypeOf(value) as object) as Error, mapped({ ...value }, name, change));
    Object.defineProperty(copy, "message", { value: change(value.message), enumerable: false });
    return copy;
  }
  // A check of the doctor has a heading that is the host's; the title of a pull request is a person's.
  const isCheck = "code" in value && "title" in value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapped(each, isCheck && key === "title" ? "text" : key, change)]));
}

type Answer = (args: never) => unknown;

function changed(answer: unknown, change: (sentence: string) => string): unknown {
  if (typeof answer !== "function") return mapped(answer, "", change);
  return (args: never) => {
    const given = (answer as Answer)(args);
    return given instanceof Promise ? given.then((value: unknown) => mapped(value, "", change)) : mapped(given, "", change);
  };
}

/** Has a fake host say its sentences as the real one does: in this language. */
export function speak(host: FakeHost, language: Language): void {
  const say = sayIn(language);
  const change = (sentence: string) => say(sentence) ?? sentence;
  host.answers = Object.fromEntries(Object.entries(host.answers).map(([command, answer]) => [command, command === "description" ? answer : changed(answer, change)]));
}

/** The sentences of a fake host that no text of Collie's stands behind. */
export function untold(host: FakeHost): string[] {
  const say = sayIn("fr");
  const found: string[] = [];
  const look = (sentence: string) => {
    if (sentence !== "" && say(sentence) === null && !OWN_WORDS.test(sentence)) found.push(sentence);
    return sentence;
  };
  for (const [command, answer] of Object.entries(host.answers)) {
    if (command === "description") continue;
    const seen = changed(answer, look);
    // What does not depend on its arguments is answered whatever they are.
    if (typeof seen === "function") {
      try {
        (seen as (args: object) => unknown)({});
      } catch {
        // It needs them.
      }
    }
  }
  return found;
}
