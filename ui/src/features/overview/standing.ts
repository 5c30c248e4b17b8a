import type { BlockerCode, LoopView } from "../../generated/wire";
import type { AttentionPage } from "../../routes";
import { isSnoozed, type Snoozes } from "../../snooze";
import { factsOf } from "./facts";

/** Where a loop stands for whoever looks after many; a pull request without one is not started. */
export type Standing = AttentionPage | "waiting" | "snoozed" | "not-started" | "done";

/** In the order shown. */
export const STANDINGS = ["needs-you", "ready", "working", "waiting", "snoozed", "not-started", "done"] as const satisfies readonly Standing[];

/** What Collie itself is at; everything else that a loop waits with is up to somebody else. */
const AT_WORK: ReadonlySet<BlockerCode> = new Set<BlockerCode>([
  "starting",
  "collecting_failures",
  "reviewing",
  "fixing",
  "verifying",
  "merging_base",
  "pushing",
  "posting",
]);

/** Where a loop stands. */
export function standingOf(loop: LoopView, snoozes: Snoozes, now: number): Standing {
  if (isSnoozed(loop, snoozes, now)) return "snoozed";
  switch (loop.attention) {
    case "needs_you":
      return "needs-you";
    case "ready":
      return "ready";
    case "over":
      return "done";
    case "working":
      if (loop.queue_position !== null) return "waiting";
      return loop.blocker === null || AT_WORK.has(loop.blocker.code) ? "working" : "waiting";
  }
}

/** The place of the sidebar, and the tile, that a standing counts for; none for what nobody has to look at. */
export function pageOf(standing: Standing): AttentionPage | null {
  switch (standing) {
    case "needs-you":
    case "ready":
      return standing;
    case "working":
    case "waiting":
      return "working";
    case "snoozed":
    case "not-started":
    case "done":
      return null;
  }
}

export type Counts = Readonly<Record<AttentionPage, number>>;

const NONE: Counts = { "needs-you": 0, ready: 0, working: 0 };

/** How many loops stand where, and since when the one that has stood there longest. */
export interface Standings {
  all: Counts;
  of: (repo: string) => Counts;
  longest: Readonly<Record<AttentionPage, string | null>>;
}

let last: { loops: readonly LoopView[]; snoozes: Snoozes; now: number; counted: Standings } | null = null;

/** Counts loops by where they stand. The sidebar and the overview ask for the same, up to sixty times a second, so the last answer is kept. */
export function countStandings(loops: readonly LoopView[], snoozes: Snoozes, now: number): Standings {
  if (last?.loops === loops && last.snoozes === snoozes && last.now === now) return last.counted;
  const all = { ...NONE };
  const longest: Record<AttentionPage, string | null> = { "needs-you": null, ready: null, working: null };
  const each = new Map<string, Record<AttentionPage, number>>();
  for (const loop of loops) {
    const page = pageOf(standingOf(loop, snoozes, now));
    if (page === null) continue;
    const { repo, since } = factsOf(loop);
    all[page] += 1;
    if (longest[page] === null || since < longest[page]) longest[page] = since;
    let counts = each.get(repo);
    if (!counts) {
      counts = { ...NONE };
      each.set(repo, counts);
    }
    counts[page] += 1;
  }
  const counted: Standings = { all, of: (repo) => each.get(repo) ?? NONE, longest };
  last = { loops, snoozes, now, counted };
  return counted;
}
