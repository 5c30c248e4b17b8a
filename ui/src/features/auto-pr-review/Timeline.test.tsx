import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { TimelineLine } from "../../generated/wire";
import { fakeHost, renderUI } from "../../test";
import { aLivedTimeline, aTimelineLine } from "./fixtures";
import { Timeline } from "./Timeline";
import { filterLog, kindOf } from "./timeline";

const opened: string[] = [];
async function show(timeline: TimelineLine[] = aLivedTimeline()) {
  opened.length = 0;
  renderUI(<Timeline loopKey="acme/api#477" onOpenCommit={(sha) => void opened.push(sha)} />, { host: fakeHost({ answers: { timeline } }) });
  await screen.findByRole("figure");
  return userEvent.setup({ delay: null });
}

const entries = () => screen.getAllByRole("listitem").map((entry) => entry.textContent ?? "");
const bars = () => within(screen.getByRole("group", { name: /Stretches of time/ })).getAllByRole("button");

describe("the life of a loop", () => {
  it("is a picture with a table of the same", async () => {
    await show();
    const rows = within(screen.getByRole("table", { name: /^The life of this run/ })).getAllByRole("row");
    const cells = rows.slice(1).map((row) => [...row.querySelectorAll("th, td:nth-child(5)")].map((cell) => cell.textContent).join(" ").trim());
    expect(cells).toEqual(["Checks", "Bots", "Review", "Fix 4be81d0", "Checks", "Bots", "Review", "People"]);
    expect(bars().map((bar) => bar.getAttribute("aria-label")?.replace(/\d+ min( \d+ s)?/, "…"))).toEqual([
      "Checks: waited …",
      "Bots: waited …",
      "Review: … · 20K tokens · $0.05",
      "Fix: … · 70.4K tokens · $0.21",
      "Checks: waited …",
      "Bots: waited …",
      "Review: … · 17.5K tokens · $0.04",
      "People: waited …",
    ]);
  });

  it("has an axis with times", async () => {
    await show();
    const ticks = [...screen.getByRole("figure").querySelectorAll("[data-tick]")].map(({ textContent }) => textContent);
    expect(ticks.length).toBeGreaterThan(1);
    for (const tick of ticks) expect(tick).toMatch(/^\d\d:\d\d$/);
  });

  it("is gone through with the arrow keys, and leads to the entry of the log that a stretch began with", async () => {
    const user = await show();
    expect(bars().filter((bar) => bar.tabIndex === 0)).toHaveLength(1);
    bars()[0]?.focus();
    await user.keyboard("{ArrowRight}{ArrowRight}{ArrowRight}");
    expect(bars()[3]).toHaveFocus();
    await user.keyboard("{Enter}");
    expect(document.activeElement).toHaveTextContent("Changes are needed; the fix began");
  });

  it("leads also to a reading, which the log does not show by itself", async () => {
    const user = await show();
    expect(screen.queryByText("GitHub was read")).toBeNull();
    await user.click(bars()[0] as Element);
    expect(document.activeElement).toHaveTextContent("Loop started");
    expect(screen.getAllByText("GitHub was read").length).toBeGreaterThan(0);
  });
});

describe("the log", () => {
  it("says what happened to the second, without readings, and leads to the commits", async () => {
    const user = await show();
    expect(entries()[1]).toMatch(/^\d\d:\d\d:\d\dQuinn approved 4be81d0$/);
    expect(entries().join()).not.toMatch(/GitHub was read/);
    await user.click(screen.getAllByRole("button", { name: "Open 4be81d0 on GitHub" })[0] as Element);
    expect(opened).toEqual(["4be81d0".padEnd(40, "0")]);
  });

  it("leads to a commit that a remark names, too", async () => {
    const lines = aLivedTimeline();
    const last = lines.at(-1);
    if (last) last.notes = ["Round 1 ended with 4be81d0", "0000000 is none of them"];
    const user = await show(lines);
    const remark = screen.getByText(/^Round 1 ended with/);
    await user.click(within(remark).getByRole("button", { name: "Open 4be81d0 on GitHub" }));
    expect(opened).toEqual(["4be81d0".padEnd(40, "0")]);
    expect(within(screen.getByText(/is none of them/)).queryByRole("button")).toBeNull();
  });

  it("is filtered by kind and by words", async () => {
    const user = await show();
    await user.selectOptions(screen.getByLabelText("Kind"), "review");
    expect(entries()).toHaveLength(2);
    await user.selectOptions(screen.getByLabelText("Kind"), "");
    await user.type(screen.getByLabelText("Search the log"), "public names");
    expect(entries()).toHaveLength(1);
    await user.type(screen.getByLabelText("Search the log"), " of tomorrow");
    expect(screen.getByText("Nothing of that is in the log.")).toBeVisible();
  });

  it("knows what an entry is about", () => {
    const about = (changes: Partial<TimelineLine>) => kindOf({ ...aTimelineLine, ...changes });
    expect(about({ event: "pushed" })).toBe("fix");
    expect(about({ event: "files_seen" })).toBe("people");
    expect(about({ waits_for: { code: "draft", needs_person: true } })).toBe("people");
    expect(about({ waits_for: { code: "checks_running", needs_person: false } })).toBe("checks");
    expect(about({ waits_for: { code: "bots_pending", needs_person: false } })).toBe("bots");
    expect(about({ event: "observed", bots_awaited: [] })).toBe("bots");
    expect(about({ event: "checks_rerun" })).toBe("checks");
    expect(about({ event: "observed", from: "pr_awaiting_checks", to: "pr_reviewing" })).toBe("checks");
    expect(about({ event: "observed", from: "pr_reviewing", to: "pr_reviewing" })).toBeNull();
  });

  it("shows readings once they are asked for", () => {
    const lines = [{ ...aTimelineLine, quiet: true }, aTimelineLine];
    const all = { kind: null, quiet: false, search: "" };
    expect(filterLog(lines, all)).toHaveLength(1);
    expect(filterLog(lines, { ...all, quiet: true })).toHaveLength(2);
  });
});
