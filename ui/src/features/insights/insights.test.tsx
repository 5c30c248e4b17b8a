import { configure, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { Views } from "../../App";
import { aLoop, aProblem, renderUI, type FakeAnswers } from "../../test";
import { hostWith } from "../issues/fixtures";
import { axisDuration, countTicks, durationTicks, roundDuration } from "./figures";
import { fewInsights, noInsights, someInsights } from "./fixtures";
import { FIRST_ASKED, lastAsked, wireRange } from "./range";

// A busy machine answers late.
configure({ asyncUtilTimeout: 10_000 });
beforeEach(() => localStorage.clear());

function show(answers: FakeAnswers = {}) {
  window.location.hash = "#/insights";
  const host = hostWith({}, { insights: someInsights(), ...answers });
  return { ...renderUI(<Views />, { host }), host, user: userEvent.setup({ delay: null }) };
}

const table = (name: string) => screen.findByRole("table", { name });
const cells = (of: HTMLElement) => within(of).getAllByRole("row").map((row) => [...row.children].map((cell) => cell.textContent));

test("each chart has a table of the same, whether it is shown or not", async () => {
  const { user } = show();
  const ends = await table("How runs ended");
  expect(cells(ends).slice(0, 4)).toEqual([
    ["Ended", "Runs", "Share"],
    ["Merged", "29", "74%"],
    ["Closed without a merge", "4", "10%"],
    ["All rounds used up", "2", "5%"],
  ]);
  expect(screen.getAllByRole("table")).toHaveLength(7);
  const chart = screen.getByRole("region", { name: "How runs ended" });
  expect(chart.querySelector("svg")).not.toBeNull();
  await user.click(within(chart).getByRole("button", { name: "As table" }));
  expect(chart.querySelector("svg")).toBeNull();
  expect(within(chart).getByRole("button", { name: "As table" })).toHaveAttribute("aria-pressed", "true");
});

test("the reviewer of whom most was dismissed comes first", async () => {
  show();
  const reviewers = cells(await table("Share dismissed, by reviewer"));
  expect(reviewers[1]).toEqual(["coderabbitai · bot", "22", "11", "7", "32%"]);
  expect(reviewers.map(([name]) => name)).toEqual(["Reviewer", "coderabbitai · bot", "ruff · linter", "Quinn · reviewer", "sage · reviewer", "Rules · built-in"]);
});

test("tiles compare with the time before, and do not where that says little", async () => {
  const { unmount } = show();
  const tiles = () => screen.findByRole("region", { name: "Key figures" });
  expect(await tiles()).toHaveTextContent("Became ready347 more than before");
  expect(await tiles()).toHaveTextContent("41 min17 min shorter than before");
  expect(await tiles()).toHaveTextContent("$18.42$2.68 less than before");
  unmount();
  show({ insights: fewInsights() });
  expect(await tiles()).toHaveTextContent("2 runs: a median says little");
  expect(await tiles()).toHaveTextContent("price unknown120,000 tokens");
  expect(screen.getByText(/^One run ended before 22 Nov 2026, when findings and reasons were not recorded yet/)).toBeVisible();
  expect(cells(await table("Spending by model"))[2]).toEqual(["Not recorded", "price unknown", "30,000"]);
});

test("what ended runs alone count for says so, and how many are not counted", async () => {
  const { unmount } = show({ insights: someInsights({ ongoing_runs: 3 }) });
  await table("How runs ended");
  expect(screen.getByText(/^Merges, findings and reasons are those of runs that have ended\. 3 runs have not ended yet and are not counted there\.$/)).toBeVisible();
  for (const name of ["How runs ended", "Findings per round", "Share dismissed, by reviewer"])
    expect(screen.getByRole("region", { name })).toHaveTextContent("Of runs that ended in this time.");
  unmount();
  show();
  await table("How runs ended");
  expect(screen.getByText("Merges, findings and reasons are those of runs that have ended.")).toBeVisible();
});

test("before anything ran it says what will come, and a problem can be tried again", async () => {
  const { unmount } = show({ insights: noInsights() });
  expect(await screen.findByRole("heading", { name: "Nothing to show yet" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Export CSV" })).toBeNull();
  unmount();
  const { host, user } = show({ insights: () => aProblem("store", "The store cannot be read") });
  expect(await screen.findByText("The store cannot be read")).toBeVisible();
  host.answers.insights = someInsights();
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await table("How runs ended")).toBeInTheDocument();
});

test("range and repository are asked for and kept", async () => {
  const { host, user, unmount } = show();
  const asked = () => host.called("insights").at(-1)?.args;
  await table("How runs ended");
  expect(asked()).toEqual({ range: { kind: "days", days: 30 }, only: null });
  await user.click(screen.getByRole("button", { name: "12 months" }));
  await waitFor(() => expect(asked()).toEqual({ range: { kind: "months", months: 12 }, only: null }));
  await user.selectOptions(screen.getByRole("combobox", { name: "Repository" }), "acme/web");
  await waitFor(() => expect(asked()).toEqual({ range: { kind: "months", months: 12 }, only: "acme/web" }));
  await user.click(screen.getByRole("button", { name: "Custom" }));
  expect(screen.getByText("Choose the first day.")).toBeVisible();
  unmount();
  const again = show();
  expect(await screen.findByRole("button", { name: "Custom", pressed: true })).toBeVisible();
  expect(again.host.called("insights")).toEqual([]);
});

test("rows are saved as a file, whose place is told", async () => {
  const { host, user } = show({ export_insights: ({ table }) => ({ path: `/home/kim/Downloads/${table}.csv` }) });
  await user.click(await screen.findByRole("button", { name: "Export CSV" }));
  await user.click(await screen.findByRole("menuitem", { name: "Runs, a row each" }));
  expect(await screen.findByText("Saved as /home/kim/Downloads/runs.csv")).toBeVisible();
  expect(host.called("export_insights")[0]?.args).toEqual({ range: { kind: "days", days: 30 }, only: null, table: "runs" });
});

test("it is reached by its key and in the sidebar, and read anew once a run ends", async () => {
  window.location.hash = "#/";
  const loop = aLoop();
  const host = hostWith({}, { insights: someInsights(), loops: [loop] });
  renderUI(<Views />, { host });
  const user = userEvent.setup({ delay: null });
  await screen.findByRole("heading", { level: 1, name: "Overview" });
  await user.keyboard("4");
  expect(window.location.hash).toBe("#/insights");
  await table("How runs ended");
  expect(screen.getByRole("link", { name: "Insights" })).toHaveAttribute("aria-current", "page");
  const before = host.called("insights").length;
  host.emit([{ type: "loop", key: loop.key, changed: { attention: "over", state: "merged" } }]);
  await waitFor(() => expect(host.called("insights").length).toBeGreaterThan(before));
});

test("a range of days of one's own needs the first", () => {
  const custom = { ...FIRST_ASKED, range: "custom" } as const;
  expect(wireRange(custom)).toBeNull();
  expect(wireRange({ ...custom, from: "2026-01-01" })).toEqual({ kind: "between", from: "2026-01-01", to: null });
  expect(wireRange({ ...custom, from: "2026-01-01", to: "2026-02-01" })).toEqual({ kind: "between", from: "2026-01-01", to: "2026-02-01" });
  localStorage.setItem("insights", JSON.stringify({ range: "week", only: 3 }));
  expect(lastAsked.get()).toEqual(FIRST_ASKED);
});

test("axes have round numbers from nothing to beyond the largest", () => {
  expect(countTicks(0)).toEqual([0, 1]);
  expect(countTicks(6)).toEqual([0, 2, 4, 6]);
  expect(countTicks(60).at(-1)).toBe(60);
  expect(durationTicks(46_000).map((tick) => axisDuration("en", tick, 46_000))).toEqual(["0 s", "10 s", "20 s", "30 s", "40 s", "50 s"]);
  for (const largest of [90_000, 3_000_000, 20_000_000, 900_000_000]) expect(durationTicks(largest).at(-1)).toBeGreaterThanOrEqual(largest);
  expect([40_000, 61_000, 11_100_000].map((ms) => roundDuration("en", ms))).toEqual(["40 s", "1 min", "3 h 5 min"]);
});
