import type { AvailableRepository, DetectedCredentials, SessionView } from "../../generated/wire";
import { aLoop, aModelKey, anError, aProblem, aSession, aSetting, aSettings, fakeHost, type FakeAnswers, type Scene } from "../../test";
import { aDemoWith, NOBODY } from "./fixtures";
import { Onboarding } from "./Onboarding";
import { ServerSignIn } from "./ServerSignIn";
import { advance, restart } from "./progress";
import { ScriptedScene, type ScriptStep } from "./ScriptedScene";

function scene(name: string, session: Partial<SessionView>, answers: FakeAnswers = {}, deeds: ScriptStep[] = []): Scene {
  return {
    name: `onboarding-${name}`,
    element: (
      <ScriptedScene steps={deeds}>
        <Onboarding onDone={() => undefined} />
      </ScriptedScene>
    ),
    host: () => {
      restart(false);
      return fakeHost({ answers: { session: aSession(session), ...answers } });
    },
  };
}

/** The same after what there is to know was shown. */
function later(...args: Parameters<typeof scene>): Scene {
  const made = scene(...args);
  return {
    ...made,
    host: () => {
      const host = made.host();
      advance({ told: true });
      return host;
    },
  };
}

const signedOut = (gh: Partial<DetectedCredentials> = {}): Partial<SessionView> => ({ ...NOBODY, credentials: { ...NOBODY.credentials, ...gh } });

const AVAILABLE: AvailableRepository[] = [
  { name: "acme/api", private: true, open_pulls: 12, chosen: false },
  { name: "acme/web", private: false, open_pulls: 3, chosen: false },
  { name: "acme/infrastructure-as-code-for-every-region-of-the-world", private: true, open_pulls: 1, chosen: false },
  ...Array.from({ length: 40 }, (_, nth) => ({ name: `kim/experiment-${nth + 1}`, private: nth % 3 === 0, open_pulls: nth % 4, chosen: false })),
];

const PROVIDER = aSetting({ key: "llm.provider", group: "models", kind: { type: "choice", options: ["openai", "anthropic", "ollama", "compatible"] }, value: null, default: null });

const BUDGET = aSetting({ key: "budget.per_day_usd", group: "limits", kind: { type: "decimal", max: 1_000_000 }, value: null, default: null });

const FOUND: FakeAnswers = {
  settings: aSettings({ fields: [PROVIDER, BUDGET] }),
  repositories: [],
  doctor: [
    { code: "model", title: "Language model", status: "warning", text: "No model is set up: the rules review. Set one up in Settings." },
    { code: "agent", title: "Coding agent", status: "ok", text: "Claude Code 2.1.4 is installed." },
    { code: "agent", title: "Coding agent", status: "warning", text: "Codex is not installed." },
  ],
};

const PRICED = {
  first: { tokens_least: 5_759, tokens_most: 41_011, usd_least: 0.023036, usd_most: 0.164044 },
  next: { tokens_least: 2_961, tokens_most: 3_970, usd_least: 0.011844, usd_most: 0.01588 },
  answer_tokens: 1_000,
  answer_usd: 0.02,
};

const OPEN: ScriptStep[] = [["main li:nth-child(2) button"]];
const WRITE: ScriptStep[] = [...OPEN, ["[name=token]", "ghp_notreallyatoken"]];
const SEND: ScriptStep[] = [...WRITE, ["main form button[type=submit]"]];
const ELSEWHERE: ScriptStep[] = [...WRITE, ["main summary"], ["[name=api_url]", "https://intranet.example.com"], ["main form button[type=submit]"]];

export const scenes: Scene[] = [
  { name: "onboarding-server", element: <ServerSignIn />, host: () => fakeHost({ answers: { session: aSession({ ...NOBODY, phase: "sign_in" }) } }) },
  {
    name: "onboarding-server-code",
    element: (
      <ScriptedScene steps={[["main section button"]]}>
        <ServerSignIn />
      </ScriptedScene>
    ),
    host: () =>
      fakeHost({
        answers: {
          session: aSession({ ...NOBODY, phase: "sign_in", device_sign_in: true }),
          device_sign_in: { id: "c1", user_code: "WDJB-MJHT", verification_uri: "https://github.com/login/device", expires_in_ms: 900_000, interval_ms: 5_000 },
          device_sign_in_state: "waiting",
        },
      }),
  },
  scene("token", signedOut(), {}, OPEN),
  scene("token-enterprise", signedOut({ keychain: false }), {}, [...OPEN, ["main summary"]]),
  scene("token-empty", signedOut(), {}, [...OPEN, ["main form button[type=submit]"]]),
  scene("token-checking", signedOut(), { sign_in: () => new Promise(() => undefined) }, SEND),
  scene("token-bad", signedOut(), {
    sign_in: aProblem("bad_token", "github.com does not accept the token", ["Check that it was copied whole and has not expired."]),
  }, SEND),
  scene("token-offline", signedOut(), {
    sign_in: aProblem("unreachable", "github.com could not be reached (connection refused)", ["Check the network, then try again."]),
  }, SEND),
  scene("token-no-github", signedOut(), {
    sign_in: aProblem("not_github", "intranet.example.com does not answer as GitHub does (404)", ["For GitHub Enterprise the API is https://HOST/api/v3."]),
  }, ELSEWHERE),
  scene("token-keychain-locked", signedOut(), {
    sign_in: aProblem("keychain_locked", "The keychain is locked, so the token cannot be kept", ["Unlock it, then sign in again."]),
  }, SEND),
  scene("token-no-scopes", signedOut(), {
    sign_in: aProblem("scopes", "The token of @kim lacks the scope repo", ["Create one that has it."]),
  }, SEND),
  scene("found-refused", signedOut(), {
    sign_in_detected: aProblem("unauthorized", "github.com does not accept the token of gh", ["Run `gh auth login` again."]),
  }, [["main li:first-child button"]]),
  scene("demo-setting-up", signedOut(), { start_demo: () => new Promise(() => undefined) }, [["main li:last-child button"]]),
  scene("demo-failed", signedOut(), {
    start_demo: aProblem("demo", "The demo forge could not be set up: git was not found", ["Install git 2.38 or later."]),
  }, [["main li:last-child button"]]),
  scene("gh", signedOut()),
  scene("environment", signedOut({ token: "environment", login: null })),
  scene("gh-missing", signedOut({ gh_installed: false, token: null, login: null })),
  scene("gh-out", signedOut({ token: null, login: null, keychain: false })),
  scene("problem", {
    ...signedOut(),
    problem: anError("unauthorized", "github.com no longer accepts the token of @kim", ["Sign in again; loops resume where they were."]),
  }),
  later("allow", { account: { login: "kim", host: "github.com", source: "gh", allowed: false, missing_scopes: [] } }),
  scene("first", {}, FOUND),
  scene("first-model", {}, { ...FOUND, list_models: [{ name: "claude-opus-5-5", title: null, context_tokens: null }] }, [["main select", "anthropic"]]),
  scene("first-tested", {}, {
    ...FOUND,
    model_key: aModelKey({ source: "keychain", stored: true }),
    test_model: { model: "anthropic/claude-opus-5-5", answered_as: null, latency_ms: 1812, input_tokens: 45, output_tokens: 12, cost_usd: 0.000042 },
    expected_cost: PRICED,
  }, [["main select", "anthropic"], ["main input[list]", "claude-opus-5-5"], ["main section ~ div + div button"]]),
  scene("first-no-keychain", {}, {
    ...FOUND,
    model_key: aModelKey({
      problem: {
        is_absent: true,
        message: "Collie found no keychain on this system.",
        hints: ["Set the key as an environment variable where Collie is started, or name a program that prints it as `key_command`."],
      },
    }),
  }, [["main select", "anthropic"]]),
  scene("first-refused", {}, { ...FOUND, save_settings: [{ key: "budget.per_day_usd", line: null, message: "must be a number from 0 to 1,000,000" }] }, [
    ["[inputmode=decimal]", "much"],
    ["main > div > div:last-of-type button"],
  ]),
  later("repositories", {}, { available_repositories: AVAILABLE }),
  later(
    "repositories-scopes",
    { account: { login: "kim", host: "github.com", source: "keychain", allowed: true, missing_scopes: ["repo"] } },
    { available_repositories: [] },
  ),
  later("repositories-loading", {}, { available_repositories: () => new Promise(() => undefined) }),
  later("repositories-offline", {}, {
    available_repositories: aProblem("unreachable", "github.com could not be reached (connection refused)", ["Check the network, then try again."]),
  }),
  scene("demo", { demo: aDemoWith([]) }),
  scene(
    "demo-started",
    { demo: aDemoWith(["clean", "fix-loop", "stuck", "human"]) },
    {
      loops: [
        aLoop({ key: "demo/clean#1", state: "pr_ready_to_merge" }),
        aLoop({ key: "demo/fix-loop#1", state: "pr_fixing" }),
        aLoop({ key: "demo/stuck#1", state: "needs_human" }),
      ],
    },
  ),
];
