import type { RefObject } from "react";
import { useFreeKeys } from "../../components";
import type { LoopView } from "../../generated/wire";
import type { Selection } from "../issues/selection";
import type { Item } from "./view";

/** What can be done with a line by a key. */
export interface ListActions {
  onOpen: (key: string) => void;
  onCancel: (key: string) => void;
  onMerge: (key: string) => void;
  onGitHub: (key: string) => void;
  onSnooze: (loop: LoopView) => void;
  onStart: (key: string) => void;
}

interface ListKeys extends ListActions {
  items: Item[];
  shown: string | null;
  selection: Selection;
  activeIndex: number;
  /** Brings a line into sight and gives it the focus; false where there is none. */
  focus: (index: number) => boolean;
}

/** Arrows go from line to line within the list, `j` and `k` from anywhere; letters act on the line that has the focus, or is shown. */
export function useListKeys(grid: RefObject<HTMLElement | null>, keys: ListKeys): void {
  useFreeKeys((event) => {
    if (!grid.current) return false;
    const within = event.target instanceof Element && grid.current.contains(event.target);
    return moved(event, within, keys) || acted(event, within, keys);
  });
}

function moved(event: KeyboardEvent, within: boolean, { items, activeIndex, focus }: ListKeys): boolean {
  const last = items.length - 1;
  const at = (index: number) => focus(Math.max(0, Math.min(last, index)));
  switch (event.key) {
    // Coming in from elsewhere, the first step only shows where one is.
    case "j":
      return at(within ? activeIndex + 1 : activeIndex);
    case "k":
      return at(within ? activeIndex - 1 : activeIndex);
    case "ArrowDown":
      return within && at(activeIndex + 1);
    case "ArrowUp":
      return within && at(activeIndex - 1);
    case "Home":
      return within && at(0);
    case "End":
      return within && at(last);
    case "PageDown":
      return within && at(activeIndex + 10);
    case "PageUp":
      return within && at(activeIndex - 10);
    default:
      return false;
  }
}

function acted(event: KeyboardEvent, within: boolean, keys: ListKeys): boolean {
  const { items, shown, selection, activeIndex } = keys;
  const item = within ? items[activeIndex] : items.find(({ id }) => id === shown);
  if (event.key === "Escape" && within && selection.keys.size > 0) {
    selection.clear();
    return true;
  }
  if (item === undefined || item.kind === "group") return false;
  const loop = item.kind === "loop" ? item.loop : null;
  const isOnRow = event.target instanceof Element && event.target.getAttribute("role") === "row";
  switch (event.key) {
    case "Enter":
      if (!isOnRow) return false;
      keys.onOpen(item.id);
      return true;
    case " ":
      if (!isOnRow || !event.shiftKey) return false;
      selection.toggle(item.id);
      return true;
    case "x":
      if (!event.repeat) selection.toggle(item.id);
      return true;
    case "s":
      // A key that is held down asks once.
      if (loop || event.repeat) return false;
      keys.onStart(item.id);
      return true;
    case "c":
      if (!loop?.can_cancel) return false;
      keys.onCancel(loop.key);
      return true;
    case "m":
      if (!loop?.can_merge) return false;
      keys.onMerge(loop.key);
      return true;
    case "o":
      if (!event.repeat) keys.onGitHub(item.id);
      return true;
    case "h":
      if (!loop || loop.attention === "over") return false;
      keys.onSnooze(loop);
      return true;
    default:
      return false;
  }
}
