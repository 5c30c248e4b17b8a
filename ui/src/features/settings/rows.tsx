import { X } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import { IconButton } from "../../components";
import type { JsonValue } from "../../generated/wire";
import type { EditorProps } from "./editing";

/** Put on what takes the focus in a row when the row before it went. */
export const ROW_FOCUS = { "data-row-focus": true };
/** Put around what adds rows. */
export const ADDS_ROWS = { "data-adds-rows": true };

/** A list that is edited row by row. */
export interface Rows<T> {
  rows: T[];
  add: (row: T) => void;
  change: (row: T, changed: T) => void;
  /** Takes a row away; the next one takes the focus, or else what adds one. */
  remove: (row: T) => void;
  /** What has the focus once the row that was at a place has gone. */
  focusAfterRemoval: (index: number) => HTMLElement | null;
  /** For the element around all of it. */
  frame: {
    ref: RefObject<HTMLDivElement | null>;
    id: string;
    tabIndex: -1;
    role: "group";
    "data-rows": true;
    "aria-label": string;
    "aria-describedby": string | undefined;
  };
}

/** The rows of a setting, and where the focus goes when one of them goes. `stays` tells those that nobody can remove. */
export function useRows<T>({ id, label, value, onChange, describedBy }: EditorProps, stays: (row: T) => boolean = () => false): Rows<T> {
  const around = useRef<HTMLDivElement>(null);
  const [removed, setRemoved] = useState<number | null>(null);
  const rows = Array.isArray(value) ? (value as T[]) : [];
  const set = (next: T[]) => onChange(next as unknown as JsonValue);
  const focusAfterRemoval = (index: number) => {
    // A row may hold rows of its own.
    const own = (selector: string) =>
      [...(around.current?.querySelectorAll<HTMLElement>(selector) ?? [])].filter((each) => each.closest("[data-rows]") === around.current);
    const left = own("[data-row-focus]");
    const next = left[Math.min(index, left.length - 1)];
    return next ?? own("[data-adds-rows] :is(input, button)")[0] ?? null;
  };
  // The button that was pressed has gone with its row.
  useEffect(() => {
    if (removed === null) return;
    focusAfterRemoval(removed)?.focus();
    setRemoved(null);
  }, [removed, value]);
  return {
    rows,
    add: (row) => set([...rows, row]),
    change: (row, changed) => set(rows.map((each) => (each === row ? changed : each))),
    remove: (row) => {
      set(rows.filter((each) => each !== row));
      setRemoved(rows.filter((each) => !stays(each)).indexOf(row));
    },
    focusAfterRemoval,
    frame: { ref: around, id, tabIndex: -1, role: "group", "data-rows": true, "aria-label": label, "aria-describedby": describedBy },
  };
}

/** Rows one below the other, and what adds one. */
export function RowList<T>({ list, row, footer }: { list: Rows<T>; row: (row: T) => ReactNode; footer: ReactNode }) {
  return (
    <div {...list.frame} className="rounded-lg border border-line bg-panel">
      {list.rows.length > 0 && <ul className="divide-y divide-line border-b border-line">{list.rows.map(row)}</ul>}
      {footer}
    </div>
  );
}

/** Takes its row away. */
export function RemoveRow({ label, onRemove }: { label: string; onRemove: () => void }) {
  return (
    <IconButton {...ROW_FOCUS} label={label} onClick={onRemove} className="size-6">
      <X aria-hidden className="size-3.5" />
    </IconButton>
  );
}
