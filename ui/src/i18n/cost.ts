import type { PeriodSpendingView, UsageView } from "../generated/wire";
import { formatNumber } from "./format";
import type { Language, Translate } from "./text";

const CENT = 0.01;

/** `$0.09`; `< $0.01` where it is less than a cent. */
export function formatDollars(t: Translate, language: Language, dollars: number): string {
  const small = dollars > 0 && dollars < CENT;
  const amount = formatNumber(language, small ? CENT : dollars, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return t(small ? "money-under" : "money", { amount });
}

/** What is left of a limit in dollars; null where there is none. */
export const dollarsLeft = ({ spent, limit }: PeriodSpendingView): number | null =>
  limit.cost_usd === null ? null : Math.max(0, limit.cost_usd - (spent.cost_usd ?? 0));

/** What is known of the cost; what no price is known for is no zero. */
export function formatCost(t: Translate, language: Language, { cost_usd, unpriced }: UsageView): string {
  if (cost_usd === null) return t("money-unknown");
  const known = formatDollars(t, language, cost_usd);
  return unpriced ? t("money-and-unknown", { known }) : known;
}
