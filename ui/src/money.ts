import type { UsageView } from "./generated/wire";
import { formatNumber, type Language, type Translate } from "./i18n";

/** `$0.09` */
export function dollarsText(t: Translate, language: Language, amount: number): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: amount > 0 && amount < 0.01 ? 4 : 2 };
  return t("money", { amount: formatNumber(language, amount, digits) });
}

/** Whether any model was paid for. */
export const hasSpent = (usage: UsageView): boolean => usage.input_tokens + usage.output_tokens > 0;

/** What something cost; none where no model was asked, and never a zero where no price is known. */
export function costText(t: Translate, language: Language, usage: UsageView): string | null {
  if (!hasSpent(usage)) return null;
  if (usage.cost_usd === null) return t("money-unknown");
  const known = dollarsText(t, language, usage.cost_usd);
  return usage.unpriced ? t("money-and-unknown", { known }) : known;
}
