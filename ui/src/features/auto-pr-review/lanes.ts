import { scaleTime } from "d3-scale";
import type { BlockerCode, State, TimelineLine, UsageView } from "../../generated/wire";
import { hasEnded } from "../../loop-state";

/** Who a loop is with, one at a time, in the order shown. */
export const laneNames = ["checks", "bots", "review", "fix", "people"] as const;
export type LaneName = (typeof laneNames)[number];

/** A stretch of time that a loop was with one of them. */
export interface LaneBar {
  lane: LaneName;
  /** The entry of the journal that it began with. */
  seq: number;
  start: number;
  end: number;
  /** Nobody here was at work: somebody else was waited for. */
  waits: boolean;
  /** What the sessions in it cost. */
  usage: UsageView | null;
  /** Where it is drawn, in thousandths of the width. */
  x: number;
  width: number;
  /** It took longer than it is drawn. */
  shortened: boolean;
}

/** A commit that went out. */
export interface PushMark {
  seq: number;
  at: number;
  sha: string;
  x: number;
}

/** A run as it is drawn. */
export interface LanePicture {
  start: number;
  end: number;
  bars: LaneBar[];
  /** Bots that had yet to review, whomever the run was with meanwhile. */
  beside: LaneBar[];
  pushes: PushMark[];
}

const WIDTH = 1000;
/** What is there can be seen, however short it was. */
const MIN_WIDTH = 6;
/** A wait is drawn at most so many times as long as the usual stretch: a night is not what the picture is about. */
const MAX_WAIT_RATIO = 4;
const MIN_SHORTENED_MS = 60_000;

/** Whom a loop is with while it waits for something; null where its state says it better. */
export const laneOfBlocker: Record<BlockerCode, LaneName | null> = {
  starting: null,
  checks_running: "checks",
  no_checks_yet: "checks",
  collecting_failures: "checks",
  check_needs_action: "people",
  rerunning_checks: "checks",
  base_broken: "people",
  bots_pending: "bots",
  bots_out_of_quota: "bots",
  reviewing: "review",
  awaiting_reviewer: "people",
  changes_requested: "people",
  threads_open: "people",
  comments_open: "people",
  fixing: "fix",
  merging_base: "fix",
  verifying: "fix",
  verify_untrusted: "people",
  author_not_allowed: "people",
  fixing_off: "people",
  unseen: "people",
  no_sandbox: "people",
  pushing: "fix",
  awaiting_push: "fix",
  posting: null,
  awaiting_merge: "people",
  draft: "people",
  conflict: "people",
  behind: "people",
  mergeability_unknown: null,
  merge_blocked: "people",
  review_required: "people",
  ignore_label: "people",
  pending_review: "people",
  auto_merge: "people",
  merge_queue: "checks",
  queue_ejected: "people",
  unreachable: null,
  unauthorized: "people",
  forbidden: "people",
  account_unusable: "people",
  app_unusable: "people",
  rights_lacking: "people",
  server_too_old: "people",
  not_found: null,
  rate_limited: null,
  config_invalid: "people",
  observing: "people",
  awaiting_approval: "people",
  budget: "people",
  paused: "people",
};

const laneOfState: Record<State, LaneName> = {
  pr_created: "checks",
  pr_awaiting_checks: "checks",
  pr_reviewing: "review",
  pr_fixing: "fix",
  pr_ready_to_merge: "people",
  merged: "people",
  closed: "people",
  cancelled: "people",
  needs_human: "people",
  failed: "people",
};

/** The last run of a journal, oldest first. */
export function lastRun(lines: readonly TimelineLine[]): TimelineLine[] {
  const begins = (line: TimelineLine) => line.from === null || (hasEnded(line.from) && !hasEnded(line.to));
  const at = lines.findLastIndex(begins);
  return lines.slice(Math.max(0, at));
}

/** How the last run went: who it was with and when, and what went out. Nothing without a journal. */
export function lanesOf(lines: readonly TimelineLine[], now: number): LanePicture | null {
  const run = lastRun(lines);
  const [first] = run;
  const last = run.at(-1);
  if (!first || !last) return null;
  const start = timeOf(first);
  const end = Math.max(start, hasEnded(last.to) ? timeOf(endOf(run)) : now);
  const bars = layOut(barsOf(run, end));
  const pushes = run.flatMap((line) => (line.pushed === null ? [] : [{ seq: line.seq, at: timeOf(line), sha: line.pushed, x: place(bars, timeOf(line)) }]));
  return { start, end, bars, beside: besideOf(bars, botsOf(run, end)), pushes };
}

/** What is drawn, in the order in which it began: a wait for bots once, as long as it was, though the run was with them for a part of it alone. */
export function drawnBars({ bars, beside }: Pick<LanePicture, "bars" | "beside">): LaneBar[] {
  const isWithin = (bar: LaneBar) => bar.lane === "bots" && beside.some((each) => each.start <= bar.start && bar.end <= each.end);
  return [...bars.filter((bar) => !isWithin(bar)), ...beside].sort((one, other) => one.start - other.start || laneNames.indexOf(one.lane) - laneNames.indexOf(other.lane));
}

type Wait = Pick<LaneBar, "seq" | "start" | "end">;

/** When bots had yet to review. */
function botsOf(run: readonly TimelineLine[], end: number): Wait[] {
  const waits: Wait[] = [];
  let open: Wait | null = null;
  for (const line of run) {
    if (hasEnded(line.to)) break;
    if (line.bots_awaited === null) continue;
    const at = timeOf(line);
    if (line.bots_awaited.length > 0) {
      if (open === null) waits.push((open = { seq: line.seq, start: at, end }));
    } else {
      if (open) open.end = at;
      open = null;
    }
  }
  return waits.filter((wait) => wait.end > wait.start);
}

/** Places stretches of time over the bars that they lie beside. */
function besideOf(bars: readonly LaneBar[], waits: readonly Wait[]): LaneBar[] {
  return waits.map(({ seq, start, end }) => {
    const x = place(bars, start);
    const width = Math.max(MIN_WIDTH, place(bars, end) - x);
    const shortened = bars.some((bar) => bar.shortened && bar.start < end && start < bar.end);
    return { lane: "bots" as const, seq, start, end, waits: true, usage: null, x: Math.min(x, WIDTH - width), width, shortened };
  });
}

const timeOf = (line: TimelineLine): number => new Date(line.at).getTime();

/** The entry that ended a run: what is said after it takes no time of its own. */
function endOf(run: readonly TimelineLine[]): TimelineLine {
  const ended = run.find((line) => hasEnded(line.to));
  return ended ?? (run.at(-1) as TimelineLine);
}

function barsOf(run: readonly TimelineLine[], end: number): LaneBar[] {
  const bars: LaneBar[] = [];
  let wait: TimelineLine["waits_for"] = null;
  let state: State | null = null;
  for (const line of run) {
    const at = timeOf(line);
    if (line.usage !== null) charge(bars, line);
    if (hasEnded(line.to)) break;
    // What it waited for in another state says nothing of this one.
    if (line.waits_for !== null) wait = line.waits_for;
    else if (state !== line.to) wait = null;
    state = line.to;
    const lane = (wait && laneOfBlocker[wait.code]) ?? laneOfState[line.to];
    const open = bars.at(-1);
    if (open?.lane === lane) continue;
    if (open) open.end = at;
    bars.push({ lane, seq: line.seq, start: at, end, waits: lane !== "review" && lane !== "fix", usage: null, x: 0, width: 0, shortened: false });
  }
  return bars.filter((bar) => bar.end > bar.start);
}

/** Adds what a session cost to the stretch that it worked in. */
function charge(bars: LaneBar[], line: TimelineLine): void {
  const lane = line.worker === "fixer" ? "fix" : "review";
  const bar = bars.findLast((each) => each.lane === lane) ?? bars.at(-1);
  if (bar && line.usage) bar.usage = bar.usage ? sum(bar.usage, line.usage) : line.usage;
}

function sum(one: UsageView, other: UsageView): UsageView {
  const cost = one.cost_usd === null ? other.cost_usd : one.cost_usd + (other.cost_usd ?? 0);
  const unpriced = one.unpriced || other.unpriced;
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cost_usd: cost,
    ...(unpriced && { unpriced }),
  };
}

/** Gives each bar its place: by how long it took, long waits cut short. */
function layOut(bars: LaneBar[]): LaneBar[] {
  const took = bars.map((bar) => bar.end - bar.start);
  const usual = took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)] ?? 0;
  const longest = Math.max(MIN_SHORTENED_MS, usual * MAX_WAIT_RATIO);
  const drawn = bars.map((bar, index) => Math.min(took[index] ?? 0, bar.waits && bars.length > 1 ? longest : Infinity));
  const all = drawn.reduce((total, one) => total + one, 0);
  const room = WIDTH - MIN_WIDTH * bars.length;
  let x = 0;
  return bars.map((bar, index) => {
    const width = MIN_WIDTH + (all === 0 ? 0 : (room * (drawn[index] ?? 0)) / all);
    const placed = { ...bar, x, width, shortened: (drawn[index] ?? 0) < (took[index] ?? 0) };
    x += width;
    return placed;
  });
}

/** Where a moment is drawn. */
function place(bars: readonly LaneBar[], at: number): number {
  const bar = bars.find((each) => at < each.end) ?? bars.at(-1);
  if (!bar) return 0;
  const share = Math.min(1, Math.max(0, (at - bar.start) / (bar.end - bar.start)));
  return bar.x + bar.width * share;
}

/** A round time on the axis. */
export interface Tick {
  at: number;
  x: number;
  /** Which end of its label is at `x`. */
  anchor: Anchor;
}

export type Anchor = "start" | "middle" | "end";

/** No more ticks than that have room. */
const MAX_TICKS = 6;
/** How far apart labels begin at least, in labels, to be read apart. */
const LABEL_GAP = 1.6;

/** Round times and where they are drawn, their labels `label` thousandths wide. A stretch that is cut has none: time passes there otherwise. */
export function ticksOf({ bars }: Pick<LanePicture, "bars">, label: number): Tick[] {
  const kept: Tick[] = [];
  for (const tick of stretchesOf(bars).flatMap((stretch) => ticksIn(stretch, bars, label))) {
    const last = kept.at(-1);
    if (!last || areApart(last, tick, label)) kept.push(tick);
  }
  return kept;
}

/** As many round times of a stretch, evenly, as can be read apart. */
function ticksIn({ start, end }: Stretch, bars: readonly LaneBar[], label: number): Tick[] {
  const scale = scaleTime().domain([start, end]);
  for (let wanted = MAX_TICKS; wanted > 0; wanted -= 1) {
    const ticks = scale.ticks(wanted).map((tick) => tickAt(tick.getTime(), bars, label));
    if (ticks.every((tick, index) => index === 0 || areApart(ticks[index - 1] ?? tick, tick, label))) return ticks;
  }
  return [];
}

function tickAt(at: number, bars: readonly LaneBar[], label: number): Tick {
  const x = place(bars, at);
  return { at, x, anchor: anchorOf(x, label) };
}

const areApart = (one: Tick, other: Tick, label: number): boolean => labelStart(other, label) - labelStart(one, label) >= LABEL_GAP * label;

/** Text `width` wide near an edge stays inside it. */
export const anchorOf = (x: number, width: number): Anchor => (x < width / 2 ? "start" : x > WIDTH - width / 2 ? "end" : "middle");

/** Where a label begins. */
export const labelStart = ({ x, anchor }: Pick<Tick, "x" | "anchor">, label: number): number => x - { start: 0, middle: label / 2, end: label }[anchor];

type Stretch = Pick<LaneBar, "start" | "end">;

/** The stretches between what is cut. */
function stretchesOf(bars: readonly LaneBar[]): Stretch[] {
  const stretches: Stretch[] = [];
  let open = false;
  for (const { start, end, shortened } of bars) {
    const last = stretches.at(-1);
    if (shortened) open = false;
    else if (open && last) last.end = end;
    else {
      open = true;
      stretches.push({ start, end });
    }
  }
  return stretches;
}
