import type { AvailableRepository, GhView, SessionView } from "../../generated/wire";
import { aLoop, aProblem, aSession, fakeHost, type FakeAnswers, type Scene } from "../../test";
import { aDemoWith, NOBODY } from "./fixtures";
import { Onboarding } from "./Onboarding";

function scene(name: string, session: Partial<SessionView>, answers: FakeAnswers = {}): Scene {
  return {
    name: `onboarding-${name}`,
    element: <Onboarding onDone={() => undefined} />,
    host: () => fakeHost({ answers: { session: aSession(session), ...answers } }),
  };
}

const signedOut = (gh: Partial<GhView> = {}): Partial<SessionView> => ({ ...NOBODY, gh: { ...NOBODY.gh, ...gh } });

const AVAILABLE: AvailableRepository[] = [
  { name: "acme/api", private: true, open_pulls: 12, chosen: false },
  { name: "acme/web", private: false, open_pulls: 3, chosen: true },
  { name: "acme/infrastructure-as-code-for-every-region-of-the-world", private: true, open_pulls: 1, chosen: false },
  ...Array.from({ length: 40 }, (_, nth) => ({ name: `kim/experiment-${nth + 1}`, private: nth % 3 === 0, open_pulls: nth % 4, chosen: false })),
];

export const scenes: Scene[] = [
  scene("gh", signedOut()),
  scene("environment", signedOut({ token: "environment", login: null })),
  scene("gh-missing", signedOut({ installed: false, token: null, login: null })),
  scene("gh-out", signedOut({ token: null, login: null, keychain: false })),
  scene("problem", {
    ...signedOut(),
    problem: aProblem("token_revoked", "github.com no longer accepts the token of @kim", ["Sign in again; loops go on where they were."]),
  }),
  scene("allow", { account: { login: "kim", host: "github.com", source: "gh", allowed: false, missing_scopes: [] } }),
  scene("repositories", {}, { available_repositories: AVAILABLE }),
  scene(
    "repositories-scopes",
    { account: { login: "kim", host: "github.com", source: "keychain", allowed: true, missing_scopes: ["repo"] } },
    { available_repositories: [] },
  ),
  scene("repositories-loading", {}, { available_repositories: () => new Promise(() => undefined) }),
  scene("repositories-offline", {}, {
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
