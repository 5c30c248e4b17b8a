import { expect, test, vi } from "vitest";
import type { LoopView } from "../../generated/wire";
import { textIn } from "../../i18n";
import { aLoop, aPull, aReadyLoop, aSetting, aSettings } from "../../test";
import { parseAddress } from "./address";
import { commandsFor, noneText, type PaletteContext } from "./entries";
import { score } from "./match";

const t = textIn("en");

test("letters match in their order, and the beginnings of words most", () => {
  const order = (query: string, texts: string[]) =>
    texts
      .flatMap((text) => {
        const found = score(text, query);
        return found === null ? [] : [{ text, found }];
      })
      .sort((a, b) => b.found - a.found)
      .map(({ text }) => text);
  expect(order("rtm", ["Retry metrics", "Ready to merge", "Merge trains"])).toEqual(["Ready to merge", "Retry metrics"]);
  expect(order("merge", ["Major emergency", "Merge", "Ready to merge"])).toEqual(["Merge", "Ready to merge", "Major emergency"]);
  expect(order("etat", ["État", "Notification"])).toEqual(["État"]);
  expect(order("api 480", ["acme/api#480", "acme/web#480"])).toEqual(["acme/api#480"]);
  // Letters here and there inside of words are no hit; a word's start is, and three in a row.
  expect(order("rt", ["Start", "Retry"])).toEqual(["Retry"]);
  expect(order("tar", ["Start", "Metrics for all"])).toEqual(["Start"]);
  expect(order("hook", ["Retry webhooks"])).toEqual(["Retry webhooks"]);
  expect(score("abc", "")).not.toBeNull();
  expect(score("abc", "abcd")).toBeNull();
});

test("a pull request is told by its address, and nothing else is taken for one", () => {
  const check = (text: string, host: string | null, key: string) => expect(parseAddress(text)).toEqual({ host, key });
  check("https://github.com/acme/api/pull/480", "github.com", "acme/api#480");
  check("  https://github.com/acme/api/pull/480/files?w=1#diff-1 ", "github.com", "acme/api#480");
  check("http://forge.example:3000/acme/api/pulls/7", "forge.example:3000", "acme/api#7");
  check("github.com/acme/api.js/pull/1", "github.com", "acme/api.js#1");
  check("acme/api#480", null, "acme/api#480");
  for (const text of ["", "acme", "acme/api", "https://github.com/acme/api", "https://github.com/acme/api/pull/x", "https://github.com/acme/api/pull/0", "javascript:alert(1)", "https://"]) {
    expect(parseAddress(text), text).toBeNull();
  }
});

const loop = aLoop({ title: "Retry webhook delivery" });
const ready = aReadyLoop();
const pull = aPull();

function context(more: Partial<PaletteContext> = {}): PaletteContext {
  return {
    loops: [loop, ready],
    pulls: [pull],
    repositories: ["acme/api", "acme/web"],
    settings: aSettings({ fields: [aSetting({ key: "language" })] }),
    chosen: [],
    current: null,
    host: "github.com",
    snoozed: () => false,
    mayWriteTo: () => true,
    operate: true,
    canMerge: true,
    navigate: vi.fn(),
    show: vi.fn(),
    goToSetting: vi.fn(),
    bulk: vi.fn(),
    start: vi.fn(),
    openOnGitHub: vi.fn(),
    snooze: vi.fn(),
    showKeys: vi.fn(),
    showNotifications: vi.fn(),
    paused: false,
    setPaused: vi.fn(),
    compactRows: false,
    setCompactRows: vi.fn(),
    ...more,
  };
}

const entriesOf = (query: string, more: Partial<PaletteContext> = {}) => commandsFor(query, context(more), t, "en").flatMap(({ entries }) => entries);
const labels = (query: string, more: Partial<PaletteContext> = {}) => entriesOf(query, more).map(({ label }) => label);

test("before anything is typed it offers the places, with their keys", () => {
  const places = entriesOf("");
  expect(places.slice(0, 4).map(({ label, keys }) => [label, keys?.[0]])).toEqual([["Overview", "0"], ["Needs you", "1"], ["Ready to merge", "2"], ["In progress", "3"]]);
});

test("what is done to everything, and to the window, stands apart from the places", () => {
  const groups = commandsFor("", context(), t, "en");
  const of = (name: string) => groups.find((group) => group.name === name)?.entries.map(({ id }) => id);
  expect(of("Everything")).toEqual(["pause"]);
  expect(of("Window")).toEqual(["compact-rows"]);
  expect(of("Go to")).toEqual(["go-home", "go-needs-you", "go-ready", "go-working", "go-insights", "notifications", "keys"]);
});

test("everything is paused from it, and goes on from it", () => {
  for (const paused of [false, true]) {
    const setPaused = vi.fn();
    const entry = entriesOf("pause", { paused, setPaused }).find(({ id }) => id === "pause");
    expect(entry?.label).toBe(paused ? "Continue everything that is paused" : "Pause everything");
    entry?.run();
    expect(setPaused).toHaveBeenCalledWith(!paused);
  }
  expect(entriesOf("pause", { paused: null }).map(({ id }) => id)).not.toContain("pause");
});

test("the rows of the overview are made compact from it, and as high as before", () => {
  for (const compactRows of [false, true]) {
    const setCompactRows = vi.fn();
    const entry = entriesOf("rows", { compactRows, setCompactRows }).find(({ id }) => id === "compact-rows");
    expect(entry?.label).toBe(compactRows ? "Show the usual rows" : "Show compact rows");
    entry?.run();
    expect(setCompactRows).toHaveBeenCalledWith(!compactRows);
  }
});

test("pull requests, repositories and settings are found by name", () => {
  expect(labels("webhook")[0]).toBe("Retry webhook delivery");
  expect(labels("openssl")[0]).toBe("Bump openssl");
  expect(labels("acme/web")[0]).toBe("acme/web");
  const goToSetting = vi.fn();
  const found = entriesOf("language", { goToSetting })[0];
  expect([found?.label, found?.hint]).toEqual(["Language", "General"]);
  found?.run();
  expect(goToSetting).toHaveBeenCalledWith("general", "language");
  expect(labels("zzzz")).toEqual([]);
});

test("it acts on the pull request that is shown, as far as that makes sense", () => {
  const groups = commandsFor("", context({ current: ready.key }), t, "en");
  expect(groups[0]?.name).toBe(`${ready.title} · ${ready.key}`);
  expect(groups[0]?.entries.map(({ label, keys }) => [label, keys?.[0]])).toEqual([["Open", "↵"], ["Merge…", "m"], ["Cancel the run", "c"], ["Open on GitHub", "o"], ["Snooze…", "h"]]);
  expect(labels("", { current: ready.key, canMerge: false })).not.toContain("Merge…");
  // By its name: a title that matches finds the pull request, not all that can be done with it.
  expect(labels("merge", { current: ready.key })[0]).toBe("Merge…");
  expect(labels(ready.title, { current: ready.key })).toEqual([ready.title]);
  expect(labels("", { current: pull.key })[0]).toBe("Start a loop");
  const reader = { mayWriteTo: (repo: string) => repo !== "acme/api" };
  expect(labels("", { current: ready.key, ...reader })).not.toContain("Cancel the run");
  expect(labels("", { current: pull.key, ...reader })).not.toContain("Start a loop");
  const failed = aLoop({ state: "failed", can_retry: true });
  const retry = { current: failed.key, loops: [failed] };
  expect(labels("", retry)).toContain(t("palette-retry"));
  expect(labels("", { ...retry, ...reader })).not.toContain(t("palette-retry"));
});

test("what a loop waits for can be decided from it, by whoever may write", () => {
  const held = { commit: "b".repeat(40), head: "a".repeat(40), files: ["a.ts"], can_approve: true } as LoopView["held_push"];
  const waiting = aLoop({ can_resume: true, held_push: held });
  const at = { current: waiting.key, loops: [waiting] };
  for (const [action, label] of [["approve", "Approve push…"], ["reject", "Reject…"], ["resume", "Resume…"]] as const) {
    const show = vi.fn();
    const entry = entriesOf("", { ...at, show }).find((each) => each.label === label);
    entry?.run();
    expect(show).toHaveBeenCalledWith(waiting.key, action);
  }
  const offered = [labels("", { ...at, mayWriteTo: () => false }), labels("", { current: loop.key })];
  for (const labels of offered) expect(labels.filter((label) => /Approve|Reject|Resume/.test(label))).toEqual([]);
});

test("it acts on the selection", () => {
  const bulk = vi.fn();
  const chosen = [{ key: loop.key, title: loop.title, loop }, { key: pull.key, title: pull.title, pull }];
  const found = entriesOf("", { chosen, bulk });
  expect(found.slice(0, 2).map(({ label }) => label)).toEqual(["Start 1", "Cancel 1"]);
  found[1]?.run();
  expect(bulk).toHaveBeenCalledWith("cancel", chosen);
});

test("a pasted address opens its pull request, or offers to start a loop on it", () => {
  const show = vi.fn();
  const start = vi.fn();
  entriesOf("https://github.com/Acme/API/pull/480", { show })[0]?.run();
  expect(show).toHaveBeenCalledWith("acme/api#480");
  const unknown = entriesOf("https://github.com/other/one/pull/5", { start });
  expect(unknown.map(({ label }) => label).slice(0, 2)).toEqual(["Start a loop for other/one#5", "Open other/one#5 on GitHub"]);
  unknown[0]?.run();
  expect(start).toHaveBeenCalledWith("other/one#5");
});

test("an address of another host is not taken for one of this", () => {
  const pasted = "https://forge.example/acme/api/pull/480";
  expect(labels(pasted)).toEqual([]);
  expect(noneText(pasted, context(), t)).toBe("That address is on forge.example; Collie is signed in to github.com.");
  expect(noneText("zzzz", context(), t)).toBe("No results");
});
