import { diffWordsWithSpace } from "diff";

/** A piece of a line, and what it is in its language. */
export interface Token {
  text: string;
  /** A class of the highlighter's; none for plain text. */
  kind: string | null;
}

/** A piece of a line that looks the same throughout. */
export interface Segment extends Token {
  /** It differs from the line that stands in its place on the other side. */
  marked: boolean;
}

/** A range of characters, the end not included. */
type Range = readonly [number, number];

/** A longer line is not compared word by word. */
const MAX_COMPARED = 400;
/** Two lines with less in common are two lines: marks would be all over them. */
const LEAST_COMMON = 0.3;

const compared = new Map<string, Range[]>();
const MAX_KEPT = 2_000;

/** What of a line is new against the one that stood in its place, word by word. */
export function wordMarks(text: string, other: string): Range[] {
  if (text.length > MAX_COMPARED || other.length > MAX_COMPARED) return [];
  const key = `${text}\n${other}`;
  const known = compared.get(key);
  if (known) return known;
  const marks: Range[] = [];
  let at = 0;
  let common = 0;
  for (const { value, added, removed } of diffWordsWithSpace(other, text)) {
    if (removed) continue;
    if (added) marks.push([at, at + value.length]);
    else common += value.trim().length;
    at += value.length;
  }
  const most = Math.max(text.trim().length, other.trim().length);
  const result = most === 0 || common / most < LEAST_COMMON ? [] : marks;
  if (compared.size >= MAX_KEPT) compared.clear();
  compared.set(key, result);
  return result;
}

/** Cuts tokens where marks begin and end. Whatever the tokens say, the text is the line's. */
export function paint(text: string, tokens: readonly Token[] | null, marks: readonly Range[]): Segment[] {
  const given = tokens && tokens.map((token) => token.text).join("") === text ? tokens : [{ text, kind: null }];
  const segments: Segment[] = [];
  let at = 0;
  for (const { text: piece, kind } of given) {
    const end = at + piece.length;
    const cuts = [at, ...marks.flat().filter((cut) => cut > at && cut < end), end];
    cuts.slice(0, -1).forEach((from, index) => {
      const to = cuts[index + 1] ?? end;
      const marked = marks.some(([first, last]) => first <= from && to <= last);
      if (to > from) segments.push({ text: text.slice(from, to), kind, marked });
    });
    at = end;
  }
  return segments;
}
