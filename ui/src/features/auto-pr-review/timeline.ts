import type { TimelineLine } from "../../generated/wire";
import { hasEnded } from "../../loop-state";

/** What happened on one day of one run, latest first. */
export interface TimelineGroup {
  /** From 1. */
  run: number;
  /** The day where the reader is, as `YYYY-MM-DD`. */
  day: string;
  /** When the latest of them was. */
  at: string;
  lines: TimelineLine[];
}

function dayOf(at: string): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Puts the journal, oldest first, into groups, latest first; a run begins where one had ended, or nothing was before. */
export function groupTimeline(lines: readonly TimelineLine[]): TimelineGroup[] {
  const groups: TimelineGroup[] = [];
  let run = 0;
  for (const line of lines) {
    const begins = line.from === null || (hasEnded(line.from) && !hasEnded(line.to));
    if (begins || run === 0) run += 1;
    const day = dayOf(line.at);
    const last = groups.at(-1);
    if (last && last.run === run && last.day === day) {
      last.lines.push(line);
      last.at = line.at;
    } else {
      groups.push({ run, day, at: line.at, lines: [line] });
    }
  }
  return groups.reverse().map((group) => ({ ...group, lines: group.lines.reverse() }));
}

/** The first `count` lines of the groups. */
export function firstLines(groups: readonly TimelineGroup[], count: number): TimelineGroup[] {
  const shown: TimelineGroup[] = [];
  let left = count;
  for (const group of groups) {
    if (left <= 0) break;
    shown.push({ ...group, lines: group.lines.slice(0, left) });
    left -= group.lines.length;
  }
  return shown;
}

/** A line, and how often it came in a row. */
export interface RepeatedLine {
  line: TimelineLine;
  times: number;
}

/** Lines that say the same, one after the other, and changed nothing, become one: the first of them, which is the latest. */
export function collapseRepeats(lines: readonly TimelineLine[]): RepeatedLine[] {
  const kept: RepeatedLine[] = [];
  for (const line of lines) {
    const last = kept.at(-1);
    if (last && changesNothing(last.line) && changesNothing(line) && last.line.text === line.text) last.times += 1;
    else kept.push({ line, times: 1 });
  }
  return kept;
}

function changesNothing(line: TimelineLine): boolean {
  return line.from === line.to && line.notes.length === 0;
}

/** `Saturday 14 March` */
export function dayName(language: string, at: string): string {
  return new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long" }).format(new Date(at));
}
