import type { TimelineLine } from "../../generated/wire";
import { formatWeekday, type Language } from "../../i18n";
import { hasEnded } from "../../loop-state";
import { laneOfBlocker } from "./lanes";

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

/** Puts the journal, oldest first, into groups, latest first; a run begins where one had ended, or nothing was before. Runs are counted over all of it. */
export function groupTimeline(lines: readonly TimelineLine[], choose: (lines: readonly TimelineLine[]) => readonly TimelineLine[] = (all) => all): TimelineGroup[] {
  const groups: TimelineGroup[] = [];
  const kept = new Set(choose(lines));
  let run = 0;
  for (const line of lines) {
    const begins = line.from === null || (hasEnded(line.from) && !hasEnded(line.to));
    if (begins || run === 0) run += 1;
    if (!kept.has(line)) continue;
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

/** `Saturday 14 March`, with the year where it is another. */
export function dayName(language: Language, at: string, now: number = Date.now()): string {
  return formatWeekday(language, at, new Date(at).getFullYear() !== new Date(now).getFullYear());
}

/** What an entry is about, to filter by. */
export const logKinds = ["checks", "bots", "review", "fix", "people"] as const;
export type LogKind = (typeof logKinds)[number];

const kinds: Record<string, LogKind> = {
  checks_rerun: "checks",
  review_finished: "review",
  review_failed: "review",
  fix_finished: "fix",
  fix_failed: "fix",
  fix_verified: "fix",
  verify_failed: "fix",
  pushed: "fix",
  rebased: "fix",
  push_failed: "fix",
  base_merged: "fix",
  base_merge_refused: "fix",
  base_merge_failed: "fix",
  finding_dismissed: "people",
  fixer_noted: "people",
  files_seen: "people",
  trust_changed: "people",
  autonomy_changed: "people",
  pause_changed: "people",
  push_approved: "people",
  push_rejected: "people",
  created: "people",
  cancel: "people",
  retry: "people",
  resume: "people",
};

/** What an entry is about; null for what Collie does with itself. */
export function kindOf(line: TimelineLine): LogKind | null {
  if (line.review !== null) return "review";
  if (line.pushed !== null) return "fix";
  return kinds[line.event] ?? (line.waits_for?.needs_person ? "people" : outsideKind(line));
}

/** Of the checks or the bots: a wait for them, or the end or the beginning of that wait. */
function outsideKind({ event, from, to, waits_for, bots_awaited }: TimelineLine): LogKind | null {
  const lane = waits_for && laneOfBlocker[waits_for.code];
  if (lane === "checks" || lane === "bots") return lane;
  if (bots_awaited !== null && from === to) return "bots";
  const awaited = from === "pr_awaiting_checks" || to === "pr_awaiting_checks";
  return event === "observed" && from !== to && awaited ? "checks" : null;
}

/** What is shown of the journal. */
export interface LogFilter {
  kind: LogKind | null;
  /** Readings that showed nothing new are shown too. */
  quiet: boolean;
  search: string;
}

/** The entries that a filter lets through, in their order. */
export function filterLog(lines: readonly TimelineLine[], { kind, quiet, search }: LogFilter): TimelineLine[] {
  const words = search.trim().toLocaleLowerCase();
  const says = (line: TimelineLine) => [line.text, ...line.notes].some((text) => text.toLocaleLowerCase().includes(words));
  return lines.filter((line) => (quiet || !line.quiet) && (kind === null || kindOf(line) === kind) && (words === "" || says(line)));
}
