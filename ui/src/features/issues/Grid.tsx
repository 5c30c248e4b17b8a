import {  useLayoutEffect, useMemo, useRef, useState } from "react";
import { Row, type RowHandlers } from "./Row";
import type { RowModel } from "./rows";
import { useSelection, type Selection } from "./selection";
import { useFreeKeys } from "../../components";
import type { LoopView } from "../../generated/wire";

export interface GridProps {
  label: string;
  rows: RowModel[];
  /** The pull request shown beside the list. */
  shown: string | null;
  /** Whose start was asked for and is not answered yet. */
  starting: ReadonlySet<string>;
  onOpen: (key: string) => void;
  /** None where the person may start none. */
  onStart: ((key: string) => void) | null;
  onCancel?: (key: string) => void;
  onMerge?: (key: string) => void;
  onGitHub?: (key: string) => void;
  onSnooze?: (loop: LoopView) => void;
}

/**
 * Lines of pull requests or issues. One of them is in the order of Tab; arrows, j and k go from one to the next, from anywhere in the window too
 * where the letters are free.
 */
export function Grid({ label, rows, shown, starting, onOpen, onStart, onCancel, onMerge, onGitHub, onSnooze }: GridProps) {
  const grid = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const lastIndex = useRef(0);
  const activeIndex = indexOfActive(rows, focused, shown, lastIndex.current);
  useLayoutEffect(() => {
    lastIndex.current = Math.max(0, activeIndex);
  }, [activeIndex]);

  const selection = useSelection();
  const latest = useRef({ onOpen, onStart, selection });
  useLayoutEffect(() => {
    latest.current = { onOpen, onStart, selection };
  });
  // The same functions for good, so that rows render only for their own sake.
  const handlers = useMemo<RowHandlers>(
    () => ({
      onOpen: (key) => latest.current.onOpen(key),
      onStart: (key) => latest.current.onStart?.(key),
      onFocus: setFocused,
      onSelect: (key) => latest.current.selection.toggle(key),
    }),
    [],
  );

  const keys = { rows, shown, activeIndex, selection, onOpen, onStart, onCancel, onMerge, onGitHub, onSnooze };
  useFreeKeys((event) => grid.current !== null && pressed(event, grid.current, keys));

  return (
    <div ref={grid} role="grid" aria-label={label} aria-rowcount={rows.length} data-selecting={selection.keys.size > 0 || undefined} className="group/list @container flex flex-col gap-px">
      {rows.map((row, index) => (
        <Row
          key={row.key}
          rowKey={row.key}
          number={row.number}
          title={row.title}
          author={row.author}
          pull={row.pull}
          loop={row.loop}
          issue={row.issue}
          index={index}
          active={index === activeIndex}
          shown={row.key === shown}
          selected={selection.keys.has(row.key)}
          starting={starting.has(row.key)}
          mayStart={onStart !== null}
          handlers={handlers}
        />
      ))}
    </div>
  );
}

/** The focused row; without one the shown one; where a row has gone, the one that took its place. */
function indexOfActive(rows: RowModel[], focused: string | null, shown: string | null, last: number): number {
  for (const key of [focused, shown]) {
    const index = key === null ? -1 : rows.findIndex((row) => row.key === key);
    if (index >= 0) return index;
  }
  return focused === null ? 0 : Math.min(last, rows.length - 1);
}

type GridKeys = Omit<GridProps, "label" | "starting"> & { activeIndex: number; selection: Selection };

/** Does what a key asks for; false when it asks for nothing here. */
function pressed(event: KeyboardEvent, grid: HTMLElement, keys: GridKeys): boolean {
  const { rows, shown, activeIndex, selection, onOpen, onStart, onCancel, onMerge, onGitHub, onSnooze } = keys;
  const target = event.target instanceof Element ? event.target : null;
  const within = target !== null && grid.contains(target);
  const focus = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    const element = row && grid.querySelector<HTMLElement>(`[data-key="${CSS.escape(row.key)}"]`);
    element?.focus();
    return element !== undefined && element !== null;
  };
  // Coming in from elsewhere, the first step only shows where one is.
  const step = (by: number) => focus(within ? activeIndex + by : activeIndex);
  const onRow = within && target.getAttribute("role") === "row";
  const targetRow = rows.find((row) => row.key === (within ? rows[activeIndex]?.key : shown));
  switch (event.key) {
    case "j":
      return step(1);
    case "k":
      return step(-1);
    case "ArrowDown":
      return within && step(1);
    case "ArrowUp":
      return within && step(-1);
    case "Home":
      return within && focus(0);
    case "End":
      return within && focus(rows.length - 1);
    case "PageDown":
      return within && focus(activeIndex + 10);
    case "PageUp":
      return within && focus(activeIndex - 10);
    case "ArrowRight": {
      const button = onRow ? target.querySelector<HTMLElement>("button:not([role=checkbox])") : null;
      button?.focus();
      return button !== null;
    }
    case "ArrowLeft":
      return within && !onRow && focus(activeIndex);
    case "Enter":
      if (!onRow || !targetRow) return false;
      onOpen(targetRow.key);
      return true;
    case "s":
      // A key that is held down asks once.
      if (!targetRow?.pull || targetRow.loop || event.repeat) return false;
      onStart?.(targetRow.key);
      return true;
    case "c":
      if (!targetRow?.loop?.can_cancel || !onCancel) return false;
      onCancel(targetRow.key);
      return true;
    case " ":
    case "x":
      if (!targetRow || targetRow.issue || event.repeat || (event.key === " " && !(onRow && event.shiftKey))) return false;
      selection.toggle(targetRow.key);
      return true;
    case "h":
      if (!targetRow?.loop || targetRow.loop.attention === "over" || !onSnooze) return false;
      onSnooze(targetRow.loop);
      return true;
    case "o":
      if (!targetRow || event.repeat || !onGitHub) return false;
      onGitHub(targetRow.key);
      return true;
    case "m":
      if (!targetRow?.loop?.can_merge || !onMerge) return false;
      onMerge(targetRow.key);
      return true;
    default:
      return false;
  }
}
