import { createContext, useContext, useMemo, useState, type ReactNode } from "react";
import type { LoopView, PullLine } from "../../generated/wire";

/** What is known of a line that was chosen. */
export interface Choosable {
  key: string;
  title: string;
  loop?: LoopView;
  pull?: PullLine;
}

/** The lines that were chosen for what is done to several at once. */
export interface Selection {
  keys: ReadonlySet<string>;
  toggle: (key: string) => void;
  set: (keys: Iterable<string>) => void;
  clear: () => void;
}

const NONE: ReadonlySet<string> = new Set();
const SelectionContext = createContext<Selection>({ keys: NONE, toggle: () => undefined, set: () => undefined, clear: () => undefined });

/** Around the lists and the palette: keeps which lines are chosen. `place` is the list; in another one nothing is chosen yet. */
export function SelectionProvider({ place, children }: { place: string; children: ReactNode }) {
  const [chosen, setChosen] = useState({ place, keys: NONE });
  const keys = chosen.place === place ? chosen.keys : NONE;
  const value = useMemo((): Selection => {
    const put = (next: Iterable<string>) => setChosen({ place, keys: new Set(next) });
    const toggle = (key: string) => put(keys.has(key) ? [...keys].filter((each) => each !== key) : [...keys, key]);
    return { keys, toggle, set: put, clear: () => put(NONE) };
  }, [place, keys]);
  return <SelectionContext value={value}>{children}</SelectionContext>;
}

/** Which lines are chosen. */
export const useSelection = (): Selection => useContext(SelectionContext);

/** What can be done to several. */
export type BulkAction = "start" | "retry" | "cancel";

export const BULK_ACTIONS: readonly BulkAction[] = ["start", "retry", "cancel"];

/** Those of the chosen lines that an action makes sense for. */
export function fitting(action: BulkAction, chosen: readonly Choosable[]): Choosable[] {
  switch (action) {
    case "start":
      return chosen.filter(({ loop, pull }) => pull !== undefined && loop === undefined);
    case "retry":
      return chosen.filter(({ loop }) => loop?.can_retry);
    case "cancel":
      return chosen.filter(({ loop }) => loop?.can_cancel);
  }
}

/** Whether a cancel ends work that is in progress: what was not pushed of it is lost. */
export function losesWork({ state, queue_position }: LoopView): boolean {
  return (state === "pr_reviewing" || state === "pr_fixing") && queue_position === null;
}
