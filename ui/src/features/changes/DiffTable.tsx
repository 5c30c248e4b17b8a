import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore, type RefObject } from "react";
import { classNames, useRem } from "../../components";
import type { CommitDiffView, FileDiffView } from "../../generated/wire";
import { useText, type Translate } from "../../i18n";
import { Counts, FilePath } from "./Counts";
import { DiffLine, NUMBER_REM, SIGN_REM, TEXT_PADDING_REM } from "./DiffLine";
import { AnsweredFinding } from "./Findings";
import { Highlights } from "./highlight";
import { rowHeight, textsOf, type DiffRow, type Layout } from "./rows";

/** What sticks to the top, and covers what lies there: as high as `h-10.25`. */
const TOOLBAR_REM = 2.5625;
/** Between two sides; a pixel, or less than one of larger text. */
const BORDER_REM = 0.0625;

/** What the table can be asked to do. */
export interface DiffTableHandle {
  /** Brings the next or an earlier hunk to the top; which it is, none where there is none. */
  goToHunk(direction: 1 | -1): number | null;
  goToFile(file: number): void;
}

interface DiffTableProps {
  diff: CommitDiffView;
  rows: DiffRow[];
  layout: Layout;
  label: string;
  scroller: RefObject<HTMLElement | null>;
  handle: RefObject<DiffTableHandle | null>;
  /** Hears which file is at the top, and whether its name is out of sight. */
  onFile: (file: number, nameless: boolean) => void;
  onShowFinding: (fingerprint: string) => void;
}

/** The lines of a commit. Only those in sight are there, so that 5,000 scroll like fifty. */
export function DiffTable({ diff, rows, layout, label, scroller, handle, onFile, onShowFinding }: DiffTableProps) {
  const table = useRef<HTMLDivElement>(null);
  const { width, charWidth, margin, probe } = useMeasures(table, scroller);
  const unit = useRef<HTMLSpanElement>(null);
  const rem = useRem(unit);
  const toolbar = TOOLBAR_REM * rem;
  const columns = columnsOf(layout, width / rem, charWidth / rem);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rem * rowHeight(rows[index], diff, columns),
    overscan: 12,
    scrollMargin: margin,
    scrollPaddingStart: toolbar,
    isScrollingResetDelay: 120,
    useFlushSync: false,
  });
  // What was measured holds for the width and the layout that it was measured at.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, columns, rows, rem]);
  const [active, setActive] = useState<number | null>(null);
  useHandle(handle, virtualizer, { rows, scroller, toolbar }, [active, setActive]);
  const highlights = useMemo(() => new Highlights(diff), [diff]);
  useSyncExternalStore(highlights.subscribe, () => highlights.version);
  const items = virtualizer.getVirtualItems();
  const { isScrolling } = virtualizer;
  useEffect(() => {
    if (isScrolling) return;
    for (const { index } of items) want(highlights, rows[index]);
  });
  const top = virtualizer.getVirtualItemForOffset((virtualizer.scrollOffset ?? 0) + toolbar + 1);
  const rowAtTop = rows[top?.index ?? 0];
  const fileAtTop = rowAtTop?.file ?? 0;
  const nameless = top !== undefined && rowAtTop?.kind !== "file";
  useEffect(() => onFile(fileAtTop, nameless), [fileAtTop, nameless, onFile]);
  const first = items[0];
  return (
    <div ref={table} role="table" aria-label={label} aria-rowcount={rows.length} className="relative font-mono text-sm">
      <span ref={probe} aria-hidden className="invisible absolute whitespace-pre">
        {"0".repeat(50)}
      </span>
      <span ref={unit} aria-hidden className="invisible absolute h-4 w-0" />
      <div role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
        <div role="none" style={{ transform: `translateY(${(first?.start ?? margin) - margin}px)` }}>
          {items.map(({ index, key }) => {
            const row = rows[index];
            if (!row) return null;
            const place = row.kind === "line" ? { old: row.old?.place, new: row.new?.place, hunk: row.hunk } : null;
            const tokens = (side: "old" | "new") => {
              const at = place?.[side];
              return place === null || at === undefined ? null : highlights.tokens(row.file, place.hunk, side, at);
            };
            return (
              <div
                key={key}
                role="row"
                aria-rowindex={index + 1}
                data-index={index}
                className="contain-content"
                ref={isExact(row, columns) ? undefined : virtualizer.measureElement}
              >
                {row.kind === "line" ? (
                  <DiffLine row={row} layout={layout} oldTokens={tokens("old")} newTokens={tokens("new")} />
                ) : (
                  <Heading row={row} diff={diff} active={active === index} onShowFinding={onShowFinding} />
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** A row that is no line: a file, what is to be said of it, the start of a hunk. */
function Heading(props: { row: Exclude<DiffRow, { kind: "line" }>; diff: CommitDiffView; active: boolean; onShowFinding: (fingerprint: string) => void }) {
  const { row, diff, active, onShowFinding } = props;
  const t = useText();
  const file = diff.files[row.file];
  if (!file) return null;
  switch (row.kind) {
    case "file":
      return (
        <div role="cell" className={classNames("flex items-center gap-2 font-sans text-base", row.file > 0 ? "h-11 pt-3" : "h-11 pt-1")}>
          <h4 className="min-w-0 flex-1 font-medium">
            <FilePath file={file.file} />
          </h4>
          <Counts added={file.file.added} removed={file.file.removed} />
        </div>
      );
    case "note":
      return (
        <div role="cell" className="rounded bg-chip px-2.5 py-1.5 font-sans text-sm text-dim">
          {notesOf(t, file).join(" ")}
        </div>
      );
    case "hunk": {
      const hunk = file.hunks[row.hunk];
      return (
        <div
          role="cell"
          className={classNames("mt-px border-s-2 bg-chip px-2 py-1", active ? "border-accent" : "border-transparent")}
        >
          <span className="block leading-4.5 text-dim">{t("review-changes-hunk", { line: String(hunk?.new_start ?? 0) })}</span>
          {hunk?.answers.map((answer) => {
            const finding = diff.findings[answer.finding];
            return finding && <AnsweredFinding key={finding.fingerprint} finding={finding} exact={answer.exact} onShow={onShowFinding} />;
          })}
        </div>
      );
    }
  }
}

/** What is to be said of a file beside its lines. */
export function notesOf(t: Translate, { file, redacted, lines_left_out, hunks }: FileDiffView): string[] {
  const notes: string[] = [];
  if (file.unshown !== null) notes.push(t("review-changes-unshown", { reason: t(`unseen-reason-${file.unshown}`) }));
  else if (hunks.length === 0) notes.push(t(file.status === "renamed" ? "review-changes-only-moved" : "review-changes-no-lines"));
  if (lines_left_out > 0) notes.push(t("review-changes-lines-left-out", { count: lines_left_out }));
  if (redacted) notes.push(t("review-changes-redacted"));
  return notes;
}

function want(highlights: Highlights, row: DiffRow | undefined): void {
  if (row?.kind !== "line") return;
  if (row.old) highlights.want(row.file, row.hunk, "old", row.old.place);
  if (row.new) highlights.want(row.file, row.hunk, "new", row.new.place);
}

/** How many characters a line of text has room for; widths are in rem. */
function columnsOf(layout: Layout, width: number, charWidth: number): number {
  if (width === 0 || charWidth === 0) return 0;
  const text = layout === "split" ? width / 2 - NUMBER_REM - BORDER_REM : width - 2 * NUMBER_REM;
  return Math.max(1, Math.floor((text - SIGN_REM - TEXT_PADDING_REM) / charWidth));
}

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Whether the estimate of its height is certain: nothing in it wraps, and each character is as wide as the others. Before it is known how wide they
 * are nothing is measured.
 */
function isExact(row: DiffRow, columns: number): boolean {
  if (row.kind === "file" || columns === 0) return true;
  if (row.kind !== "line" || row.old?.unended || row.new?.unended) return false;
  return textsOf(row).every((text) => text.length <= columns && PLAIN.test(text));
}

/** How wide the table and a character are, and how far the table is from the top of what scrolls. */
function useMeasures(table: RefObject<HTMLDivElement | null>, scroller: RefObject<HTMLElement | null>) {
  const probe = useRef<HTMLSpanElement>(null);
  const [measures, setMeasures] = useState({ width: 0, charWidth: 0, margin: 0 });
  useLayoutEffect(() => {
    const node = table.current;
    const outer = scroller.current;
    if (!node || !outer) return;
    const measure = () => {
      const width = node.clientWidth;
      const charWidth = (probe.current?.getBoundingClientRect().width ?? 0) / 50;
      const margin = Math.round(node.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop);
      setMeasures((last) => (last.width === width && last.charWidth === charWidth && last.margin === margin ? last : { width, charWidth, margin }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    // What stands above it may grow, and push it down.
    for (let above = node.parentElement; above && above !== outer; above = above.parentElement) observer.observe(above);
    return () => observer.disconnect();
  }, [table, scroller]);
  return { ...measures, probe };
}

function useHandle(
  handle: RefObject<DiffTableHandle | null>,
  virtualizer: Virtualizer<HTMLElement, Element>,
  { rows, scroller, toolbar }: { rows: DiffRow[]; scroller: RefObject<HTMLElement | null>; toolbar: number },
  [active, setActive]: [number | null, (index: number | null) => void],
): void {
  const hunks = useMemo(() => rows.flatMap((row, index) => (row.kind === "hunk" ? [index] : [])), [rows]);
  useEffect(() => {
    const node = scroller.current;
    if (active === null || !node) return;
    const leave = () => setActive(null);
    node.addEventListener("wheel", leave, { passive: true });
    node.addEventListener("pointerdown", leave);
    return () => {
      node.removeEventListener("wheel", leave);
      node.removeEventListener("pointerdown", leave);
    };
  }, [active, scroller, setActive]);
  useEffect(() => setActive(null), [rows, setActive]);
  useLayoutEffect(() => {
    handle.current = {
      goToHunk(direction) {
        const top = virtualizer.getVirtualItemForOffset((virtualizer.scrollOffset ?? 0) + toolbar + 1)?.index ?? 0;
        const from = active ?? top;
        // The first one is above what is at the top while nothing was scrolled.
        const target = direction > 0 ? hunks.find((index) => index > from) : hunks.findLast((index) => index < from);
        if (target === undefined) return null;
        virtualizer.scrollToIndex(target, { align: "start" });
        setActive(target);
        return hunks.indexOf(target);
      },
      goToFile(file) {
        const index = rows.findIndex((row) => row.file === file);
        if (index >= 0) virtualizer.scrollToIndex(index, { align: "start" });
      },
    };
    return () => {
      handle.current = null;
    };
  }, [handle, virtualizer, rows, hunks, toolbar, active, setActive]);
}
