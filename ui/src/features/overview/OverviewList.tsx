import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { ChevronRight } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type CSSProperties } from "react";
import { classNames, useRem } from "../../components";
import { formatNumber, useLanguage, useText } from "../../i18n";
import type { Selection } from "../issues/selection";
import type { Snoozes } from "../../snooze";
import { columnsOf, GOES } from "./columns";
import { PullRow } from "./PullRow";
import type { OverviewRowHandlers } from "./OverviewLine";
import { OverviewRow } from "./OverviewRow";
import { standingOf } from "./standing";
import { StandingIcon } from "./StandingIcon";
import { useListKeys, type ListActions } from "./useListKeys";
import type { Item } from "./view";

/** As high as `h-9` and `h-10`: 36 and 40 pixels while text is of its usual size. */
const HEIGHTS = { row: 2.25, group: 2.5 };
/** As high as `h-6` and `h-7`: what a pointer is to hit is at least 24 pixels high (WCAG 2.5.8). */
const COMPACT_HEIGHTS = { row: 1.5, group: 1.75 };

interface OverviewListProps extends ListActions {
  label: string;
  items: Item[];
  /** The pull request shown beside the list. */
  shown: string | null;
  selection: Selection;
  snoozes: Snoozes;
  now: number;
  /** Whose start was asked for and is not answered yet. */
  starting: ReadonlySet<string>;
  /** More pull requests are not started than those that are listed. */
  moreNotStarted: boolean;
  compact: boolean;
  onFold: (id: string) => void;
}

/** Loops in groups, a line each, and pull requests without one. Only the lines in sight are there, so that 1,000 scroll like fifty. */
export function OverviewList(props: OverviewListProps) {
  const { label, items, shown, selection, snoozes, now, starting, moreNotStarted, compact, onFold } = props;
  // The first line is a heading where lines are grouped.
  const [heading] = items;
  const byState = heading?.kind === "group" && heading.standing !== null;
  const longest = useMemo(() => Math.max(0, ...items.map((item) => (item.kind === "group" ? 0 : item.id.length))), [items]);
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const lastIndex = useRef(0);
  const activeIndex = indexOfActive(items, focused, shown, lastIndex.current);
  useLayoutEffect(() => {
    lastIndex.current = Math.max(0, activeIndex);
  }, [activeIndex]);
  const probe = useRef<HTMLSpanElement>(null);
  const rem = useRem(probe);
  const heights = compact ? COMPACT_HEIGHTS : HEIGHTS;
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (items[index]?.kind === "group" ? heights.group : heights.row) * rem,
    // Another one for other lines, other rows or larger text, so that heights are looked at anew.
    getItemKey: useCallback((index: number) => items[index]?.id ?? index, [items, heights, rem]),
    overscan: 8,
    useFlushSync: false,
    // The line that has the focus stays, wherever the list is scrolled to.
    rangeExtractor: useCallback(
      (range: Range) => {
        const visible = defaultRangeExtractor(range);
        if (activeIndex < 0 || visible.includes(activeIndex)) return visible;
        return [...visible, activeIndex].sort((a, b) => a - b);
      },
      [activeIndex],
    ),
  });

  const wanted = useRef<string | null>(null);
  const focus = (index: number) => {
    const item = items[index];
    if (!item) return false;
    virtualizer.scrollToIndex(index, { align: "auto" });
    wanted.current = item.id;
    setFocused(item.id);
    focusWanted();
    return true;
  };
  const focusWanted = () => {
    const id = wanted.current;
    const element = id === null ? null : grid.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(id)}"]`);
    if (!element) return;
    wanted.current = null;
    element.focus({ preventScroll: true });
  };
  useEffect(focusWanted);
  useListKeys(grid, { ...props, activeIndex, focus });
  const handlers = useRowHandlers(props, setFocused);
  return (
    <div ref={scroller} data-scroller className="@container relative min-h-0 flex-1 overflow-y-auto px-3 pb-3 [overflow-anchor:none]">
      <span ref={probe} aria-hidden className="invisible absolute h-4 w-0" />
      <div ref={grid} role="grid" aria-label={label} aria-rowcount={items.length + 1} aria-multiselectable style={{ "--place": `max(5rem, ${longest}ch)` } as CSSProperties} className="group/list" data-compact={compact || undefined} data-selecting={selection.keys.size > 0 || undefined}>
        <ColumnHeads byState={byState} />
        <div role="rowgroup" className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const item = items[index];
            if (!item) return null;
            const active = index === activeIndex;
            return (
              <div key={key} role="none" className="absolute inset-x-0 top-0 contain-layout" style={{ transform: `translateY(${start}px)` }}>
                {item.kind === "loop" ? (
                  <OverviewRow
                    loop={item.loop}
                    standing={standingOf(item.loop, snoozes, now)}
                    index={index}
                    active={active}
                    shown={item.id === shown}
                    selected={selection.keys.has(item.id)}
                    byState={byState}
                    handlers={handlers}
                  />
                ) : item.kind === "pull" ? (
                  <PullRow
                    pull={item.pull}
                    index={index}
                    active={active}
                    shown={item.id === shown}
                    selected={selection.keys.has(item.id)}
                    byState={byState}
                    starting={starting.has(item.id)}
                    handlers={handlers}
                  />
                ) : (
                  <GroupRow item={item} index={index} active={active} columns={byState ? 8 : 9} more={moreNotStarted && item.standing === "not-started"} onFold={onFold} onFocus={setFocused} />
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The same functions for good, so that rows render only for their own sake. */
function useRowHandlers({ onOpen, onStart, selection }: Pick<OverviewListProps, "onOpen" | "onStart" | "selection">, onFocus: (key: string) => void): OverviewRowHandlers {
  const latest = useRef({ onOpen, onStart, selection });
  useLayoutEffect(() => {
    latest.current = { onOpen, onStart, selection };
  });
  return useMemo(
    () => ({
      onOpen: (key) => latest.current.onOpen(key),
      onSelect: (key) => latest.current.selection.toggle(key),
      onStart: (key) => latest.current.onStart(key),
      onFocus,
    }),
    [onFocus],
  );
}

/** The focused line; without one the shown one; where a line has gone, the one that took its place. */
function indexOfActive(items: Item[], focused: string | null, shown: string | null, last: number): number {
  for (const id of [focused, shown]) {
    const index = id === null ? -1 : items.findIndex((item) => item.id === id);
    if (index >= 0) return index;
  }
  if (focused !== null) return Math.min(last, items.length - 1);
  return items.findIndex((item) => item.kind !== "group");
}

/** Small in its cells alone: the width of a column goes by the text of its row. */
function ColumnHeads({ byState }: { byState: boolean }) {
  const t = useText();
  const head = (id: string, more = "") => (
    <span role="columnheader" className={classNames("truncate text-xs", more)}>
      {t(id)}
    </span>
  );
  return (
    <div role="row" aria-rowindex={1} className={classNames("sticky top-0 z-10 h-7 bg-bg text-faint", columnsOf(byState))}>
      {head("overview-column-select", "sr-only static! size-0 overflow-hidden")}
      {byState ? (
        head("overview-column-state", "opacity-0")
      ) : (
        <span role="columnheader" aria-colspan={2} className="col-span-2 truncate text-xs @max-[44rem]:col-span-1 @max-[44rem]:opacity-0">
          {t("overview-column-state")}
        </span>
      )}
      {head("overview-column-title")}
      {head("overview-column-place")}
      {head("overview-column-progress", GOES.progress)}
      {head("overview-column-round", classNames("text-end", GOES.round))}
      {head("overview-column-cost", classNames("text-end", GOES.cost))}
      {head("overview-column-age", classNames("text-end", GOES.age))}
    </div>
  );
}

interface GroupRowProps {
  item: Extract<Item, { kind: "group" }>;
  index: number;
  active: boolean;
  /** How many it goes over. */
  columns: number;
  /** There are more than are counted. */
  more: boolean;
  onFold: (id: string) => void;
  onFocus: (id: string) => void;
}

/** The heading of a group; it folds what is below. */
function GroupRow({ item, index, active, columns, more, onFold, onFocus }: GroupRowProps) {
  const t = useText();
  const language = useLanguage();
  return (
    <div role="row" aria-rowindex={index + 2} className="flex h-10 items-end px-2 pb-1 group-data-compact/list:h-7 group-data-compact/list:pb-0.5">
      <span role="gridcell" aria-colspan={columns} className="flex min-w-0">
        <button
          type="button"
          data-key={item.id}
          aria-expanded={!item.folded}
          tabIndex={active ? 0 : -1}
          onFocus={() => onFocus(item.id)}
          onClick={() => onFold(item.id)}
          className="-ms-1 flex min-w-0 items-center gap-2 rounded-md px-1 font-semibold hover:bg-hover"
        >
          <ChevronRight aria-hidden className={classNames("size-4 shrink-0 text-faint", !item.folded && "rotate-90")} />
          {item.standing && <StandingIcon standing={item.standing} />}
          <span className="truncate">{item.standing ? t(`overview-group-${item.standing}`) : item.repo}</span>{" "}
          <span className="font-normal text-dim">{more ? t("list-more-than", { count: item.count }) : formatNumber(language, item.count)}</span>
        </button>
      </span>
    </div>
  );
}
