import { act, configure, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { AvailableRepository, DeviceSignInState, ErrorCode, SessionView } from "../../generated/wire";
import { aLoop, aProblem, aRepository, aSession, aSetting, aSettings, fakeHost, renderUI, type FakeAnswers } from "../../test";
import { aDemoWith, NOBODY } from "./fixtures";
import { AllowBanner, ChooseRepositories, DemoScenarios, Onboarding, ServerSignIn, useOnboarding } from "./index";

// A busy machine answers late.
configure({ asyncUtilTimeout: 10_000 });

function begin(session: Partial<SessionView> = NOBODY, answers: FakeAnswers = {}) {
  const onDone = vi.fn();
  const shown = renderUI(<Onboarding onDone={onDone} />, { session, host: fakeHost({ answers }) });
  return { ...shown, onDone, user: userEvent.setup({ delay: null }) };
}

const button = (name: string | RegExp) => screen.getByRole("button", { name });

describe("signing in", () => {
  it("goes on as the account that gh has", async () => {
    const { host, user } = begin();
    expect(screen.getByText("Continue as @kim")).toBeVisible();
    await user.click(button("Continue"));
    expect(host.called("sign_in_detected")).toHaveLength(1);
  });

  it.each([
    [{ gh_installed: false }, /not installed/],
    [{ gh_installed: true }, /not signed in/],
  ])("says why gh cannot be used, and looks again: %o", async (gh, reason) => {
    const { host, user } = begin({ ...NOBODY, credentials: { ...NOBODY.credentials, token: null, login: null, ...gh } });
    expect(screen.getByText(reason)).toBeVisible();
    expect(screen.queryByRole("button", { name: "Continue" })).toBeNull();
    host.answers.session = aSession(NOBODY);
    await user.click(button("Check again"));
    expect(host.called("detect_credentials")).toHaveLength(1);
    act(() => host.emit([{ type: "stale", topics: [["session"]] }]));
    expect(await screen.findByText("Continue as @kim")).toBeVisible();
  });

  it("sends a pasted token without the blanks around it, masked until asked to show it", async () => {
    const { host, user } = begin();
    await user.click(button("Enter a token"));
    const field = screen.getByLabelText("Token");
    expect(field).toHaveFocus();
    expect(field).toHaveAttribute("type", "password");
    await user.paste("  ghp_abc \n");
    await user.click(button("Show the token"));
    expect(field).toHaveAttribute("type", "text");
    await user.click(field);
    await user.keyboard("{Enter}");
    expect(host.called("sign_in")).toEqual([{ command: "sign_in", args: { token: "ghp_abc", api_url: null } }]);
  });

  it("asks for a token before it asks GitHub", async () => {
    const { host, user } = begin();
    await user.click(button("Enter a token"));
    await user.click(button("Sign in"));
    expect(screen.getByLabelText("Token")).toBeInvalid();
    expect(screen.getByLabelText("Token")).toHaveAccessibleDescription(/Enter a token/);
    expect(host.called("sign_in")).toEqual([]);
  });

  it.each<[ErrorCode, string]>([
    ["bad_token", "Token"],
    ["keychain_locked", "Token"],
    ["scopes", "Token"],
    ["not_github", "API address"],
    ["unreachable", "API address"],
  ])("shows %s with its hints at the field %s, which is focused", async (code, label) => {
    const { user } = begin(NOBODY, { sign_in: aProblem(code, "That did not work", ["Try this instead."]) });
    await user.click(button("Enter a token"));
    await user.type(screen.getByLabelText("Token"), "ghp_abc");
    await user.click(screen.getByText("GitHub Enterprise"));
    await user.type(screen.getByLabelText("API address"), "https://ghe.example.com/api/v3");
    await user.click(button("Sign in"));
    await waitFor(() => expect(screen.getByLabelText(label)).toBeInvalid());
    expect(screen.getByLabelText(label)).toHaveFocus();
    expect(screen.getByLabelText(label)).toHaveAccessibleDescription(/That did not work Try this instead\./);
    await user.type(screen.getByLabelText("Token"), "d");
    expect(screen.queryByText("That did not work")).toBeNull();
  });

  it.each([
    [true, /stored in the system keychain/],
    [false, /forgets the token when it quits/],
  ])("says whether the token is kept: %s", async (keychain, words) => {
    const { user } = begin({ ...NOBODY, credentials: { ...NOBODY.credentials, keychain } });
    await user.click(button("Enter a token"));
    expect(screen.getByText(words)).toBeVisible();
  });

  it("opens the page that makes tokens", async () => {
    const { host, user } = begin();
    await user.click(button("Enter a token"));
    await user.click(button("Create one on GitHub"));
    expect(host.called("open")).toEqual([{ command: "open", args: { target: { what: "new_token" } } }]);
  });

  it("says why the demo could not be set up", async () => {
    const { user } = begin(NOBODY, { start_demo: aProblem("demo", "git was not found", ["Install git."]) });
    await user.click(button("Open"));
    expect(await screen.findByRole("alert")).toHaveTextContent("git was not foundInstall git.");
  });

  it("is left by who comes back signed in, and kept until the first steps are done", () => {
    const Probe = ({ phase }: { phase: SessionView["phase"] }) => {
      const { shown, done } = useOnboarding(aSession({ phase }));
      return shown ? <button onClick={done}>{phase}</button> : <p>{phase}</p>;
    };
    const { rerender } = renderUI(<Probe phase="running" />);
    expect(screen.queryByRole("button")).toBeNull();
    rerender(<Probe phase="onboarding" />);
    rerender(<Probe phase="running" />);
    act(() => button("running").click());
    expect(screen.queryByRole("button")).toBeNull();
  });
});

describe("the first steps", () => {
  const STRANGER: Partial<SessionView> = {
    account: { login: "kim", host: "github.com", source: "gh", allowed: false, missing_scopes: [] },
  };

  it("asks to allow the account, then for repositories, then is done", async () => {
    const { host, user, onDone } = begin(STRANGER, {
      repositories: [],
      available_repositories: [{ name: "acme/api", private: false, open_pulls: 2, chosen: false }],
      allow_me: () => {
        host.answers.session = aSession();
        host.emit([{ type: "stale", topics: [["session"]] }]);
        return null;
      },
    });
    await user.click(await screen.findByRole("button", { name: "Skip" }));
    await user.click(button("Allow @kim"));
    await user.click(await screen.findByRole("checkbox", { name: "acme/api" }));
    await user.click(button("Add 1 repository"));
    expect(host.called("add_repositories")[0]?.args.repos).toEqual(["acme/api"]);
    await waitFor(() => expect(onDone).toHaveBeenCalled());
  });

  it("leaves the account as it is when told to wait", async () => {
    const { host, user } = begin(STRANGER, { repositories: [] });
    await user.click(await screen.findByRole("button", { name: "Skip" }));
    await user.click(button("Not now"));
    expect(await screen.findByRole("heading", { name: "Choose repositories" })).toHaveFocus();
    expect(host.called("allow_me")).toEqual([]);
  });

  it("keeps the sign-in while the engine starts and until GitHub has said who it is", () => {
    const unknown = { login: "", host: "github.com", source: "gh", allowed: true, missing_scopes: [] } as const;
    for (const session of [{ phase: "starting", account: null }, { account: { ...unknown, missing_scopes: [] } }] as Partial<SessionView>[]) {
      const { unmount, onDone } = begin(session, { repositories: [] });
      expect(button("Continue")).toBeDisabled();
      expect(onDone).not.toHaveBeenCalled();
      unmount();
    }
  });

  it("asks nothing while GitHub cannot be asked who it is", async () => {
    const { onDone } = begin({
      account: { login: "", host: "github.com", source: "gh", allowed: true, missing_scopes: [] },
      connection: { status: "unreachable", until: null },
    });
    await waitFor(() => expect(onDone).toHaveBeenCalled());
  });

  it("asks nothing when nothing is missing", async () => {
    const { onDone } = begin({}, { repositories: [aRepository()] });
    await waitFor(() => expect(onDone).toHaveBeenCalled());
  });

  it("offers the banner only to who may not start reviews", async () => {
    const { host, unmount } = renderUI(<AllowBanner />, { session: STRANGER });
    await userEvent.click(button("Allow @kim"));
    expect(host.called("allow_me")).toHaveLength(1);
    unmount();
    renderUI(<AllowBanner />);
    expect(screen.queryByRole("button")).toBeNull();
  });
});

describe("choosing repositories", () => {
  const AVAILABLE: AvailableRepository[] = [
    { name: "acme/api", private: true, open_pulls: 2, chosen: false },
    { name: "acme/web", private: false, open_pulls: 0, chosen: true },
    { name: "kim/dotfiles", private: false, open_pulls: 0, chosen: false },
  ];
  function choose(answers: FakeAnswers = {}) {
    const onDone = vi.fn();
    const host = fakeHost({ answers: { available_repositories: AVAILABLE, ...answers } });
    return { ...renderUI(<ChooseRepositories onDone={onDone} />, { host }), onDone, user: userEvent.setup({ delay: null }) };
  }

  it("finds by any words of the name, and keeps what was selected before", async () => {
    const { host, user } = choose();
    await user.click(await screen.findByRole("checkbox", { name: "acme/api" }));
    await user.type(screen.getByRole("searchbox"), "dot KIM");
    expect(screen.queryByRole("checkbox", { name: "acme/api" })).toBeNull();
    await user.click(screen.getByRole("checkbox", { name: "kim/dotfiles" }));
    await user.click(button("Add 2 repositories"));
    expect(host.called("add_repositories")[0]?.args.repos).toEqual(["acme/api", "kim/dotfiles"]);
  });

  it("shows those that are in the sidebar, and adds one by its full name", async () => {
    const { host, user } = choose();
    expect(await screen.findByRole("checkbox", { name: "acme/web" })).toBeDisabled();
    await user.type(screen.getByRole("searchbox"), "other/place{Enter}");
    expect(screen.getByRole("checkbox", { name: "other/place" })).toBeChecked();
    await user.click(button("Add 1 repository"));
    expect(host.called("add_repositories")[0]?.args.repos).toEqual(["other/place"]);
  });

  it("does not say that there is nothing when GitHub could not be asked, and still adds by name", async () => {
    const { host, user } = choose({ available_repositories: aProblem("unreachable", "github.com could not be reached") });
    expect(await screen.findByRole("alert")).toHaveTextContent("github.com could not be reached");
    expect(screen.queryByText(/cannot push to any repository/)).toBeNull();
    await user.type(screen.getByRole("searchbox"), "acme/api{Enter}");
    host.answers.available_repositories = AVAILABLE;
    await user.click(button("Try again"));
    expect(await screen.findByRole("checkbox", { name: "kim/dotfiles" })).toBeVisible();
    expect(screen.getAllByRole("checkbox", { name: "acme/api" })).toHaveLength(1);
  });

  it("stays open with what went wrong", async () => {
    const { user, onDone } = choose({ add_repositories: aProblem("not_found", "other/place was not found", ["Check its name."]) });
    await user.click(await screen.findByRole("checkbox", { name: "acme/api" }));
    await user.click(button("Add 1 repository"));
    expect(await screen.findByRole("alert")).toHaveTextContent("other/place was not found");
    expect(onDone).not.toHaveBeenCalled();
  });
});

describe("the demo", () => {
  it("starts one scenario or all that wait, and shows how far each is", async () => {
    const host = fakeHost({ answers: { loops: [aLoop({ key: "demo/clean#1", state: "pr_ready_to_merge" })] } });
    renderUI(<DemoScenarios />, { host, session: { demo: aDemoWith(["clean"]) } });
    expect(screen.getByText("Ready to merge")).toBeVisible();
    expect(screen.getByRole("link", { name: "Watch Nothing to find" })).toHaveAttribute("href", "#/repo/demo/clean?show=demo%2Fclean%231");
    await userEvent.click(button("Start Fixed, and back again"));
    expect(host.called("play_scenario").map(({ args }) => args.scenario)).toEqual(["stuck"]);
    await userEvent.click(button("Start all"));
    await waitFor(() =>
      expect(host.called("play_scenario").map(({ args }) => args.scenario)).toEqual(["stuck", "fix-loop", "ci-red", "stuck", "human", "moved-head", "three-rounds"]),
    );
  });
});

describe("a scenario that ended", () => {
  it.each(["merged", "closed", "cancelled", "needs_human", "failed"] as const)("%s can be played again", async (state) => {
    const host = fakeHost({ answers: { loops: [aLoop({ key: "demo/clean#1", state })] } });
    renderUI(<DemoScenarios />, { host, session: { demo: aDemoWith(["clean"]) } });
    await userEvent.click(button("Play again: Nothing to find"));
    expect(host.called("play_scenario").map(({ args }) => args.scenario)).toEqual(["clean"]);
  });

  it("is none while it goes on", () => {
    const host = fakeHost({ answers: { loops: [aLoop({ key: "demo/clean#1", state: "pr_fixing" })] } });
    renderUI(<DemoScenarios />, { host, session: { demo: aDemoWith(["clean"]) } });
    expect(screen.queryByRole("button", { name: "Play again: Nothing to find" })).toBeNull();
  });
});

describe("before anything starts", () => {
  const provider = aSetting({ key: "llm.provider", group: "models", kind: { type: "choice", options: ["anthropic", "compatible"] }, value: null, default: null });
  const budget = aSetting({ key: "budget.per_day_usd", group: "limits", kind: { type: "decimal", max: 1_000_000 }, value: null, default: null });
  const settings = aSettings({ fields: [provider, budget] });
  const STRANGER: Partial<SessionView> = { account: { login: "kim", host: "github.com", source: "gh", allowed: false, missing_scopes: [] } };
  const first = (answers: FakeAnswers = {}, session: Partial<SessionView> = {}) => begin(session, { settings, repositories: [], ...answers });
  const saved = (host: ReturnType<typeof fakeHost>) => host.called("save_settings").map(({ args }) => args.changes);
  const choose = (user: ReturnType<typeof userEvent.setup>, word: string) => user.selectOptions(screen.getByRole("combobox", { name: "Provider" }), word);

  it("says what Collie may do, never does and costs, and begins at observe, before the account may start anything", async () => {
    const { host, user } = first({}, STRANGER);
    expect(await screen.findByRole("heading", { name: "Before anything starts" })).toBeVisible();
    const sections = ["Collie may", "Collie never", "Models and agents on this machine", "What it costs"];
    expect(screen.getAllByRole("heading", { level: 2 }).map((each) => each.textContent)).toEqual(sections);
    expect(screen.getByText(/comments and pushes as @kim/)).toBeVisible();
    expect(screen.getByRole("radio", { name: "Observe" })).toBeChecked();
    await user.click(button("Continue with Observe"));
    expect(saved(host)).toEqual([{ "desktop.new_repositories": "observe" }]);
    expect(await screen.findByRole("heading", { name: "Allow @kim to start loops?" })).toHaveFocus();
    for (const never of ["allow_me", "start", "set_auto_review", "add_repositories"] as const) expect(host.called(never)).toEqual([]);
  });

  it("keeps the level and the day's budget", async () => {
    const { host, user } = first();
    await user.click(await screen.findByRole("radio", { name: "Ask" }));
    await user.type(screen.getByRole("textbox", { name: "Budget for a day, in dollars" }), "2,50");
    await user.click(button("Continue with Ask"));
    expect(saved(host)).toEqual([{ "desktop.new_repositories": "ask", "budget.per_day_usd": 2.5 }]);
    expect(await screen.findByRole("heading", { name: "Choose repositories" })).toBeVisible();
  });

  it("shows what was found, and what reviews cost at the chosen model's price", async () => {
    const range = (usd: [number, number] | null) => ({ tokens_least: 5_759, tokens_most: 41_011, usd_least: usd?.[0] ?? null, usd_most: usd?.[1] ?? null });
    const { user } = first({
      doctor: [{ code: "agent", title: "Agents", status: "ok", text: "Claude Code 2.1 is installed" }, { code: "git", title: "git", status: "ok", text: "2.47" }],
      expected_cost: ({ changes }) => {
        const usd: [number, number] | null = "llm.model" in changes ? [0.02, 0.17] : null;
        return { first: range(usd), next: range(usd), answer_tokens: 1_000, answer_usd: usd && 0.02 };
      },
    });
    expect(await screen.findByText("Claude Code 2.1 is installed")).toBeVisible();
    expect(screen.queryByText("2.47")).toBeNull();
    expect(await screen.findAllByText("price unknown")).toHaveLength(2);
    await choose(user, "anthropic");
    await user.type(screen.getByRole("combobox", { name: "Model" }), "claude-x");
    expect(await screen.findAllByText("$0.02 to $0.17")).toHaveLength(2);
    expect(screen.getByText("Each 1,000 tokens of an answer cost $0.02 more.")).toBeVisible();
  });

  it("puts a typed key into the keychain, tests the model, and uses it", async () => {
    const { host, user } = first({
      list_models: [{ name: "claude-x", title: null, context_tokens: null }],
      test_model: { model: "anthropic/claude-x", answered_as: null, latency_ms: 812, input_tokens: 45, output_tokens: 12, cost_usd: null },
    });
    await screen.findByRole("heading", { name: "Before anything starts" });
    await choose(user, "anthropic");
    await user.type(await screen.findByLabelText("New key"), "sk-1{Enter}");
    const changes = { "llm.provider": "anthropic" };
    await waitFor(() => expect(host.called("set_model_key").map(({ args }) => args)).toEqual([{ table: "llm", changes, secret: "sk-1" }]));
    await user.click(button("Continue with Observe"));
    expect(screen.getByText(/Name the model/)).toBeVisible();
    expect(saved(host)).toEqual([]);
    await user.type(screen.getByRole("combobox", { name: "Model" }), "claude-x");
    await user.click(button("Test"));
    expect(await screen.findByText(/answered in 812 ms · .* price unknown/, { selector: "p *" })).toBeVisible();
    await user.click(button("Continue with Observe"));
    expect(saved(host)).toEqual([{ ...changes, "llm.model": "claude-x", "desktop.new_repositories": "observe" }]);
    expect(JSON.stringify({ ...localStorage })).not.toContain("sk-1");
  });

  it("can be skipped, which saves nothing and says so", async () => {
    const { host, user } = first();
    const skip = await screen.findByRole("button", { name: "Skip" });
    expect(skip).toHaveAccessibleDescription(/saves nothing of this page/);
    await user.click(screen.getByRole("radio", { name: "Push" }));
    await user.click(skip);
    expect(await screen.findByRole("heading", { name: "Choose repositories" })).toBeVisible();
    expect(saved(host)).toEqual([]);
  });

  it("is where a person who left in the middle comes back to", async () => {
    const before = first();
    await choose(before.user, await screen.findByRole("combobox", { name: "Provider" }).then(() => "compatible"));
    await before.user.type(screen.getByRole("combobox", { name: "Model" }), "ours");
    await before.user.click(screen.getByRole("radio", { name: "Push" }));
    before.unmount();
    const after = first();
    expect(await screen.findByRole("radio", { name: "Push" })).toBeChecked();
    expect(screen.getByRole("combobox", { name: "Model" })).toHaveValue("ours");
    await after.user.click(button("Skip"));
    after.unmount();
    first();
    expect(await screen.findByRole("heading", { name: "Choose repositories" })).toBeVisible();
  });

  it("says what is missing at its field, and keeps what was typed", async () => {
    const { user } = first({ save_settings: [{ key: "llm.url", line: null, message: "the provider \"compatible\" needs a `url`" }] });
    await screen.findByRole("heading", { name: "Before anything starts" });
    await choose(user, "compatible");
    await user.type(screen.getByRole("combobox", { name: "Model" }), "ours");
    await user.click(button("Continue with Observe"));
    expect(await screen.findByRole("textbox", { name: "Address" })).toBeInvalid();
    expect(screen.getByRole("combobox", { name: "Model" })).toHaveValue("ours");
  });

  it("asks for no model where one is set up, and for nothing where repositories are there", async () => {
    const set = first({ settings: aSettings({ fields: [{ ...provider, value: "anthropic" }, budget] }) });
    expect(await screen.findByRole("heading", { name: "Before anything starts" })).toBeVisible();
    expect(screen.queryByRole("combobox", { name: "Provider" })).toBeNull();
    set.unmount();
    const { onDone } = first({ repositories: [aRepository({ name: "acme/api" })] });
    await waitFor(() => expect(onDone).toHaveBeenCalled());
    expect(screen.queryByRole("heading", { name: "Before anything starts" })).toBeNull();
  });

  it("can be walked through by keyboard alone, in the order in which it is read", async () => {
    const { user, host } = first();
    await screen.findByRole("heading", { name: "Before anything starts" });
    const reached: string[] = [];
    act(() => document.body.focus());
    while (reached.length < 12 && document.activeElement?.textContent !== "Skip") {
      await user.tab();
      const at = document.activeElement as HTMLElement;
      reached.push(at instanceof HTMLInputElement ? (at.labels?.[0]?.textContent ?? at.type) : at instanceof HTMLSelectElement ? "select" : (at.textContent ?? ""));
    }
    expect(reached).toEqual(["Check again", "select", "Budget for a day, in dollars", "Observe", "Continue with Observe", "Skip"]);
    await user.tab({ shift: true });
    await user.tab({ shift: true });
    await user.keyboard("{ArrowDown}");
    await user.tab();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(saved(host)).toEqual([{ "desktop.new_repositories": "ask" }]));
  });
});

it("asks for nothing but a person's own token where a server is signed in to", async () => {
  const { host } = renderUI(<ServerSignIn />, { session: { ...NOBODY, phase: "sign_in" }, host: fakeHost({ answers: {} }) });
  const user = userEvent.setup({ delay: null });
  expect(screen.queryByLabelText("API address")).toBeNull();
  expect(screen.queryByRole("combobox")).toBeNull();
  await user.type(screen.getByLabelText("Token"), " ghp_own ");
  await user.click(button("Sign in"));
  expect(host.called("sign_in")).toEqual([{ command: "sign_in", args: { token: "ghp_own", api_url: null } }]);
});

describe("signing in to a server by a code", () => {
  const CODE = { id: "c1", user_code: "WDJB-MJHT", verification_uri: "https://github.com/login/device", expires_in_ms: 900_000, interval_ms: 5 };
  const server = (answers: FakeAnswers) => {
    const session: Partial<SessionView> = { ...NOBODY, phase: "sign_in", device_sign_in: true };
    const shown = renderUI(<ServerSignIn />, { session, host: fakeHost({ answers }) });
    return { ...shown, user: userEvent.setup({ delay: null }) };
  };

  it("shows the code, and asks until it was typed", async () => {
    const states: DeviceSignInState[] = ["waiting", "waiting", "done"];
    const { host, user } = server({ device_sign_in: CODE, device_sign_in_state: () => states.shift() ?? "done" });
    await user.click(button("Sign in with a code"));
    expect(await screen.findByText("WDJB-MJHT")).toBeVisible();
    expect(screen.getByRole("link", { name: "Open GitHub’s page" })).toHaveAttribute("href", CODE.verification_uri);
    await waitFor(() => expect(host.called("device_sign_in_state")).toHaveLength(3));
    expect(host.called("device_sign_in_state")[0]).toEqual({ command: "device_sign_in_state", args: { id: "c1" } });
  });

  it("says when it was declined, and begins again", async () => {
    const declined = aProblem("device_denied", "The sign-in was declined on GitHub’s page.", ["Try again in a moment."]);
    const { user } = server({ device_sign_in: CODE, device_sign_in_state: declined });
    await user.click(button("Sign in with a code"));
    expect(await screen.findByText("The sign-in was declined on GitHub’s page.")).toBeVisible();
    expect(button("Sign in with a code")).toBeVisible();
  });

  it("is not offered where the server has no app for it", () => {
    renderUI(<ServerSignIn />, { session: { ...NOBODY, phase: "sign_in" }, host: fakeHost({ answers: {} }) });
    expect(screen.queryByRole("button", { name: "Sign in with a code" })).toBeNull();
  });
});
