import type { InsightsView, SpentView, TotalsView } from "../../generated/wire";
import { formatNumber, useLanguage, useText, type Language, type Translate } from "../../i18n";
import { FEW, roundDuration, shareText, spentText } from "./figures";

interface TileFacts {
  name: string;
  value: string;
  /** Compared with the time before, or what the value is of. */
  more: string;
}

/** The range in five figures, each with how it was before. */
export function Tiles({ view }: { view: InsightsView }) {
  const t = useText();
  const language = useLanguage();
  const tiles = [readyTile, timeTile, endedTile, dismissedTile, spentTile].map((make) => make(view, t, language));
  return (
    <section aria-label={t("insights-tiles")}>
      <dl className="grid grid-cols-5 gap-2 @max-[60rem]:grid-cols-3 @max-[32rem]:grid-cols-2">
        {tiles.map(({ name, value, more }) => (
          <div key={name} className="min-w-0 rounded-xl border border-line bg-panel px-3 py-2 @max-[32rem]:last:col-span-2">
            <dt className="text-dim">{name}</dt>
            <dd className="text-xl font-semibold">{value}</dd>
            <dd className="text-sm text-dim">{more}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const countChange = (t: Translate, language: Language, now: number, before: number | undefined): string => {
  if (before === undefined) return "";
  if (now === before) return t("insights-same");
  return t(now > before ? "insights-more" : "insights-fewer", { difference: formatNumber(language, Math.abs(now - before)) });
};

const readyTile = ({ totals, before }: InsightsView, t: Translate, language: Language): TileFacts => ({
  name: t("insights-tile-ready"),
  value: formatNumber(language, totals.ready),
  more: countChange(t, language, totals.ready, before?.ready),
});

function timeTile({ totals, before }: InsightsView, t: Translate, language: Language): TileFacts {
  const name = t("insights-tile-time");
  const now = totals.time_to_ready;
  if (!now) return { name, value: "–", more: t("insights-tile-time-none") };
  const value = roundDuration(language, now.median_ms);
  if (now.count < FEW) return { name, value, more: t("insights-few", { count: now.count }) };
  const earlier = before?.time_to_ready;
  if (!earlier || earlier.count < FEW) return { name, value, more: t("insights-of-runs", { count: now.count }) };
  const difference = now.median_ms - earlier.median_ms;
  const key = difference === 0 ? "insights-same" : difference > 0 ? "insights-longer" : "insights-shorter";
  return { name, value, more: t(key, { difference: roundDuration(language, Math.abs(difference)) }) };
}

const endedTile = ({ totals }: InsightsView, t: Translate, language: Language): TileFacts => ({
  name: t("insights-tile-merged"),
  value: formatNumber(language, totals.merged),
  more: t("insights-of-ended", { count: totals.ended }),
});

function dismissedTile({ totals }: InsightsView, t: Translate, language: Language): TileFacts {
  const name = t("insights-tile-dismissed");
  if (totals.dismissable === 0) return { name, value: "–", more: t("insights-tile-dismissed-none") };
  return {
    name,
    value: shareText(language, totals.dismissed, totals.dismissable),
    more: t("insights-part-of-findings", { part: formatNumber(language, totals.dismissed), count: totals.dismissable }),
  };
}

const spentTile = ({ totals, before }: InsightsView, t: Translate, language: Language): TileFacts => ({
  name: t("insights-tile-spent"),
  value: totals.spent.tokens === 0 && totals.spent.cost_micros === 0 ? t("overview-spent-nothing") : spentText(t, language, totals.spent),
  more: spentChange(t, language, totals, before),
});

/** Costs that are not known wholly cannot be compared. */
function spentChange(t: Translate, language: Language, now: TotalsView, before: TotalsView | null): string {
  const unknown = (spent: SpentView) => spent.unpriced;
  if (!before || unknown(now.spent) || unknown(before.spent)) return t("insights-tokens", { count: now.spent.tokens });
  const difference = now.spent.cost_micros - before.spent.cost_micros;
  if (difference === 0) return t("insights-same");
  const text = spentText(t, language, { cost_micros: Math.abs(difference), unpriced: false, tokens: 0 });
  return t(difference > 0 ? "insights-more" : "insights-fewer", { difference: text });
}
