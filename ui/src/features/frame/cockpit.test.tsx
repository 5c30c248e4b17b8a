import { act, configure, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { Views } from "../../App";
import type { OpenPullsView } from "../../generated/wire";
import { aLoop, aProblem, aPull, renderUI, type FakeAnswers } from "../../test";
import { paneHeight, windowWidth } from "../../test/window";
import { aDiff, someChanges } from "../changes/fixtures";
import { aSpending, SOME_LOOPS } from "../overview/fixtures";
import { hostWith } from "../issues/fixtures";

// A busy machine answers late.
configure({ asyncUtilTimeout: 10_000 });

function show(address: string, answers: FakeAnswers = {}) {
  window.location.hash = address;
  paneHeight(2_000);
  const host = hostWith({}, answers);
  return { ...renderUI(<Views />, { host }), user: userEvent.setup({ delay: null }) };
}

const list = () => screen.findByRole("grid");
const rows = () => [...document.querySelectorAll<HTMLElement>('[role="row"][data-key]')];
const row = (key: string) => document.querySelector<HTMLElement>(`[role="row"][data-key="${key}"]`);
const frame = () => act(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20))));
const tile = (name: RegExp) => within(screen.getByRole("group", { name: "Filter by state" })).getByRole("button", { name });
const button = (name: string | RegExp) => screen.getByRole("button", { name });

test("a tile narrows the list down and keeps the focus, and the sidebar does the same", async () => {
  const { user } = show("#/");
  await list();
  expect(rows()).toHaveLength(7);
  await user.click(tile(/^Needs you/));
  expect(window.location.hash).toBe("#/needs-you");
  expect(tile(/^Needs you/)).toHaveAttribute("aria-pressed", "true");
  expect(tile(/^Needs you/)).toHaveFocus();
  expect(rows().map(({ dataset }) => dataset.key)).toEqual(["acme/api#479", "acme/api#471"]);
  expect(screen.getByRole("link", { name: /^Needs you/ })).toHaveAttribute("aria-current", "page");
  await user.click(tile(/^Needs you/));
  expect(window.location.hash).toBe("#/");
  await user.keyboard("2");
  expect(rows().map(({ dataset }) => dataset.key)).toEqual(["acme/api#477"]);
  await user.keyboard("0");
  expect(screen.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
});

test("everything is paused with one click", async () => {
  const { host, user } = show("#/");
  await user.click(await screen.findByRole("button", { name: "Pause everything" }));
  expect(host.called("set_paused")).toEqual([{ command: "set_paused", args: { paused: true } }]);
});

test("a pause that could not be written down is said", async () => {
  const { user } = show("#/", { set_paused: aProblem("disk_full", "The disk is full") });
  await user.click(await screen.findByRole("button", { name: "Pause everything" }));
  expect(await screen.findByText("The disk is full")).toBeVisible();
});

test("while everything is paused a banner says so and ends it", async () => {
  window.location.hash = "#/";
  const host = hostWith();
  renderUI(<Views />, { host, session: { pause: { by: "kim", since: "2026-11-24T14:02:00Z" } } });
  const user = userEvent.setup({ delay: null });
  expect(await screen.findByText("Everything is paused")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Pause everything" })).toBeNull();
  await user.click(button("Continue"));
  expect(host.called("set_paused")).toEqual([{ command: "set_paused", args: { paused: false } }]);
});

test("the tile of what was spent says what is left, and never a zero where no price is known", async () => {
  const check = async (answers: FakeAnswers, words: RegExp) => {
    const { unmount, user } = show("#/", answers);
    await list();
    await waitFor(() => expect(tile(/^Spent today/)).toHaveTextContent(words));
    await user.click(tile(/^Spent today/));
    expect(screen.getByRole("combobox", { name: "Sort" })).toHaveValue("cost");
    unmount();
    localStorage.clear();
  };
  await check({ spending: aSpending(2.65) }, /^Spent today \$2\.65 \$17\.35 of \$20\.00 left$/);
  await check({ spending: aSpending(null, null) }, /^Spent today price unknown no limit$/);
  await check({}, /^Spent today Nothing no limit$/);
});

test("a group folds and stays folded", async () => {
  const { user, unmount } = show("#/");
  await list();
  await user.click(button(/^Needs you 2$/));
  expect(rows()).toHaveLength(5);
  unmount();
  show("#/");
  await list();
  expect(rows()).toHaveLength(5);
});

test("the state has a column where lines are not grouped by it, and its room is the reason's where they are", async () => {
  const { user } = show("#/", { loops: SOME_LOOPS });
  await list();
  const line = (key: string) => row(key) ?? document.body;
  const word = () => within(line("acme/api#480")).queryByText("Waiting for checks");
  const cells = () => within(line("acme/api#480")).getAllByRole("gridcell");
  const heads = () => screen.getAllByRole("columnheader");
  expect(word()).toBeNull();
  expect(cells()).toHaveLength(heads().length);
  // Columns are as wide as their text: a row of another size has others.
  const sizeOf = (element: Element | null | undefined) => element?.className.match(/\btext-(xs|sm|base|lg)\b/)?.[0];
  expect(sizeOf(heads()[0]?.parentElement)).toBe(sizeOf(line("acme/api#480")));
  // What is done is told apart by how it ended.
  expect(line("acme/infra#7")).toHaveTextContent("Merged · 11 checks, 1 reviewer");
  expect(within(line("acme/api#471")).getByTitle("1 finding came back after it was fixed, and nothing else is left to fix")).toBeVisible();
  await user.selectOptions(screen.getByRole("combobox", { name: "Group" }), "none");
  expect(word()).toBeVisible();
  expect(cells()).toHaveLength(heads().length + 1);
  expect(line("acme/infra#7")).not.toHaveTextContent("Merged ·");
});

test("rows are made compact, without the tiles whose counts the sidebar has, and stay so", async () => {
  const { user, unmount } = show("#/", { loops: SOME_LOOPS, spending: aSpending(2.65) });
  const grid = await screen.findByRole("grid");
  const room = () => Number.parseFloat(within(grid).getByRole("rowgroup").style.height);
  const rows = within(grid).getAllByRole("row").filter((line) => line.dataset.key).length;
  const groups = within(grid).getAllByRole("row").length - 1 - rows;
  expect(room()).toBe(rows * 36 + groups * 40);
  await user.click(button("Views"));
  await user.click(await screen.findByRole("menuitem", { name: "Show compact rows" }));
  expect(room()).toBe(rows * 24 + groups * 28);
  expect(screen.queryByRole("group", { name: "Filter by state" })).not.toBeInTheDocument();
  expect(screen.getByText("Spent today", { exact: false })).toHaveTextContent("Spent today $2.65");
  unmount();
  show("#/settings/general", { loops: SOME_LOOPS });
  const compact = await screen.findByRole("switch", { name: "Compact rows" });
  expect(compact).toBeChecked();
  await user.click(compact);
  expect(compact).not.toBeChecked();
});

test("a view is kept under a name, shown again and forgotten", async () => {
  const { user } = show("#/");
  await list();
  await user.selectOptions(screen.getByRole("combobox", { name: "Group" }), "repository");
  await user.click(button("Views"));
  await user.click(await screen.findByRole("menuitem", { name: "Save this view…" }));
  const name = await screen.findByRole("textbox", { name: "Name" });
  // The menu has to be gone before the dialog takes a pointer.
  await waitFor(() => expect(getComputedStyle(screen.getByRole("dialog")).pointerEvents).toBe("auto"));
  await user.type(name, "By repo{Enter}");
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  await user.selectOptions(screen.getByRole("combobox", { name: "Group" }), "state");
  await user.click(button("Views"));
  await user.click(await screen.findByRole("menuitem", { name: "By repo" }));
  await waitFor(() => expect(button(/^acme\/api 5$/)).toBeVisible());
  await user.click(button("Views"));
  await user.click(await screen.findByRole("menuitem", { name: "Remove “By repo”" }));
  await user.click(button("Views"));
  expect(screen.queryByRole("menuitem", { name: "By repo" })).not.toBeInTheDocument();
});

test("what is chosen with x is cancelled together after a summary of what is lost", async () => {
  const { user, host } = show("#/working");
  await list();
  await user.keyboard("jxjx");
  expect(screen.getByRole("toolbar", { name: "Selected pull requests" })).toHaveTextContent("2 selected");
  expect(row("acme/api#482")).toHaveAttribute("aria-selected", "true");
  await user.click(button("Cancel 2"));
  const dialog = await screen.findByRole("dialog", { name: "Cancel 2 runs?" });
  expect(dialog).toHaveTextContent("2 of them are at work: what they have not pushed is lost.");
  expect(dialog).toHaveTextContent("acme/web#85");
  expect(host.called("cancel")).toEqual([]);
  await user.click(within(dialog).getByRole("button", { name: "Cancel 2 runs" }));
  await waitFor(() => expect(host.called("cancel").map(({ args }) => args.key)).toEqual(["acme/api#482", "acme/web#85"]));
  await waitFor(() => expect(screen.queryByRole("toolbar")).not.toBeInTheDocument());
});

test("a refusal of one keeps the others from nothing", async () => {
  const { user, host } = show("#/needs-you", {
    retry: () => aProblem("denied", "@kim may not start loops"),
  });
  await list();
  await user.keyboard("jxjx");
  await user.click(button("Retry 1"));
  const dialog = await screen.findByRole("dialog", { name: "Retry 1 run?" });
  expect(dialog).toHaveTextContent("1 selected loop has not stopped and stays as it is.");
  await user.click(within(dialog).getByRole("button", { name: "Retry 1" }));
  expect(await screen.findByText("@kim may not start loops")).toBeVisible();
  expect(host.called("retry")).toHaveLength(1);
});

const NOT_STARTED = [
  aPull({ key: "acme/infra#3", number: 3, title: "Pin the image", author: "kim" }),
  aPull({ key: "acme/web#5", number: 5, title: "Say hello", author: "ana" }),
];
const open = (more: Partial<OpenPullsView> = {}): FakeAnswers => ({ open_pulls: { pulls: NOT_STARTED, unread: [], truncated: [], ...more } });

test("what is open without a loop is listed in the overview and started there, one or several", async () => {
  const { user, host } = show("#/", open());
  await list();
  await waitFor(() => expect(row("acme/infra#3")).not.toBeNull());
  expect(button(/^Not started 2$/)).toBeVisible();
  await user.click(button("Start a loop for Pin the image"));
  expect(host.called("start")).toEqual([{ command: "start", args: { key: "acme/infra#3" } }]);
  act(() => row("acme/web#5")?.focus());
  await user.keyboard("s");
  await waitFor(() => expect(host.called("start")).toHaveLength(2));
  act(() => row("acme/web#5")?.focus());
  await user.keyboard("x{ArrowUp}x");
  await user.click(button("Start 2"));
  await user.click(within(await screen.findByRole("dialog", { name: "Start 2 loops?" })).getByRole("button", { name: "Start 2" }));
  await waitFor(() => expect(host.called("start")).toHaveLength(4));
});

test("behind a tile nothing that is not started is read or listed, and a long list says that there is more", async () => {
  const { user, host } = show("#/needs-you", open({ truncated: ["acme/web"] }));
  await list();
  expect(host.called("open_pulls")).toEqual([]);
  expect(row("acme/infra#3")).toBeNull();
  await user.keyboard("0");
  await waitFor(() => expect(button(/^Not started 2\+$/)).toBeVisible());
});

test("a pull request leaves the group once it has a loop", async () => {
  const { host } = show("#/", open());
  await waitFor(() => expect(row("acme/infra#3")).not.toBeNull());
  host.emit([{ type: "loop", key: "acme/infra#3", changed: aLoop({ key: "acme/infra#3", title: "Pin the image" }) }]);
  await waitFor(() => expect(button(/^Not started 1$/)).toBeVisible());
});

test("without a loop the overview waits for what is open, and says so where nothing is", async () => {
  const { host, unmount } = show("#/", { loops: [], ...open({ pulls: [], unread: ["acme/api"] }) });
  expect(await screen.findByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await waitFor(() => expect(host.called("open_pulls")).toHaveLength(1));
  expect(screen.queryByText("No loops yet")).toBeNull();
  host.answers.open_pulls = { pulls: [], unread: [], truncated: [] };
  host.emit([{ type: "stale", topics: [["open_pulls"]] }]);
  expect(await screen.findByText("No loops yet")).toBeVisible();
  expect(screen.getByText(/^No pull request is open in the repositories that you watch/)).toBeVisible();
  unmount();
  show("#/", { loops: [], ...open() });
  await waitFor(() => expect(row("acme/infra#3")).not.toBeNull());
  expect(screen.queryByText("No loops yet")).toBeNull();
});

test("the host is told what is snoozed, and what no longer is", async () => {
  const { user, host } = show("#/needs-you");
  await list();
  const told = () => host.called("set_snoozes").map(({ args }) => args.snoozes);
  act(() => row("acme/api#479")?.focus());
  await user.keyboard("h");
  await user.click(await screen.findByRole("button", { name: "Until it changes" }));
  await waitFor(() => expect(told()).toEqual([[{ key: "acme/api#479", until_ms: null }]]));
  host.emit([{ type: "loop", key: "acme/api#479", changed: { head_sha: "b".repeat(40) } }]);
  await waitFor(() => expect(told()).toEqual([[{ key: "acme/api#479", until_ms: null }], []]));
  act(() => row("acme/api#479")?.focus());
  await user.keyboard("h");
  await user.click(await screen.findByRole("button", { name: "Until tomorrow" }));
  await waitFor(() => expect(told().at(-1)?.[0]?.until_ms).toBeGreaterThan(Date.now()));
});

test("the host is told which kinds of notifications are off", async () => {
  const { user, host, unmount } = show("#/ready");
  await list();
  const told = () => host.called("set_muted_notifications").map(({ args }) => args.kinds);
  expect(told()).toEqual([]);
  await user.click(await screen.findByRole("button", { name: /^Notifications/ }));
  await user.click(within(await screen.findByRole("dialog", { name: "Notifications" })).getByRole("checkbox", { name: "Failed" }));
  await waitFor(() => expect(told()).toEqual([["failed"]]));
  unmount();
  const again = show("#/ready");
  await waitFor(() => expect(again.host.called("set_muted_notifications")).toHaveLength(1));
});

test("pull requests of a repository are started together", async () => {
  const { user, host } = show("#/repo/acme/api");
  await list();
  act(() => row("acme/api#461")?.focus());
  await user.keyboard("x{ArrowUp}x");
  await user.click(button("Start 2"));
  await user.click(within(await screen.findByRole("dialog", { name: "Start 2 loops?" })).getByRole("button", { name: "Start 2" }));
  await waitFor(() => expect(host.called("start")).toHaveLength(2));
});

test("a run that loses nothing is cancelled at once, and that can be taken back", async () => {
  const { user, host } = show("#/working");
  await list();
  act(() => row("acme/api#480")?.focus());
  await user.keyboard("c");
  expect(await screen.findByText("Cancelling acme/api#480. Nothing is lost.")).toBeVisible();
  await user.click(button("Undo"));
  expect(screen.queryByText(/^Cancelling/)).not.toBeInTheDocument();
  expect(host.called("cancel")).toEqual([]);
});

test("a run whose work would be lost is asked about", async () => {
  const { user, host } = show("#/working");
  await list();
  act(() => row("acme/api#482")?.focus());
  await user.keyboard("c");
  expect(await screen.findByRole("dialog", { name: "Cancel this run?" })).toBeVisible();
  expect(host.called("cancel")).toEqual([]);
});

test("a snoozed loop leaves what needs somebody, and comes back with its next change", async () => {
  const { user, host } = show("#/needs-you");
  await list();
  act(() => row("acme/api#471")?.focus());
  await user.keyboard("h");
  await user.click(within(await screen.findByRole("dialog", { name: "Snooze “Replace the date parser”?" })).getByRole("button", { name: "Until it changes" }));
  await waitFor(() => expect(row("acme/api#471")).toBeNull());
  expect(screen.getByRole("link", { name: /^Needs you/ })).toHaveTextContent("Needs you1");
  await user.keyboard("0");
  expect(button(/^Snoozed 1$/)).toBeVisible();
  act(() => host.emit([{ type: "loop", key: "acme/api#471", changed: { iteration: 4 } }]));
  await waitFor(() => expect(screen.queryByRole("button", { name: /^Snoozed/ })).not.toBeInTheDocument());
});

test("the palette is a combobox that opens by Ctrl+K, runs by Enter, and gives the focus back", async () => {
  const { user } = show("#/");
  await list();
  await user.keyboard("j");
  const line = document.activeElement;
  await user.keyboard("{Control>}k{/Control}");
  const box = await screen.findByRole("combobox", { name: "Commands" });
  await waitFor(() => expect(box).toHaveFocus());
  expect(box).toHaveAttribute("aria-activedescendant", screen.getAllByRole("option")[0]?.id);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(line).toHaveFocus());
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await screen.findByRole("combobox", { name: "Commands" }), "focus ring");
  expect(screen.getAllByRole("option")[0]).toHaveTextContent("Fix the focus ring of the date picker");
  await user.keyboard("{Enter}");
  await waitFor(() => expect(window.location.hash).toBe("#/?show=acme%2Fweb%2385"));
});

test("the palette finds a setting by its name and leads to it", async () => {
  const { user } = show("#/");
  await list();
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await screen.findByRole("combobox", { name: "Commands" }), "language");
  await user.keyboard("{Enter}");
  await waitFor(() => expect(screen.getByRole("combobox", { name: "Language" })).toHaveFocus());
});

test("what happens to loops rings the bell, and leads to them", async () => {
  const { user, host } = show("#/ready");
  await list();
  await frame();
  act(() => host.emit([{ type: "loop", key: "acme/web#85", changed: { state: "failed", attention: "needs_you", blocker: null } }]));
  await user.click(await screen.findByRole("button", { name: "Notifications, 1 new" }));
  const dialog = await screen.findByRole("dialog", { name: "Notifications" });
  await user.click(within(dialog).getByRole("link", { name: /^Fix the focus ring.*Failed · acme\/web#85$/ }));
  await waitFor(() => expect(window.location.hash).toBe("#/repo/acme/web?show=acme%2Fweb%2385"));
  expect(await screen.findByRole("button", { name: "Notifications" })).toBeVisible();
});

test("letters are no shortcuts when that is turned off, and arrows and Ctrl+K still are", async () => {
  const { user } = show("#/settings/general");
  await user.click(await screen.findByRole("switch", { name: "Shortcuts of a single letter" }));
  await user.keyboard("2");
  expect(window.location.hash).toBe("#/settings/general");
  await user.keyboard("{Control>}k{/Control}");
  expect(await screen.findByRole("combobox", { name: "Commands" })).toBeVisible();
});

test("brackets go from tab to tab, n and p from finding to finding, o to GitHub", async () => {
  const { user, host } = show("#/?show=acme%2Fapi%23482");
  await screen.findByRole("tab", { name: "Progress" });
  await user.keyboard("n");
  expect(document.activeElement).toHaveTextContent("Cache key leaves out the tenant's region");
  await user.keyboard("]");
  expect(screen.getByRole("tab", { name: "Changes" })).toHaveAttribute("aria-selected", "true");
  await user.keyboard("[[");
  expect(screen.getByRole("tab", { name: "Progress" })).toHaveAttribute("aria-selected", "true");
  await user.keyboard("o");
  expect(host.called("open")).toEqual([{ command: "open", args: { target: { what: "item", key: "acme/api#482" } } }]);
});

test("in the changes n and p go from hunk to hunk", async () => {
  const { user } = show("#/?show=acme%2Fapi%23482", { changes: someChanges, commit_diff: ({ sha: asked }) => ({ ...aDiff, sha: asked }) });
  await screen.findByRole("tab", { name: "Progress" });
  await user.keyboard("d");
  const table = await screen.findByRole("table", { name: /^Lines of/ });
  await waitFor(() => expect(within(table).getAllByRole("row").length).toBeGreaterThan(0));
  await user.keyboard("n");
  await waitFor(() => expect(screen.getAllByText(/^Hunk 1 of/).length).toBeGreaterThan(0));
});

test("in a narrow window the sidebar comes when it is asked for", async () => {
  windowWidth(480);
  const { user } = show("#/");
  await list();
  const menu = button("Sidebar");
  expect(menu).toHaveAttribute("aria-expanded", "false");
  await user.click(menu);
  expect(menu).toHaveAttribute("aria-expanded", "true");
  await user.keyboard("{Escape}");
  expect(menu).toHaveAttribute("aria-expanded", "false");
  await user.click(menu);
  await user.click(screen.getByRole("link", { name: /^acme\/web/ }));
  await waitFor(() => expect(menu).toHaveAttribute("aria-expanded", "false"));
});

test("a level that could not be set beside a pull request is said", async () => {
  const { user } = show(`#/?show=${encodeURIComponent("acme/api#482")}`, { set_autonomy: aProblem("settings_unwritable", "The file cannot be written.") });
  await user.click(await screen.findByRole("button", { name: /^Autonomy: push/ }));
  await user.click(await screen.findByRole("menuitemradio", { name: /^Ask/ }));
  expect(await screen.findByText("The file cannot be written.")).toBeVisible();
});
