import { textIn, type Language } from "./text";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The tag that dates and lists are written by: English as in Europe, the day before the month. Numbers are alike, but for a million. */
const TAGS: Record<Language, string> = { en: "en-GB", fr: "fr" };

/** One formatter per language and shape: making them is slow. */
const made = new Map<string, unknown>();
function once<T>(key: string, make: () => T): T {
  const known = made.get(key);
  if (known) return known as T;
  const fresh = make();
  made.set(key, fresh);
  return fresh;
}

/** `4,812` */
export function formatNumber(language: Language, value: number, options?: Intl.NumberFormatOptions): string {
  return once(`number ${language} ${JSON.stringify(options)}`, () => new Intl.NumberFormat(language, options)).format(value);
}

/** `ana, kim and the rules` */
export function formatList(language: Language, items: readonly string[]): string {
  return once(`list ${language}`, () => new Intl.ListFormat(TAGS[language], { type: "conjunction" })).format(items);
}

const DATE = { day: "numeric", month: "short", year: "numeric" } as const;
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** `14 Mar 2026, 14:27` */
export function formatDate(language: Language, at: string | number | Date): string {
  return once(`date ${language}`, () => new Intl.DateTimeFormat(TAGS[language], { ...DATE, ...TIME })).format(new Date(at));
}

/** `14 Mar 2026, 14:27:05 GMT+1`: all of what is shown in short. */
export function formatFullTime(language: Language, at: string | number | Date): string {
  return once(
    `full ${language}`,
    () => new Intl.DateTimeFormat(TAGS[language], { ...DATE, ...TIME, second: "2-digit", timeZoneName: "shortOffset" }),
  ).format(new Date(at));
}

/** `14:27` today, else with its day: `13 Mar, 14:27`, and with the year where it is another. */
export function formatMoment(language: Language, at: string | number | Date, now: number = Date.now()): string {
  const [moment, today] = [new Date(at), new Date(now)];
  if (moment.toDateString() === today.toDateString()) return formatTime(language, moment);
  if (moment.getFullYear() !== today.getFullYear()) return formatDate(language, moment);
  return once(
    `moment ${language}`,
    () => new Intl.DateTimeFormat(TAGS[language], { day: DATE.day, month: DATE.month, ...TIME }),
  ).format(moment);
}

/** A day as `YYYY-MM-DD`, or a moment: `14 Mar`, with the year where that is asked for. */
export function formatDay(language: Language, at: string, withYear = false): string {
  const isDay = at.length === 10;
  return once(
    `day ${language} ${isDay} ${withYear}`,
    () => new Intl.DateTimeFormat(TAGS[language], { day: "numeric", month: "short", ...(withYear && { year: "numeric" }), ...(isDay && { timeZone: "UTC" }) }),
  ).format(new Date(at));
}

/** `Saturday 14 March`, with the year where that is asked for. */
export function formatWeekday(language: Language, at: string | number | Date, withYear = false): string {
  return once(
    `weekday ${language} ${withYear}`,
    () => new Intl.DateTimeFormat(TAGS[language], { weekday: "long", day: "numeric", month: "long", ...(withYear && { year: "numeric" }) }),
  ).format(new Date(at));
}

/** The month of a day as `YYYY-MM-DD`: `Mar 2026`. */
export function formatMonth(language: Language, day: string): string {
  return once(`month ${language}`, () => new Intl.DateTimeFormat(TAGS[language], { month: "short", year: "numeric", timeZone: "UTC" })).format(new Date(day));
}

/** `14:27:05` */
export function formatSeconds(language: Language, at: string | number | Date): string {
  return once(
    `seconds ${language}`,
    () => new Intl.DateTimeFormat(TAGS[language], { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }),
  ).format(new Date(at));
}

/** `14:27` */
export function formatTime(language: Language, at: string | number | Date): string {
  return once(
    `time ${language}`,
    () => new Intl.DateTimeFormat(TAGS[language], TIME),
  ).format(new Date(at));
}

function largest(ms: number): ["second" | "minute" | "hour" | "day", number] {
  const size = Math.abs(ms);
  if (size < MINUTE) return ["second", Math.trunc(ms / SECOND)];
  if (size < HOUR) return ["minute", Math.trunc(ms / MINUTE)];
  if (size < DAY) return ["hour", Math.trunc(ms / HOUR)];
  return ["day", Math.trunc(ms / DAY)];
}

/** `3 minutes ago`, `in 2 hours` */
export function formatRelativeTime(language: Language, at: string | number | Date, now: number): string {
  const [unit, count] = largest(new Date(at).getTime() - now);
  return once(`relative ${language}`, () => new Intl.RelativeTimeFormat(TAGS[language], { numeric: "auto" })).format(count, unit);
}

/** How old something is, as short as can be, and written as `formatDuration` does: `12 min`, `3 h`, `2 d`. */
export function formatAge(language: Language, at: string | number | Date, now: number): string {
  const [unit, count] = largest(Math.max(0, now - new Date(at).getTime()));
  return textIn(language)(`age-${unit}`, { count });
}

/** `12 min 40 s`: as the terminal and GitHub say it. */
export function formatDuration(language: Language, ms: number): string {
  const t = textIn(language);
  const seconds = Math.max(0, Math.floor(ms / SECOND));
  if (seconds < 60) return t("duration-seconds", { seconds });
  if (seconds < 3600) return t("duration-minutes", { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
  return t("duration-hours", { hours: Math.floor(seconds / 3600), minutes: Math.floor((seconds % 3600) / 60) });
}
