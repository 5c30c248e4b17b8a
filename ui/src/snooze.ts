import type { LoopView } from "./generated/wire";
import { kept, storedObject, useKept } from "./kept";

/** How long a loop stays out of the way. */
export type Snooze = { until: "time"; at: number } | { until: "change"; mark: string };

/** Who is snoozed, by `owner/repo#n`. */
export type Snoozes = Readonly<Record<string, Snooze>>;

/** What a person would look at again for: another state, head, round, or another thing to wait for. */
export function markOf(loop: LoopView): string {
  return [loop.run_id, loop.state, loop.attention, loop.head_sha ?? "", loop.iteration, loop.blocker?.code ?? ""].join(" ");
}

/** Whether a loop is out of the way. */
export function isSnoozed(loop: LoopView, snoozes: Snoozes, now: number): boolean {
  const snooze = snoozes[loop.key];
  if (!snooze || loop.attention === "over") return false;
  return snooze.until === "time" ? now < snooze.at : snooze.mark === markOf(loop);
}

/** Tomorrow at eight in the morning, where the window is. */
export function tomorrowOf(now: number): number {
  const at = new Date(now);
  at.setDate(at.getDate() + 1);
  at.setHours(8, 0, 0, 0);
  return at.getTime();
}

function readSnoozes(stored: unknown): Snoozes {
  const read: Record<string, Snooze> = {};
  for (const [key, each] of Object.entries(storedObject(stored) ?? {})) {
    const snooze = storedObject(each);
    if (snooze?.until === "time" && typeof snooze.at === "number") read[key] = { until: "time", at: snooze.at };
    if (snooze?.until === "change" && typeof snooze.mark === "string") read[key] = { until: "change", mark: snooze.mark };
  }
  return read;
}

const store = kept("collie-snoozed", readSnoozes);

/** Who is snoozed; `isSnoozed` tells whether that still holds. */
export const useSnoozes = (): Snoozes => useKept(store);

/** The same, outside of what is shown. */
export const snoozesNow = (): Snoozes => store.get();

/** Puts loops out of the way; those that woke up since are forgotten. */
export function snooze(loops: readonly LoopView[], until: "tomorrow" | "change", now: number): void {
  const next: Record<string, Snooze> = {};
  for (const [key, each] of Object.entries(store.get())) {
    if (each.until === "change" || each.at > now) next[key] = each;
  }
  for (const loop of loops) next[loop.key] = until === "change" ? { until, mark: markOf(loop) } : { until: "time", at: tomorrowOf(now) };
  store.set(next);
}

/** Brings loops back. */
export function wake(keys: readonly string[]): void {
  store.set(Object.fromEntries(Object.entries(store.get()).filter(([key]) => !keys.includes(key))));
}
