import { ProblemBanner } from "../../components";
import { useAnswer } from "../../data";
import type { PeriodSpendingView } from "../../generated/wire";
import { dollarsLeft, formatCost, formatDollars, formatNumber, useLanguage, useText, type Language, type Translate } from "../../i18n";

/** What was spent today and in all, and what is left. */
export function Spending() {
  const t = useText();
  const language = useLanguage();
  const spending = useAnswer({ command: "spending" });
  if (spending.error) return <ProblemBanner problem={spending.error} busy={spending.isFetching} onRetry={() => void spending.refetch()} />;
  if (!spending.data) return null;
  const rows = [
    ["today", spending.data.day],
    ["total", spending.data.total],
  ] as const;
  return (
    <dl aria-label={t("spending-title")} className="mt-4 grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 rounded-lg border border-line bg-panel px-4 py-3">
      {rows.map(([period, of]) => (
        <div key={period} className="contents">
          <dt className="text-dim">{t(`spending-${period}`)}</dt>
          <dd className="min-w-0 text-pretty tabular-nums">{spentText(t, language, of)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** `$1.20 of $20.00, $18.80 left`; what has no price beside it, in tokens. */
function spentText(t: Translate, language: Language, period: PeriodSpendingView): string {
  const { spent, unpriced_tokens, limit } = period;
  const cost = formatCost(t, language, spent);
  const left = dollarsLeft(period);
  const money =
    limit.cost_usd === null || left === null
      ? t("spending-unlimited", { spent: cost })
      : t("spending-limited", { spent: cost, limit: formatDollars(t, language, limit.cost_usd), left: formatDollars(t, language, left) });
  if (unpriced_tokens === 0) return money;
  const count = (tokens: number) => formatNumber(language, tokens, { notation: "compact", maximumFractionDigits: 1 });
  const tokens =
    limit.tokens === null
      ? t("spending-tokens", { spent: count(unpriced_tokens) })
      : t("spending-tokens-limited", { spent: count(unpriced_tokens), limit: count(limit.tokens) });
  return `${money} · ${tokens}`;
}
