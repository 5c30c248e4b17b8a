import { scaleLinear } from "d3-scale";
import type { DayRangeView, InsightsView, PeriodUnit, SpentView, SpreadView } from "../../generated/wire";
import { formatCost, formatDay, formatDuration, formatMonth, formatNumber, textIn, type Language, type Translate } from "../../i18n";

/** Fewer than these say little about the rest. */
export const FEW = 5;
const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `$1.20`, `$1.20 and unknown`, or `price unknown`. */
export function spentText(t: Translate, language: Language, { cost_micros, unpriced, tokens }: SpentView): string {
  const cost_usd = cost_micros === 0 && unpriced ? null : cost_micros / 1_000_000;
  return formatCost(t, language, { input_tokens: tokens, output_tokens: 0, cost_usd, unpriced });
}

/** How a piece of the range is called: its first day, or its month. */
export function periodName(language: Language, unit: PeriodUnit, { from }: DayRangeView): string {
  return unit === "month" ? formatMonth(language, from) : formatDay(language, from);
}

/** The same in full: `2 – 8 November`. */
export function periodTitle(language: Language, unit: PeriodUnit, days: DayRangeView): string {
  if (unit === "month") return formatMonth(language, days.from);
  if (days.from === days.to) return formatDay(language, days.from);
  return `${formatDay(language, days.from)} – ${formatDay(language, days.to)}`;
}

/** `25 %` of a share; empty where there is nothing to have one of. */
export function shareText(language: Language, part: number, whole: number): string {
  return whole === 0 ? "" : formatNumber(language, part / whole, { style: "percent", maximumFractionDigits: 0 });
}

/** A duration as short as an axis has room for: `12 min`, `3 h`, `1.5 d`. */
export function axisDuration(language: Language, ms: number, largest: number): string {
  const t = textIn(language);
  const [unit, size] = durationUnit(largest);
  const digits = { maximumFractionDigits: 1 };
  return t(`age-${unit}`, { count: formatNumber(language, ms / size, digits) });
}

function durationUnit(largest: number): ["second" | "minute" | "hour" | "day", number] {
  if (largest < 2 * MINUTE) return ["second", SECOND];
  if (largest < 2 * HOUR) return ["minute", MINUTE];
  return largest < 4 * DAY ? ["hour", HOUR] : ["day", DAY];
}

/** Round durations from nothing to beyond the largest: a few ticks of an axis. */
export function durationTicks(largest: number): number[] {
  const [, size] = durationUnit(largest);
  return countTicks(Math.max(largest, 10 * SECOND) / size, false).map((tick) => tick * size);
}

/** Round numbers from nothing to beyond the largest. */
export function countTicks(largest: number, whole = true): number[] {
  const wanted = whole ? Math.min(4, Math.max(1, largest)) : 4;
  const scale = scaleLinear().domain([0, Math.max(largest, whole ? 1 : 0.1)]).nice(wanted);
  return scale.ticks(wanted).filter((tick) => !whole || Number.isInteger(tick));
}

/** A duration as precise as it is worth: `40 s`, `41 min`, `3 h 5 min`. */
export function roundDuration(language: Language, ms: number): string {
  const minutes = Math.round(ms / MINUTE);
  return ms < MINUTE || minutes >= 60 ? formatDuration(language, ms) : textIn(language)("age-minute", { count: minutes });
}

/** `12 min (7 – 31 min)`: a median with where the middle half lies. */
export function spreadText(t: Translate, language: Language, spread: SpreadView): string {
  return t("insights-spread", {
    median: roundDuration(language, spread.median_ms),
    lower: roundDuration(language, spread.lower_ms),
    upper: roundDuration(language, spread.upper_ms),
  });
}

/** How many days the range has. */
export function daysOf({ from, to }: DayRangeView): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY) + 1;
}

/** Whether anything at all is in the range. */
export function isNothing({ totals, models }: InsightsView): boolean {
  return totals.ready === 0 && totals.ended === 0 && models.length === 0;
}

/** What became of findings, in the order drawn. */
export const OUTCOMES = ["fixed", "dismissed", "declined", "open"] as const;
export type Outcome = (typeof OUTCOMES)[number];
