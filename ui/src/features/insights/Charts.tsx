import { Legend, type PatternName } from "../../components";
import type { InsightsView, NamedSpendingView, ReviewerFiguresView } from "../../generated/wire";
import { formatNumber, useLanguage, useText, type Language, type Translate } from "../../i18n";
import { reviewerName } from "../auto-pr-review/lifecycle";
import { ChartCard } from "./ChartCard";
import { Columns } from "./Columns";
import { axisDuration, countTicks, durationTicks, FEW, OUTCOMES, periodName, periodTitle, shareText, spentText, spreadText } from "./figures";
import { Rows } from "./Rows";
import { SpreadChart } from "./SpreadChart";

/** So many bars are drawn; the table has all. */
const MAX_ROWS = 8;
const SOLID: readonly PatternName[] = ["solid"];
const BY_OUTCOME: readonly PatternName[] = ["solid", "hatched", "dotted", "empty"];

interface ChartProps {
  view: InsightsView;
  t: Translate;
  language: Language;
}

/** Every chart of the range. */
export function Charts({ view }: { view: InsightsView }) {
  const props = { view, t: useText(), language: useLanguage() };
  return (
    <div className="grid grid-cols-2 items-stretch gap-3 @max-[48rem]:grid-cols-1">
      <Ready {...props} />
      <TimeToReady {...props} />
      <Rounds {...props} />
      <Dismissed {...props} />
      <Spending {...props} title={props.t("insights-models")} first={props.t("insights-column-model")} of={view.models} />
      <Spending {...props} title={props.t("insights-repositories")} first={props.t("insights-column-repository")} of={view.repositories} />
      <Ends {...props} />
    </div>
  );
}

function Ready({ view: { periods, unit, totals }, t, language }: ChartProps) {
  const count = (value: number) => formatNumber(language, value);
  return (
    <ChartCard
      title={t(`insights-ready-${unit}`)}
      nothing={totals.ready === 0 ? t("insights-ready-none") : null}
      table={{
        columns: [t(`insights-column-${unit}`), t("insights-column-ready")],
        rows: periods.map(({ days, ready }) => [periodTitle(language, unit, days), count(ready)]),
      }}
    >
      <Columns
        columns={periods.map(({ days, ready }) => ({ name: periodName(language, unit, days), title: periodTitle(language, unit, days), parts: [ready] }))}
        fills={SOLID}
        ticks={countTicks(Math.max(...periods.map(({ ready }) => ready)))}
        formatTick={count}
        formatTotal={count}
      />
    </ChartCard>
  );
}

function TimeToReady({ view: { periods, unit, totals }, t, language }: ChartProps) {
  const all = totals.time_to_ready;
  const largest = Math.max(...periods.map(({ time_to_ready }) => time_to_ready?.upper_ms ?? 0));
  const few = all && all.count < FEW ? t("insights-few", { count: all.count }) : t("insights-spread-note");
  return (
    <ChartCard
      title={t("insights-time")}
      note={all ? few : null}
      nothing={all ? null : t("insights-time-none")}
      table={{
        columns: [t(`insights-column-${unit}`), t("insights-column-runs"), t("insights-column-median")],
        rows: periods.map(({ days, time_to_ready: spread }) => [
          periodTitle(language, unit, days),
          formatNumber(language, spread?.count ?? 0),
          spread ? spreadText(t, language, spread) : "–",
        ]),
      }}
    >
      <SpreadChart
        points={periods.map(({ days, time_to_ready }) => ({ name: periodName(language, unit, days), title: periodTitle(language, unit, days), spread: time_to_ready }))}
        ticks={durationTicks(largest)}
        formatTick={(tick) => axisDuration(language, tick, largest)}
        formatSpread={(spread) => spreadText(t, language, spread)}
      />
    </ChartCard>
  );
}

function Rounds({ view: { rounds }, t, language }: ChartProps) {
  const count = (value: number) => formatNumber(language, value);
  const largest = Math.max(0, ...rounds.map((round) => OUTCOMES.reduce((sum, outcome) => sum + round[outcome], 0)));
  const outcome = (name: (typeof OUTCOMES)[number]) => t(`insights-outcome-${name}`);
  return (
    <ChartCard
      title={t("insights-rounds")}
      note={largest > 0 ? t("insights-ended-note") : null}
      nothing={largest === 0 ? t("insights-rounds-none") : null}
      table={{
        columns: [t("insights-column-round"), t("insights-column-runs"), ...OUTCOMES.map(outcome)],
        rows: rounds.map((round) => [count(round.round), count(round.runs), ...OUTCOMES.map((name) => count(round[name]))]),
      }}
    >
      <Legend entries={OUTCOMES.map((name, at) => ({ fill: BY_OUTCOME[at] ?? "solid", name: outcome(name) }))} />
      <Columns
        columns={rounds.map((round) => ({ name: t("insights-round", { round: round.round }), title: t("insights-round", { round: round.round }), parts: OUTCOMES.map((name) => round[name]) }))}
        fills={BY_OUTCOME}
        ticks={countTicks(largest)}
        formatTick={count}
        formatTotal={count}
      />
    </ChartCard>
  );
}

const shareOf = ({ dismissed, findings }: ReviewerFiguresView): number => dismissed / findings;

/** Which reviewer is noisy: the largest share that people dismissed first. */
function Dismissed({ view: { reviewers }, t, language }: ChartProps) {
  const count = (value: number) => formatNumber(language, value);
  const sorted = reviewers.toSorted((a, b) => shareOf(b) - shareOf(a));
  const name = ({ name, source }: ReviewerFiguresView) => `${reviewerName(t, name)} · ${t(`insights-source-${source}`)}`;
  return (
    <ChartCard
      title={t("insights-dismissed")}
      note={reviewers.length > 0 ? `${t("insights-dismissed-note")} ${t("insights-ended-note")}` : null}
      nothing={reviewers.length === 0 ? t("insights-rounds-none") : null}
      table={{
        columns: [t("insights-column-reviewer"), t("insights-column-findings"), t("insights-outcome-fixed"), t("insights-outcome-dismissed"), t("insights-column-share")],
        rows: sorted.map((each) => [name(each), count(each.findings), count(each.fixed), count(each.dismissed), shareText(language, each.dismissed, each.findings)]),
      }}
    >
      <Rows
        full={1}
        rows={sorted.slice(0, MAX_ROWS).map((each) => ({
          name: name(each),
          value: shareOf(each),
          text: t("insights-share-of", { share: shareText(language, each.dismissed, each.findings), count: each.findings }),
        }))}
      />
    </ChartCard>
  );
}

function Spending({ title, first, of, t, language }: ChartProps & { title: string; first: string; of: readonly NamedSpendingView[] }) {
  const name = (each: NamedSpendingView) => each.name ?? t("insights-unrecorded");
  // What has no price is compared by tokens, where nothing has one.
  const byTokens = of.every(({ spent }) => spent.cost_micros === 0);
  return (
    <ChartCard
      title={title}
      note={byTokens && of.length > 0 ? t("insights-by-tokens") : null}
      nothing={of.length === 0 ? t("insights-spending-none") : null}
      table={{
        columns: [first, t("insights-column-cost"), t("insights-column-tokens")],
        rows: of.map((each) => [name(each), spentText(t, language, each.spent), formatNumber(language, each.spent.tokens)]),
      }}
    >
      <Rows
        rows={of.slice(0, MAX_ROWS).map((each) => ({
          name: name(each),
          value: byTokens ? each.spent.tokens : each.spent.cost_micros,
          text: byTokens ? t("insights-tokens", { count: each.spent.tokens }) : spentText(t, language, each.spent),
        }))}
      />
    </ChartCard>
  );
}

function Ends({ view: { ends, totals }, t, language }: ChartProps) {
  return (
    <ChartCard
      wide
      title={t("insights-ends")}
      note={ends.length > 0 ? t("insights-ended-note") : null}
      nothing={ends.length === 0 ? t("insights-ends-none") : null}
      table={{
        columns: [t("insights-column-end"), t("insights-column-runs"), t("insights-column-share")],
        rows: ends.map(({ end, count }) => [t(`insights-end-${end}`), formatNumber(language, count), shareText(language, count, totals.ended)]),
      }}
    >
      <Rows rows={ends.map(({ end, count }) => ({ name: t(`insights-end-${end}`), value: count, text: formatNumber(language, count) }))} />
    </ChartCard>
  );
}
