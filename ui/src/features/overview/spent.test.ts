import { expect, test } from "vitest";
import type { LoopView } from "../../generated/wire";
import { aLoop } from "../../test";
import { tally, type Ledger } from "./spent";

const NOON = new Date(2026, 2, 14, 12).getTime();
const DAY = 24 * 3_600_000;
const run = (run_id: string, cost_usd: number | null, begun = NOON, more: Partial<LoopView["usage"]> = {}): LoopView =>
  aLoop({ run_id, started_at: new Date(begun).toISOString(), usage: { input_tokens: 10, output_tokens: 1, cost_usd, ...more } });

/** What each look came to, one after the other. */
function spent(...looks: [now: number, loops: LoopView[]][]): ReturnType<typeof tally>["spent"] | undefined {
  let ledger: Ledger | null = null;
  let last;
  for (const [now, loops] of looks) ({ ledger, spent: last } = tally(ledger, loops, now));
  return last;
}

test("a run that began today counts in full, an earlier one only with what it has cost since", () => {
  expect(spent([NOON, [run("a", 0.5), run("b", 3, NOON - DAY)]])).toEqual({ dollars: 0.5, unpriced: false, runs: 1 });
  expect(spent([NOON, [run("b", 3, NOON - DAY)]], [NOON + 1, [run("b", 3.25, NOON - DAY)]])).toEqual({ dollars: 0.25, unpriced: false, runs: 1 });
});

test("a run that was replaced by another still counts", () => {
  expect(spent([NOON, [run("a", 0.5)]], [NOON + 1, [run("c", 0.25)]])?.dollars).toBe(0.75);
});

test("a new day begins with nothing, and what ran over midnight counts from there", () => {
  expect(spent([NOON, [run("a", 0.5)]], [NOON + DAY, [run("a", 0.5)]])).toEqual({ dollars: 0, unpriced: false, runs: 0 });
  expect(spent([NOON, [run("a", 0.5)]], [NOON + DAY, [run("a", 0.75)]])?.dollars).toBe(0.25);
});

test("what has no price is told, and is no zero", () => {
  expect(spent([NOON, [run("a", null)]])).toEqual({ dollars: 0, unpriced: true, runs: 1 });
  expect(spent([NOON, [run("a", 0.5, NOON, { unpriced: true })]])).toEqual({ dollars: 0.5, unpriced: true, runs: 1 });
  expect(spent([NOON, [run("a", null, NOON, { input_tokens: 0, output_tokens: 0 })]])).toEqual({ dollars: 0, unpriced: false, runs: 0 });
});
