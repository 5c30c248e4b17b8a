import type { CommitDiffView, DiffHunkView, FileDiffView } from "../../generated/wire";

/** One column, or before and after side by side. */
export type Layout = "unified" | "split";

/** A line of one side. */
export interface SideLine {
  /** Its number on its side, from 1. */
  number: number;
  sign: "+" | "-" | " ";
  text: string;
  /** Its place among the lines of its side in its hunk: where its highlighting is found. */
  place: number;
  /** The text that it takes the place of, or that takes its place. */
  other: string | null;
  /** It is the last of its file, and has no end. */
  unended: boolean;
}

/** A row of the diff. Of a context line both sides are there, of any other one in a unified diff, and one or both in a split one. */
export type DiffRow =
  | { kind: "file"; file: number }
  | { kind: "note"; file: number }
  | { kind: "hunk"; file: number; hunk: number; ordinal: number }
  | { kind: "line"; file: number; hunk: number; old: SideLine | null; new: SideLine | null };

/** A hunk's lines by side, numbered and paired. */
interface ReadHunk {
  /** Runs of lines in order: context, or removed ones with the added ones that follow. */
  runs: { old: SideLine[]; new: SideLine[]; context: boolean }[];
}

/** Reads the lines of a hunk, each of which begins with its sign. */
function readHunk({ old_start, new_start, lines }: DiffHunkView): ReadHunk {
  const runs: ReadHunk["runs"] = [];
  const next = { old: old_start, new: new_start };
  const places = { old: 0, new: 0 };
  let last: SideLine[] = [];
  const take = (side: "old" | "new", sign: SideLine["sign"], text: string): SideLine => ({
    number: next[side]++,
    sign,
    text,
    place: places[side]++,
    other: null,
    unended: false,
  });
  const runOf = (context: boolean, fits: (run: ReadHunk["runs"][number]) => boolean) => {
    const run = runs.at(-1);
    if (run && run.context === context && fits(run)) return run;
    const fresh = { old: [], new: [], context };
    runs.push(fresh);
    return fresh;
  };
  for (const line of lines) {
    const text = line.slice(1);
    switch (line[0]) {
      case "-": {
        const run = runOf(false, (known) => known.new.length === 0);
        last = [take("old", "-", text)];
        run.old.push(...last);
        break;
      }
      case "+": {
        const run = runOf(false, () => true);
        last = [take("new", "+", text)];
        run.new.push(...last);
        break;
      }
      case "\\":
        for (const known of last) known.unended = true;
        break;
      default: {
        const run = runOf(true, () => true);
        const pair = { old: take("old", " ", text), new: take("new", " ", text) };
        run.old.push(pair.old);
        run.new.push(pair.new);
        last = [pair.old, pair.new];
      }
    }
  }
  for (const { old, new: added, context } of runs) {
    // Only where as many lines come as go it is clear which one takes the place of which.
    if (context || old.length !== added.length) continue;
    old.forEach((line, index) => {
      const partner = added[index];
      if (!partner) return;
      line.other = partner.text;
      partner.other = line.text;
    });
  }
  return { runs };
}

function hunkRows(file: number, hunk: number, read: ReadHunk, layout: Layout): DiffRow[] {
  const line = (old: SideLine | null, added: SideLine | null): DiffRow => ({ kind: "line", file, hunk, old, new: added });
  return read.runs.flatMap(({ old, new: added, context }) => {
    if (context || layout === "split") {
      return Array.from({ length: Math.max(old.length, added.length) }, (_, index) => line(old[index] ?? null, added[index] ?? null));
    }
    return [...old.map((each) => line(each, null)), ...added.map((each) => line(null, each))];
  });
}

/** Whether there is something to say of a file below its name. */
export function hasNote({ file, redacted, lines_left_out, hunks }: FileDiffView): boolean {
  return file.unshown !== null || redacted || lines_left_out > 0 || hunks.length === 0;
}

/** Every row of a commit, in order. */
export function diffRows({ files }: Pick<CommitDiffView, "files">, layout: Layout): DiffRow[] {
  const rows: DiffRow[] = [];
  let ordinal = 0;
  files.forEach((each, file) => {
    rows.push({ kind: "file", file });
    if (hasNote(each)) rows.push({ kind: "note", file });
    each.hunks.forEach((hunk, index) => {
      rows.push({ kind: "hunk", file, hunk: index, ordinal });
      ordinal += 1;
      for (const row of hunkRows(file, index, readHunk(hunk), layout)) rows.push(row);
    });
  });
  return rows;
}

/** The text of one side of a hunk, a line each. */
export function sideText(hunk: DiffHunkView, side: "old" | "new"): string[] {
  const without = side === "old" ? "+" : "-";
  return hunk.lines.filter((line) => line[0] !== without && line[0] !== "\\").map((line) => line.slice(1));
}

/** How many rows of the screen a text takes, in columns of characters. */
export function wrappedRows(text: string, columns: number): number {
  if (columns <= 0) return 1;
  const tabs = text.split("\t").length - 1;
  return Math.max(1, Math.ceil((text.length + 3 * tabs) / columns));
}

/** The texts of a row of lines. */
export function textsOf(row: Extract<DiffRow, { kind: "line" }>): string[] {
  return [row.old?.text, row.new?.text].filter((text) => text !== undefined);
}

const LINE_REM = 1.125;
const FILE_REM = 2.75;
const NOTE_REM = 2.125;
const HUNK_REM = 1.625;
const FINDING_REM = 1.75;

/** How high a row is likely to be, in rem, in columns of characters. */
export function rowHeight(row: DiffRow | undefined, diff: Pick<CommitDiffView, "files">, columns: number): number {
  switch (row?.kind) {
    case "file":
      return FILE_REM;
    case "note":
      return NOTE_REM;
    case "hunk": {
      const answers = diff.files[row.file]?.hunks[row.hunk]?.answers.length ?? 0;
      return HUNK_REM + FINDING_REM * answers;
    }
    case "line":
      return LINE_REM * Math.max(...textsOf(row).map((text) => wrappedRows(text, columns)), 1);
    case undefined:
      return 0;
  }
}
