import { act, configure, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { App, Views } from "../../App";
import { DataProvider, newCache } from "../../data";
import type { Command, SessionView } from "../../generated/wire";
import { aListing, aLoop, anError, aProblem, aRepository, aSession, renderUI, type FakeAnswers } from "../../test";
import { paneHeight } from "../../test/window";
import { connection, DEMO, GONE, hostWith, LISTING } from "../issues/fixtures";

// How long something has taken is told to the minute, and the tests of a busy machine last longer.
vi.hoisted(() => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));

// A busy machine answers late.
configure({ asyncUtilTimeout: 10_000 });

/** Shows the window at an address. */
function show(address: string, session: Partial<SessionView> = {}, answers: FakeAnswers = {}, language: "en" | "fr" = "en") {
  window.location.hash = address;
  paneHeight(2_000);
  const host = hostWith(session, answers);
  const given = host.answers.session;
  const ui = renderUI(<Views />, { host, language, session: typeof given === "object" && "phase" in given ? given : {} });
  return { ...ui, user: userEvent.setup() };
}

const rows = () => [...document.querySelectorAll<HTMLElement>('[role="row"][data-key]')];
const row = (number: number) => {
  const found = rows().find((each) => each.dataset.key?.endsWith(`#${number}`));
  if (!found) throw new Error(`no row of #${number}`);
  return found;
};
const list = () => screen.findByRole("grid");
const frame = () => act(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20))));
const names = (commands: Command[]) => commands.map(({ command }) => command);

test("the list says of each pull request where it stands, and why", async () => {
  show("#/repo/acme/api");
  await list();
  expect(rows()).toHaveLength(8);
  expect(row(482)).toHaveTextContent("#482Cache tenant lookups in the auth middlewareReviewing · 3 of 5 · Under review by Quinn and SamReviewing · 3 of 512 min");
  expect(row(479)).toHaveTextContent("Waiting for @ana");
  expect(row(477)).toHaveTextContent("Ready to merge · 11 checks, 1 reviewer, coderabbitaiReady to merge");
  expect(row(471)).toHaveTextContent("1 finding came back after it was fixed, and nothing else is left to fixNeeds you");
  expect(row(468)).toHaveTextContent("Auto-merge is on: switch it off to let Collie work");
});

test("counts in the sidebar follow the loops", async () => {
  const { host } = show("#/repo/acme/api");
  await list();
  const link = (name: RegExp) => screen.getByRole("link", { name });
  expect(link(/^Needs you/)).toHaveTextContent("Needs you2");
  expect(link(/^Ready to merge/)).toHaveTextContent("Ready to merge1");
  expect(link(/^In progress/)).toHaveTextContent("In progress4");
  host.emit([{ type: "loop", key: "acme/api#480", changed: { state: "failed", attention: "needs_you" } }]);
  await frame();
  expect(link(/^Needs you/)).toHaveTextContent("Needs you3");
  expect(link(/^In progress/)).toHaveTextContent("In progress3");
});

test("beside a repository stands how many are as its icon says, and in its tooltip all of them", async () => {
  const { host } = show("#/repo/acme/api");
  await list();
  const link = () => screen.getByRole("link", { name: /acme\/api/ });
  host.emit([{ type: "loop", key: "acme/api#480", changed: { state: "failed", attention: "needs_you" } }]);
  await frame();
  const told = link().title.split("\n");
  expect(told[0]).toBe("acme/api");
  expect(told.length).toBeGreaterThan(2);
  expect(within(link()).getByRole("img", { name: "Needs you" })).toBeVisible();
  expect(link()).toHaveTextContent(told[1]!.replace("Needs you ", "acme/api"));
});

test("without an address the loops of all repositories are shown", async () => {
  show("");
  expect(await screen.findByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  expect(rows()).toHaveLength(7);
});

test("while the engine starts, what it has not read yet is not said to be missing", async () => {
  show("", { phase: "starting", account: null, engine: null, quota: null }, { loops: [], repositories: [] });
  await screen.findByRole("link", { name: /^In progress/ });
  await frame();
  expect(screen.queryByText("No repositories yet")).toBeNull();
  expect(screen.getByText("Starting…")).toBeVisible();
});

test("a line of the overview says what, where, how far and why", async () => {
  show("#/working");
  await list();
  expect(rows().map(({ dataset }) => dataset.key)).toEqual(["acme/api#482", "acme/web#85", "acme/api#480", "acme/web#88"]);
  expect(row(482)).toHaveTextContent("Cache tenant lookups in the auth middlewareUnder review by Quinn and Samacme/api#4823 of 5nothing spent12 min");
  expect(within(row(482)).getByRole("img", { name: "Checks done, Review in progress, Fix done, Ready not started" })).toBeInTheDocument();
});

test("a row leaves the list when its loop goes elsewhere, and the keyboard stays where it was", async () => {
  const { host, user } = show("#/working");
  await list();
  await user.keyboard("jj");
  expect(row(85)).toHaveFocus();
  host.emit([{ type: "loop", key: "acme/web#85", changed: { state: "merged", attention: "over" } }]);
  await frame();
  expect(rows()).toHaveLength(3);
  // The heading of the next group took its place.
  await user.keyboard("jj");
  expect(row(480)).toHaveFocus();
});

test("the keyboard alone finds, opens and closes a pull request", async () => {
  const { user } = show("#/repo/acme/api");
  await list();
  await user.keyboard("j");
  expect(row(482)).toHaveFocus();
  await user.keyboard("{ArrowDown}{ArrowDown}{ArrowUp}");
  expect(row(480)).toHaveFocus();
  await user.keyboard("{End}");
  expect(row(461)).toHaveFocus();
  await user.keyboard("{Home}jjj{Enter}");
  expect(row(477)).toHaveAttribute("aria-selected", "true");
  expect(window.location.hash).toBe("#/repo/acme/api?show=acme%2Fapi%23477");
  expect(screen.getByRole("region", { name: "Pull request" })).toHaveTextContent("Stream exports instead of buffering them in memory");
  expect(row(477)).toHaveFocus();
  await user.keyboard("{Escape}");
  expect(window.location.hash).toBe("#/repo/acme/api");
  expect(screen.queryByRole("region", { name: "Pull request" })).not.toBeInTheDocument();
});

test("the changes of a pull request take the window by f, and the first Escape gives it back", async () => {
  const { user } = show("#/repo/acme/api");
  await list();
  await user.keyboard("jjj{Enter}");
  await user.keyboard("df");
  expect(await screen.findByRole("heading", { name: "Nothing pushed yet" })).toBeVisible();
  const isBehind = () => {
    for (let at: HTMLElement | null = screen.getByRole("grid"); at; at = at.parentElement) if (at.inert) return true;
    return false;
  };
  expect(isBehind()).toBe(true);
  await user.keyboard("{Escape}");
  expect(isBehind()).toBe(false);
  expect(screen.getByRole("region", { name: "Pull request" })).toBeVisible();
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("region", { name: "Pull request" })).not.toBeInTheDocument();
});

test("only one row is in the order of Tab, and its start comes next", async () => {
  const { user } = show("#/repo/acme/api");
  await list();
  expect(rows().filter((each) => each.tabIndex === 0)).toHaveLength(1);
  await user.keyboard("j{End}");
  await user.tab();
  expect(screen.getByRole("button", { name: "Start a loop for Describe the retry policy" })).toHaveFocus();
  await user.keyboard("{ArrowLeft}");
  expect(row(461)).toHaveFocus();
  await user.keyboard("{ArrowRight}");
  expect(screen.getByRole("button", { name: "Start a loop for Describe the retry policy" })).toHaveFocus();
});

test("a slash goes to the search, Escape empties it, and letters typed there are words", async () => {
  const { user, host } = show("#/repo/acme/api");
  await list();
  await user.keyboard("/retry js");
  const search = screen.getByRole("searchbox", { name: "Search" });
  expect(search).toHaveValue("retry js");
  expect(screen.getByText("No results")).toBeVisible();
  await user.clear(search);
  await user.keyboard("retry");
  expect(rows().map((each) => each.textContent?.slice(0, 4))).toEqual(["#480", "#461"]);
  await user.keyboard("{Escape}");
  expect(rows()).toHaveLength(8);
  await user.keyboard("{Escape}");
  expect(search).not.toHaveFocus();
  expect(host.called("start")).toEqual([]);
});

test("s starts a pull request without a loop, and a refusal is told", async () => {
  const { user, host } = show("#/repo/acme/api", {}, { start: () => aProblem("denied", "@kim may not start loops", ["Add the login to allowed_users."]) });
  await list();
  await user.keyboard("j");
  await user.keyboard("s");
  expect(host.called("start")).toEqual([]);
  await user.keyboard("{End}s");
  expect(host.called("start")).toEqual([{ command: "start", args: { key: "acme/api#461" } }]);
  const notice = await screen.findByRole("alert");
  expect(notice).toHaveTextContent("@kim may not start loopsAdd the login to allowed_users.");
  await user.click(within(notice).getByRole("button", { name: "Close" }));
  expect(notice).toBeEmptyDOMElement();
});

test("s starts once, however long it is held, and not again while that is under way", async () => {
  const { user, host } = show("#/repo/acme/api", {}, { start: () => new Promise(() => undefined) });
  await list();
  await user.keyboard("j{End}{s>4/}ss");
  expect(host.called("start")).toHaveLength(1);
});

test("what stopped is tried again once while that is under way", async () => {
  const { user, host } = show("#/repo/acme/api", { problem: anError("store", "The engine has a problem") }, { try_again: () => new Promise(() => undefined) });
  await list();
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(host.called("try_again")).toHaveLength(1);
});

test("s without a focused row starts nothing that is not shown", async () => {
  const { user, host } = show("#/repo/acme/api?show=acme%2Fapi%23468");
  await list();
  await user.keyboard("s");
  expect(host.called("start")).toEqual([{ command: "start", args: { key: "acme/api#468" } }]);
});

test("a click on a row's start starts it and does not open it", async () => {
  const { user, host } = show("#/repo/acme/api");
  await list();
  await user.click(screen.getByRole("button", { name: "Start a loop for Bump openssl" }));
  expect(host.called("start")).toHaveLength(1);
  expect(window.location.hash).toBe("#/repo/acme/api");
});

test("c and m ask before anything is done", async () => {
  const { user, host } = show("#/repo/acme/api", {}, {
    merge_offer: { head_sha: "9f3c2ab".padEnd(40, "0"), base_ref: "main", methods: ["squash"], refusal: null },
  });
  await list();
  await user.keyboard("jc");
  expect(await screen.findByRole("dialog")).toHaveTextContent(/Cancel/);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  act(() => row(477).focus());
  await user.keyboard("m");
  expect(await screen.findByRole("dialog")).toHaveTextContent(/Merge/);
  expect(window.location.hash).toBe("#/repo/acme/api?show=acme%2Fapi%23477");
  expect(names(host.calls)).not.toContain("cancel");
  expect(names(host.calls)).not.toContain("merge");
});

test("a question mark shows the keys, and digits go to the three places", async () => {
  const { user } = show("#/repo/acme/api");
  await list();
  await user.keyboard("?");
  expect(await screen.findByRole("dialog", { name: "Keyboard shortcuts" })).toHaveTextContent("Next or previous row");
  await user.keyboard("2");
  expect(window.location.hash).toBe("#/repo/acme/api");
  await user.keyboard("{Escape}");
  await user.keyboard("2");
  expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Ready to merge");
});

test("filter chips narrow the list and say how many there are", async () => {
  const { user } = show("#/repo/acme/api");
  await list();
  expect(screen.getByRole("button", { name: /^Pull requests/ })).toHaveTextContent("Pull requests8");
  expect(screen.getByRole("button", { name: /^Issues/ })).toHaveTextContent("Issues14");
  await user.click(screen.getByRole("button", { name: "By agents" }));
  expect(rows()).toHaveLength(1);
  await user.click(screen.getByRole("button", { name: /^Issues/ }));
  expect(rows().map((each) => each.textContent?.slice(0, 3))).toEqual(["#31", "#29"]);
});

test("an issue opens on GitHub", async () => {
  const { user, host } = show("#/repo/acme/api");
  await list();
  await user.click(screen.getByRole("button", { name: /^Issues/ }));
  await user.keyboard("j{Enter}");
  expect(host.called("open")).toEqual([{ command: "open", args: { target: { what: "item", key: "acme/api#31" } } }]);
  expect(window.location.hash).toBe("#/repo/acme/api");
});

test("the toggle asks the host, shows what was asked for, and goes back when it is refused", async () => {
  let refuse: (problem: ReturnType<typeof aProblem>) => void = () => undefined;
  const { user, host } = show("#/repo/acme/api", {}, { set_auto_review: () => new Promise<null>((_, reject) => (refuse = reject)) });
  const toggle = await screen.findByRole("switch", { name: "Auto-PR-Review" });
  expect(toggle).toBeChecked();
  await user.click(toggle);
  expect(host.called("set_auto_review")).toEqual([{ command: "set_auto_review", args: { repo: "acme/api", on: false } }]);
  expect(toggle).not.toBeChecked();
  refuse(aProblem("settings_unwritable", "config.toml cannot be written"));
  await waitFor(() => expect(toggle).toBeChecked());
  expect(screen.getByRole("alert")).toHaveTextContent("config.toml cannot be written");
});

test("the toggle shows what holds once the host has answered", async () => {
  const { user, host } = show("#/repo/acme/api");
  const toggle = await screen.findByRole("switch", { name: "Auto-PR-Review" });
  await user.click(toggle);
  // Said to be done, yet another one switched it on again.
  await waitFor(() => expect(host.called("repositories")).toHaveLength(1));
  await waitFor(() => expect(toggle).toBeChecked());
});

test("the toggle says exactly what it does", async () => {
  const { user } = show("#/repo/acme/api");
  await user.hover(await screen.findByRole("switch", { name: "Auto-PR-Review" }));
  expect(await screen.findByRole("tooltip")).toHaveTextContent(/every open pull request in this repository that is not a draft .* never merges/);
});

test("a repository is read anew when asked, and a failure says what is shown instead", async () => {
  const { user, host } = show("#/repo/acme/api", {}, { listing: { ...LISTING, problem: { code: "refused", message: "GitHub answered 502", hints: [] } } });
  await list();
  expect(screen.getByText("GitHub answered 502")).toBeVisible();
  expect(screen.getByText(/^Showing data from/)).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(host.called("refresh")).toEqual([{ command: "refresh", args: { repo: "acme/api" } }]);
});

test("a repository leaves the sidebar after a question", async () => {
  const { user, host } = show("#/repo/acme/api");
  await list();
  await user.click(screen.getByRole("button", { name: "More actions for acme/web" }));
  await user.click(await screen.findByRole("menuitem", { name: "Remove" }));
  expect(host.called("remove_repository")).toEqual([]);
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Remove" }));
  expect(host.called("remove_repository")).toEqual([{ command: "remove_repository", args: { repo: "acme/web" } }]);
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
});

test("a dialog that a menu opened gives the focus back to the menu's button", async () => {
  const { user } = show("#/repo/acme/api");
  await list();
  const check = async (menu: HTMLElement, item: string) => {
    await user.click(menu);
    await user.click(await screen.findByRole("menuitem", { name: item }));
    const dialog = await screen.findByRole("dialog");
    await waitFor(() => expect(dialog).toHaveFocus());
    await user.keyboard("{Escape}");
    await waitFor(() => expect(menu).toHaveFocus());
  };
  await check(screen.getByRole("button", { name: "More actions for acme/web" }), "Remove");
  await check(screen.getByRole("button", { name: /^Signed in as/ }), "Keyboard shortcuts");
  await check(screen.getByRole("button", { name: /^Signed in as/ }), "Sign out…");
});

test("after a repository was removed the one in its place has the focus", async () => {
  const { user, host } = show("#/repo/acme/api", {}, {
    remove_repository: () => {
      host.answers.repositories = [aRepository({ name: "acme/api" })];
      return null;
    },
  });
  await list();
  await user.click(screen.getByRole("button", { name: "More actions for acme/web" }));
  await user.click(await screen.findByRole("menuitem", { name: "Remove" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(screen.getByRole("link", { name: /^acme\/api/ })).toHaveFocus());
});

test("a repository that cannot be read says so in the sidebar", async () => {
  show("#/needs-you", {}, { repositories: [{ name: "acme/infra", auto_review: false, autonomy: "push", chosen: true, may_write: true, loops: 0, problem: GONE }] });
  expect(await screen.findByRole("img", { name: GONE.message })).toBeInTheDocument();
});

test("each trouble is said with its way out", async () => {
  const check = async (session: Partial<SessionView>, words: RegExp, button?: string, command?: Command) => {
    const { user, host, unmount } = show("#/repo/acme/api", session);
    expect(await screen.findByText(words)).toBeVisible();
    if (button) await user.click(screen.getByRole("button", { name: button }));
    // Signing out is asked for once more, wherever it is offered.
    if (command?.command === "sign_out") {
      expect(host.called("sign_out")).toEqual([]);
      await user.click(within(await screen.findByRole("dialog", { name: "Sign out @kim?" })).getByRole("button", { name: "Sign out" }));
    }
    if (command) expect(host.called(command.command)).toEqual([command]);
    unmount();
  };
  await check(connection("unreachable", 2), /^GitHub is not responding$/);
  await check(connection("rate_limited", 20), /^GitHub quota used up$/);
  await check(connection("unauthorized"), /^GitHub does not accept the token$/, "Sign in again", { command: "sign_out" });
  await check({ phase: "following", engine: { slots: 3, working: 0, queued: 0, process: 4711, elsewhere: false } }, /process 4711/);
  await check({ engine: { slots: null, working: 0, queued: 0, process: null, elsewhere: true } }, /^Loops run on workers elsewhere$/);
  await check({ engine: { slots: 3, working: 3, queued: 2, process: null, elsewhere: true } }, /^3 of 3 slots · 2 queued$/);
  const stopped = { phase: "stopped", engine: null, problem: { code: "owned", message: "The data folder is locked", hints: ["End the other one."] } } as const;
  await check({ ...stopped, problem: { ...stopped.problem, hints: ["End the other one."] } }, /^The data folder is locked$/, "Try again", { command: "try_again" });
  await check({ ...stopped, problem: { ...stopped.problem, hints: [] } }, /^The data folder is locked$/, "Sign out…", { command: "sign_out" });
});

test("the session that cannot be read says why, and is read again", async () => {
  const host = hostWith();
  const known = host.answers.session;
  host.answers.session = aProblem("store", "The backend is gone");
  render(
    <DataProvider host={host} cache={newCache()}>
      <App />
    </DataProvider>,
  );
  expect(await screen.findByText("The backend is gone")).toBeVisible();
  host.answers.session = known;
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("grid")).toBeVisible();
  expect(document.documentElement.dataset.theme).toBe("light");
});

test("empty places say why they are", async () => {
  const check = async (address: string, answers: FakeAnswers, words: string) => {
    const { unmount } = show(address, {}, answers);
    expect(await screen.findByText(words)).toBeVisible();
    unmount();
  };
  await check("#/needs-you", { loops: [] }, "Nothing needs you");
  await check("#/ready", { loops: [] }, "Nothing is ready yet");
  await check("#/working", { loops: [] }, "Nothing in progress");
  await check("#/repo/acme/api", { loops: [], listing: aListing({ pulls: [] }) }, "No open pull requests");
  await check("#/", { loops: [], repositories: [] }, "No repositories yet");
});

test("the demo is named, its scenarios can be started, and it can be left for good", async () => {
  const { user, host } = show("#/repo/acme/api", DEMO);
  expect(await screen.findByText("2 of 5 scenarios started")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Scenarios" }));
  const dialog = await screen.findByRole("dialog", { name: "Demo scenarios" });
  await user.click(within(dialog).getByRole("button", { name: "Leave the demo…" }));
  const question = await screen.findByRole("dialog", { name: "Leave the demo?" });
  await user.click(within(question).getByRole("button", { name: "Back" }));
  await waitFor(() => expect(screen.getByRole("button", { name: "Scenarios" })).toHaveFocus());
  await user.keyboard("{Enter}");
  await user.click(await screen.findByRole("button", { name: "Leave the demo…" }));
  await user.click(await screen.findByRole("checkbox", { name: "Delete the demo’s data" }));
  await user.click(screen.getByRole("button", { name: "Leave" }));
  expect(host.called("leave_demo")).toEqual([{ command: "leave_demo", args: { forget: true } }]);
});

test("closing the settings leads back to where they were opened", async () => {
  const { user } = show("#/working?show=acme%2Fapi%23480");
  await list();
  await user.click(screen.getByRole("link", { name: "Settings" }));
  act(() => {
    window.location.hash = "#/settings/bots";
  });
  const settings = await screen.findByRole("region", { name: "Settings" });
  await user.click(within(settings).getByRole("button", { name: /^Close/ }));
  await waitFor(() => expect(window.location.hash).toBe("#/working?show=acme%2Fapi%23480"));
  expect(screen.getByRole("region", { name: "Pull request" })).toBeVisible();
});

test("the host is told once when the window can be used", async () => {
  const { host } = show("#/repo/acme/api");
  await list();
  await waitFor(() => expect(host.called("interactive")).toHaveLength(1));
  host.emit([{ type: "stale", topics: [[]] }]);
  await frame();
  expect(host.called("interactive")).toHaveLength(1);
});

test("what somebody asked for from outside is shown, and what belongs nowhere is said", async () => {
  const { host } = show("#/needs-you");
  await list();
  act(() => host.emit([{ type: "show", key: "acme/api#480" }, { type: "notice", code: "argument", text: "Nobody understands that" }]));
  expect(window.location.hash).toBe("#/repo/acme/api?show=acme%2Fapi%23480");
  expect(screen.getByText("Nobody understands that")).toBeVisible();
});

test("what cannot be shown says so in its place, and the rest of the window stays", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const broken = aLoop({ key: "acme/api#482" });
  Object.assign(broken, { findings: null });
  const { user } = show("#/repo/acme/api?show=acme%2Fapi%23482", {}, { loops: [broken, aLoop({ key: "acme/api#480" })] });
  expect(await within(await screen.findByRole("region", { name: "Pull request" })).findByText("This part could not be shown")).toBeVisible();
  await user.click(row(480));
  expect(screen.queryByText("This part could not be shown")).not.toBeInTheDocument();
});

test("a window that cannot be shown at all offers to be loaded again", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const reload = vi.fn();
  vi.stubGlobal("location", { ...window.location, reload });
  const host = hostWith();
  host.answers.session = { ...aSession(), account: "nobody", demo: {} } as never;
  render(
    <DataProvider host={host} cache={newCache()}>
      <App />
    </DataProvider>,
  );
  await userEvent.click(await screen.findByRole("button", { name: "Reload" }));
  expect(reload).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});

test("what came while the first steps were shown is heard of once the frame is there", async () => {
  const { host } = show("#/needs-you", { phase: "stopped", engine: null });
  act(() => host.emit([{ type: "notice", code: "argument", text: "Nobody understands that" }, { type: "show", key: "acme/api#480" }]));
  host.answers.session = aSession();
  act(() => host.emit([{ type: "stale", topics: [["session"]] }]));
  expect(await screen.findByText("Nobody understands that")).toBeVisible();
  expect(window.location.hash).toBe("#/repo/acme/api?show=acme%2Fapi%23480");
});

test("where there is no room for both, the focus goes to what opens, and back to its row", async () => {
  const { user } = show("#/repo/acme/api");
  const grid = await list();
  // As the list does where the frame is too narrow for both.
  const pane = grid.closest("main")?.firstElementChild as HTMLElement;
  pane.style.display = "none";
  await user.keyboard("jj{Enter}");
  expect(screen.getByRole("region", { name: "Pull request" })).toHaveFocus();
  await user.keyboard("{Escape}");
  expect(row(480)).toHaveFocus();
});

test("another language is shown at once", async () => {
  const { host } = show("#/repo/acme/api");
  await list();
  expect(screen.getByRole("link", { name: "Settings" })).toBeVisible();
  show("#/repo/acme/api", {}, {}, "fr");
  expect(screen.getByRole("link", { name: "Réglages" })).toBeVisible();
  expect(host.kind).toBe("desktop");
});
