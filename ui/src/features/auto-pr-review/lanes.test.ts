import { describe, expect, it } from "vitest";
import type { BlockerCode, State, TimelineLine } from "../../generated/wire";
import { sha } from "../../test";
import { aTimelineLine } from "./fixtures";
import { drawnBars, labelStart, lanesOf, lastRun, ticksOf } from "./lanes";

const at = (minute: number) => new Date(Date.UTC(2026, 2, 14, 10) + Math.round(minute * 60) * 1000).toISOString();
const NOW = Date.UTC(2026, 2, 14, 10, 40);

function journal(...entries: [minute: number, to: State, changes?: Partial<TimelineLine>][]): TimelineLine[] {
  let from: State | null = null;
  return entries.map(([minute, to, changes], index) => {
    const line: TimelineLine = { ...aTimelineLine, seq: index + 1, at: at(minute), from, to, ...changes };
    from = to;
    return line;
  });
}

const waits = (code: BlockerCode, needs_person = false): Partial<TimelineLine> => ({ waits_for: { code, needs_person } });
const told = (lines: TimelineLine[]) => lanesOf(lines, NOW)?.bars.map(({ lane, start, end, waits }) => `${lane} ${(end - start) / 60_000}${waits ? " waits" : ""}`);

describe("the lanes of a run", () => {
  const round = journal(
    [0, "pr_created"],
    [1, "pr_awaiting_checks", waits("checks_running")],
    [5, "pr_awaiting_checks", waits("bots_pending")],
    [8, "pr_reviewing", waits("reviewing")],
    [12, "pr_fixing", { ...waits("fixing"), worker: "quinn", usage: { input_tokens: 10, output_tokens: 1, cost_usd: 0.02 } }],
    [18, "pr_awaiting_checks", { ...waits("awaiting_push"), pushed: sha("4be81d0") }],
    [19, "pr_awaiting_checks", waits("checks_running")],
    [24, "pr_ready_to_merge", waits("awaiting_merge", true)],
  );

  it("say whom it was with, one after the other, up to now", () => {
    expect(told(round)).toEqual(["checks 5 waits", "bots 3 waits", "review 4", "fix 7", "checks 5 waits", "people 16 waits"]);
  });

  it("go by the state where a journal of older versions names nothing that is waited for", () => {
    const old = round.map((line) => ({ ...line, waits_for: null }));
    expect(told(old)).toEqual(["checks 8 waits", "review 4", "fix 6", "checks 6 waits", "people 16 waits"]);
  });

  it("have one for bots that review while something else is waited for, as long as they took", () => {
    const beside = journal(
      [0, "pr_awaiting_checks", { ...waits("checks_running"), bots_awaited: ["coderabbit"] }],
      [4, "pr_awaiting_checks", { bots_awaited: [] }],
      [6, "pr_reviewing", waits("reviewing")],
      [10, "pr_awaiting_checks", { ...waits("checks_running"), bots_awaited: ["coderabbit", "cursor"] }],
      [14, "pr_awaiting_checks", { ...waits("bots_pending"), bots_awaited: ["cursor"] }],
      [17, "pr_reviewing", { ...waits("reviewing"), bots_awaited: [] }],
    );
    const picture = lanesOf(beside, NOW);
    if (!picture) throw new Error("there is a journal");
    const drawn = drawnBars(picture);
    expect(drawn.map(({ lane, start, end }) => `${lane} ${(end - start) / 60_000}`)).toEqual(["checks 6", "bots 4", "review 4", "checks 4", "bots 7", "review 23"]);
    const [checks, bots] = drawn;
    // They lie over what they were beside.
    expect(bots?.x).toBe(checks?.x);
    expect(bots?.width).toBeCloseTo((checks?.width ?? 0) * (4 / 6));
    expect(drawn.filter(({ lane }) => lane === "bots").map(({ seq, waits }) => [seq, waits])).toEqual([[1, true], [4, true]]);
  });

  it("end for bots where the run ended, and go on up to now where they have not reviewed", () => {
    const open = journal([0, "pr_awaiting_checks", { ...waits("checks_running"), bots_awaited: ["coderabbit"] }]);
    expect(lanesOf(open, NOW)?.beside.map(({ end }) => end)).toEqual([NOW]);
    const over = journal([0, "pr_awaiting_checks", { ...waits("checks_running"), bots_awaited: ["coderabbit"] }], [9, "cancelled"]);
    expect(lanesOf(over, NOW)?.beside.map(({ end }) => end)).toEqual([Date.UTC(2026, 2, 14, 10, 9)]);
  });

  it("mark each push inside the stretch that it happened in, and charge who worked", () => {
    const picture = lanesOf(round, NOW);
    const fix = picture?.bars.find((bar) => bar.lane === "fix");
    expect(picture?.pushes.map((push) => push.sha)).toEqual([sha("4be81d0")]);
    expect(picture?.pushes[0]?.x).toBeGreaterThan(fix?.x ?? Infinity);
    expect(picture?.pushes[0]?.x).toBeLessThan((fix?.x ?? 0) + (fix?.width ?? 0));
    expect(picture?.bars.map((bar) => bar.usage?.cost_usd ?? null)).toEqual([null, null, 0.02, null, null, null]);
  });

  it("end where the run ended, whatever is said later", () => {
    const over = journal([0, "pr_created"], [4, "pr_reviewing"], [9, "needs_human"], [30, "needs_human"]);
    expect(told(over)).toEqual(["checks 4 waits", "review 5"]);
  });

  it("are those of the last run alone", () => {
    const twice = journal([0, "pr_created"], [4, "needs_human"], [20, "pr_created"], [25, "pr_reviewing"]);
    expect(lastRun(twice).map((line) => line.seq)).toEqual([3, 4]);
    expect(told(twice)).toEqual(["checks 5 waits", "review 15"]);
  });

  it("fill the width, and cut a long wait short", () => {
    const night = journal([0, "pr_created"], [2, "pr_reviewing"], [4, "pr_ready_to_merge"]);
    const picture = lanesOf(night, NOW + 8 * 3_600_000);
    const bars = picture?.bars ?? [];
    expect(bars.map((bar) => bar.shortened)).toEqual([false, false, true]);
    expect(bars.reduce((all, bar) => all + bar.width, 0)).toBeCloseTo(1000);
    expect(bars[0]?.width).toBeGreaterThan(100);
  });

  it("have ticks at round times, each where that moment is drawn", () => {
    const picture = lanesOf(round, NOW);
    if (!picture) throw new Error("there is a journal");
    const ticks = ticksOf(picture, 90);
    expect(ticks.map(({ at }) => new Date(at).toISOString().slice(14, 16))).toEqual(["00", "15", "30"]);
    const fix = picture.bars.find((bar) => bar.lane === "fix");
    expect(ticks[1]?.x).toBeCloseTo((fix?.x ?? 0) + ((fix?.width ?? 0) * 3) / 7);
  });

  it("have ticks that can be read apart, and none in a stretch that is cut", () => {
    const night = lanesOf(journal([0, "pr_created"], [10, "pr_reviewing"], [20, "pr_ready_to_merge"]), NOW + 8 * 3_600_000);
    if (!night) throw new Error("there is a journal");
    const ticks = ticksOf(night, 90);
    expect(ticks.length).toBeGreaterThan(1);
    const cut = night.bars.find((bar) => bar.shortened);
    for (const { at } of ticks) expect(at).toBeLessThanOrEqual(cut?.start ?? 0);
    ticks.slice(1).forEach(({ x }, index) => expect(x - (ticks[index]?.x ?? 0)).toBeGreaterThanOrEqual(140));
  });

  it.each([60, 90, 150, 250, 400])("have labels that stand clear of each other and of the edges, %i thousandths wide", (label) => {
    const pictures = Array.from({ length: 60 }, (_, minute) => [
      lanesOf(journal([0, "pr_created"], [1 + minute / 4, "pr_reviewing"], [16 + minute / 3, "pr_ready_to_merge"]), NOW + 8 * 3_600_000),
      lanesOf(journal([0, "pr_created"], [minute / 60, "pr_reviewing"], [(minute + 3) / 60, "merged"]), NOW),
    ]).flat();
    let shown = 0;
    for (const picture of pictures) {
      const starts = picture ? ticksOf(picture, label).map((tick) => labelStart(tick, label)) : [];
      shown += starts.length;
      for (const start of starts) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(start + label).toBeLessThanOrEqual(1000);
      }
      starts.slice(1).forEach((start, index) => expect((start - (starts[index] ?? 0)) / label).toBeGreaterThanOrEqual(1.6));
    }
    expect(shown).toBeGreaterThan(pictures.length / 4);
  });

  it("are nothing without a journal", () => {
    expect(lanesOf([], NOW)).toBeNull();
  });
});
