import type { InsightsView, SpentView, SpreadView, TotalsView } from "../../generated/wire";

const MINUTE = 60_000;

export const aSpent = (dollars: number, tokens: number, unpriced = false): SpentView => ({ cost_micros: Math.round(dollars * 1_000_000), unpriced, tokens });

export const aSpread = (count: number, median: number): SpreadView => ({ count, lower_ms: median * 0.6 * MINUTE, median_ms: median * MINUTE, upper_ms: median * 1.7 * MINUTE });

export const someTotals = (more: Partial<TotalsView> = {}): TotalsView => ({
  ready: 34,
  time_to_ready: aSpread(34, 41),
  ended: 39,
  merged: 29,
  findings: 92,
  dismissable: 84,
  dismissed: 11,
  spent: aSpent(18.42, 5_210_000),
  ...more,
});

/** A quarter of a busy team. */
export function someInsights(more: Partial<InsightsView> = {}): InsightsView {
  const ready = [1, 3, 0, 4, 2, 5, 3, 6, 2, 4, 1, 2, 1];
  const median = [62, 55, 0, 48, 70, 44, 39, 41, 36, 33, 58, 29, 31];
  const day = (weeks: number, days = 0) => new Date(Date.UTC(2026, 7, 31) + (weeks * 7 + days) * 86_400_000).toISOString().slice(0, 10);
  return {
    range: { from: "2026-08-31", to: "2026-11-24" },
    totals: someTotals(),
    before: someTotals({ ready: 27, merged: 30, ended: 33, time_to_ready: aSpread(27, 58), spent: aSpent(21.1, 6_000_000) }),
    unit: "week",
    periods: ready.map((count, week) => ({
      days: { from: day(week), to: week === 12 ? "2026-11-24" : day(week, 6) },
      ready: count,
      time_to_ready: count === 0 ? null : aSpread(count, median[week] ?? 40),
    })),
    rounds: [
      { round: 1, runs: 28, fixed: 44, dismissed: 8, declined: 5, open: 3 },
      { round: 2, runs: 13, fixed: 16, dismissed: 2, declined: 3, open: 2 },
      { round: 3, runs: 5, fixed: 5, dismissed: 1, declined: 1, open: 2 },
    ],
    ends: [
      { end: "merged", count: 29 },
      { end: "closed", count: 4 },
      { end: "iterations_spent", count: 2 },
      { end: "stuck", count: 2 },
      { end: "ci_timeout", count: 1 },
      { end: "cancelled", count: 1 },
    ],
    reviewers: [
      { source: "agent", name: "quinn", findings: 31, fixed: 24, dismissed: 2 },
      { source: "bot", name: "coderabbitai", findings: 22, fixed: 11, dismissed: 7 },
      { source: "agent", name: "sage", findings: 18, fixed: 14, dismissed: 1 },
      { source: "rules", name: "rules", findings: 9, fixed: 9, dismissed: 0 },
      { source: "linter", name: "ruff", findings: 4, fixed: 3, dismissed: 1 },
    ],
    models: [
      { name: "anthropic/claude-sonnet-4-5", spent: aSpent(11.3, 2_900_000) },
      { name: "openai/gpt-5-mini", spent: aSpent(5.02, 1_750_000) },
      { name: "Codex", spent: aSpent(2.1, 560_000, true) },
    ],
    repositories: [
      { name: "acme/api", spent: aSpent(12.9, 3_500_000) },
      { name: "acme/web", spent: aSpent(5.52, 1_710_000, true) },
    ],
    unrecorded_runs: 0,
    ongoing_runs: 0,
    recorded_since: "2026-08-01T09:00:00Z",
    first_day: "2026-06-02",
    all_repositories: ["acme/api", "acme/web"],
    ...more,
  };
}

/** Two runs in a week: almost nothing to go by. */
export function fewInsights(): InsightsView {
  return someInsights({
    range: { from: "2026-11-18", to: "2026-11-24" },
    unit: "day",
    totals: someTotals({ ready: 2, ended: 1, merged: 1, findings: 3, dismissable: 3, dismissed: 0, time_to_ready: aSpread(2, 25), spent: aSpent(0, 120_000, true) }),
    before: someTotals({ ready: 0, ended: 0, merged: 0, findings: 0, dismissable: 0, dismissed: 0, time_to_ready: null, spent: aSpent(0, 0) }),
    periods: [18, 19, 20, 21, 22, 23, 24].map((day) => ({
      days: { from: `2026-11-${day}`, to: `2026-11-${day}` },
      ready: day === 20 || day === 23 ? 1 : 0,
      time_to_ready: day === 20 || day === 23 ? aSpread(1, day) : null,
    })),
    rounds: [{ round: 1, runs: 1, fixed: 3, dismissed: 0, declined: 0, open: 0 }],
    ends: [{ end: "merged", count: 1 }, { end: "unrecorded", count: 1 }],
    reviewers: [{ source: "rules", name: "rules", findings: 3, fixed: 3, dismissed: 0 }],
    models: [{ name: "ollama/qwen3", spent: aSpent(0, 90_000, true) }, { name: null, spent: aSpent(0, 30_000, true) }],
    repositories: [{ name: "acme/api", spent: aSpent(0, 120_000, true) }],
    unrecorded_runs: 1,
    ongoing_runs: 1,
    recorded_since: "2026-11-22T09:00:00Z",
    first_day: "2026-11-18",
  });
}

/** Before anything ran. */
export function noInsights(): InsightsView {
  const nothing = someTotals({ ready: 0, time_to_ready: null, ended: 0, merged: 0, findings: 0, dismissable: 0, dismissed: 0, spent: aSpent(0, 0) });
  return someInsights({
    totals: nothing,
    before: nothing,
    periods: [],
    rounds: [],
    ends: [],
    reviewers: [],
    models: [],
    repositories: [],
    first_day: null,
    all_repositories: [],
  });
}
