import { useEffect, useMemo } from "react";
import { useNow } from "../../data";
import type { LoopView } from "../../generated/wire";
import { kept, storedObject, useKept } from "../../kept";
import { hasSpent } from "../../money";

/** Dollars by run. */
type Dollars = Readonly<Record<string, number>>;

/** What runs had cost when a day began, and what they have cost since. The wire tells what a run cost in all, and not when. */
export interface Ledger {
  /** `2026-03-14`, where the window is. */
  day: string;
  before: Dollars;
  seen: Dollars;
}

export interface SpentToday {
  dollars: number;
  /** Some of it was spent where no price is known. */
  unpriced: boolean;
  /** How many runs that is. */
  runs: number;
}

const TALLY_MS = 5_000;

const dayOf = (at: number): string => {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
};

/** What today has cost, and the ledger to go on with. What an earlier run had cost before this window first saw it was not spent today. */
export function tally(ledger: Ledger | null, loops: readonly LoopView[], now: number): { ledger: Ledger; spent: SpentToday } {
  const day = dayOf(now);
  const before: Record<string, number> = {};
  const seen: Record<string, number> = {};
  if (ledger?.day === day) {
    Object.assign(before, ledger.before);
    Object.assign(seen, ledger.seen);
  } else if (ledger) {
    // Yesterday's runs that are gone can cost nothing more.
    for (const { run_id } of loops) {
      const last = ledger.seen[run_id];
      if (last !== undefined) before[run_id] = last;
    }
  }
  const unpriced = new Set<string>();
  for (const { run_id, usage, started_at } of loops) {
    const cost = usage.cost_usd ?? 0;
    const isNew = dayOf(Date.parse(started_at)) === day;
    before[run_id] ??= isNew ? 0 : cost;
    seen[run_id] = cost;
    if (isNew && hasSpent(usage) && (usage.cost_usd === null || usage.unpriced)) unpriced.add(run_id);
  }
  let dollars = 0;
  const paid = new Set(unpriced);
  for (const [run, cost] of Object.entries(seen)) {
    const part = cost - (before[run] ?? 0);
    if (part <= 0) continue;
    dollars += part;
    paid.add(run);
  }
  return { ledger: { day, before, seen }, spent: { dollars, unpriced: unpriced.size > 0, runs: paid.size } };
}

function readDollars(stored: unknown): Dollars {
  return Object.fromEntries(Object.entries(storedObject(stored) ?? {}).filter((each): each is [string, number] => typeof each[1] === "number"));
}

const store = kept("collie-spent", (stored): Ledger | null => {
  const ledger = storedObject(stored);
  return typeof ledger?.day === "string" ? { day: ledger.day, before: readDollars(ledger.before), seen: readDollars(ledger.seen) } : null;
});

/** What today has cost so far, counted every few seconds. */
export function useSpentToday(loops: LoopView[]): SpentToday {
  const now = useNow(TALLY_MS);
  const ledger = useKept(store);
  const known = loops.length > 0;
  // Not at each change of a loop: there may be fifty a second.
  const result = useMemo(() => tally(ledger, loops, now), [ledger, now, known]);
  useEffect(() => {
    if (known && JSON.stringify(result.ledger) !== JSON.stringify(store.get())) store.set(result.ledger);
  }, [known, result]);
  return result.spent;
}
