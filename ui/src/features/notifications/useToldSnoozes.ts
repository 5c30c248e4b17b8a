import { useEffect, useRef } from "react";
import { useAnswer, useCommand, useNow } from "../../data";
import type { LoopView, Snooze } from "../../generated/wire";
import { isSnoozed, useSnoozes, type Snoozes } from "../../snooze";
import { useKeptNotifications } from "./notifications";

/** Snoozes end within that. */
const TICK_MS = 30_000;

/** The snoozes that hold, as the host is told of them. */
export function toldSnoozes(loops: readonly LoopView[], snoozes: Snoozes, now: number): Snooze[] {
  if (Object.keys(snoozes).length === 0) return [];
  return loops.flatMap((loop): Snooze[] => {
    const snooze = snoozes[loop.key];
    if (!snooze || !isSnoozed(loop, snoozes, now)) return [];
    return [{ key: loop.key, until_ms: snooze.until === "time" ? snooze.at : null }];
  });
}

/** Tells the host which loops are snoozed: the tray and the notifications of the system leave them out too. */
export function useToldSnoozes(): void {
  const loops = useAnswer({ command: "loops" }).data;
  const snoozes = useSnoozes();
  const now = useNow(TICK_MS);
  const { run } = useCommand();
  const told = useRef("[]");
  useEffect(() => {
    if (!loops) return;
    const holding = toldSnoozes(loops, snoozes, now);
    const text = JSON.stringify(holding);
    if (text === told.current) return;
    told.current = text;
    run({ command: "set_snoozes", args: { snoozes: holding } }).catch(() => {
      // The next look tells it again.
      told.current = "";
    });
  }, [loops, snoozes, now, run]);
}

/** Tells the host which kinds of notifications are off: those of the system leave them out too. */
export function useToldMutedKinds(): void {
  const { off } = useKeptNotifications();
  const { run } = useCommand();
  const told = useRef("[]");
  const text = JSON.stringify(off);
  useEffect(() => {
    if (text === told.current) return;
    told.current = text;
    run({ command: "set_muted_notifications", args: { kinds: off } }).catch(() => {
      // The next change tells it again.
      told.current = "";
    });
  }, [text, off, run]);
}
