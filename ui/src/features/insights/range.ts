import type { InsightsRange } from "../../generated/wire";
import { kept } from "../../kept";

/** The ranges that are offered. */
export const RANGES = ["7d", "30d", "90d", "12m", "all", "custom"] as const;
export type RangeName = (typeof RANGES)[number];

/** What is looked at. */
export interface Asked {
  range: RangeName;
  /** Days as `YYYY-MM-DD`, of `custom`; empty where none was chosen. */
  from: string;
  to: string;
  /** The one repository; empty for all. */
  only: string;
}

export const FIRST_ASKED: Asked = { range: "30d", from: "", to: "", only: "" };

const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** What was looked at last. */
export const lastAsked = kept<Asked>("insights", (stored) => {
  if (typeof stored !== "object" || stored === null) return FIRST_ASKED;
  const known = stored as Partial<Record<keyof Asked, unknown>>;
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const range = RANGES.find((name) => name === known.range) ?? FIRST_ASKED.range;
  return { range, from: text(known.from), to: text(known.to), only: text(known.only) };
});

/** The range as the host understands it; null while a day is missing. */
export function wireRange({ range, from, to }: Asked): InsightsRange | null {
  switch (range) {
    case "7d":
      return { kind: "days", days: 7 };
    case "30d":
      return { kind: "days", days: 30 };
    case "90d":
      return { kind: "days", days: 90 };
    case "12m":
      return { kind: "months", months: 12 };
    case "all":
      return { kind: "all" };
    case "custom":
      return isDay(from) ? { kind: "between", from, to: isDay(to) ? to : null } : null;
  }
}
