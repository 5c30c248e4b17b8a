import { ProblemBanner, Skeleton, TextField } from "../../components";
import { useAnswer } from "../../data";
import type { CostRangeView } from "../../generated/wire";
import { formatDollars, formatNumber, useLanguage, useText } from "../../i18n";
import type { ModelRef } from "../models";

interface CostsProps {
  model: ModelRef;
  day: string;
  problem: string | null;
  onDay: (typed: string) => void;
}

/** What reviews cost by what was measured, at the chosen model's price, and the budgets that hold. */
export function Costs({ model, day, problem, onDay }: CostsProps) {
  const t = useText();
  const language = useLanguage();
  const expected = useAnswer({ command: "expected_cost", args: model }, { keepPrevious: true });
  const spending = useAnswer({ command: "spending" });
  const limit = spending.data?.pull_request_limit.cost_usd ?? null;
  const cost = expected.data;
  return (
    <>
      {expected.error && <ProblemBanner problem={expected.error} busy={expected.isFetching} onRetry={() => void expected.refetch()} />}
      {!cost && !expected.error && <Skeleton className="h-20 w-full" />}
      {cost && (
        <>
          <table className="w-full text-start">
            <thead className="text-sm text-dim">
              <tr>
                <th scope="col" className="py-1 pe-3 text-start font-normal">{t("first-cost-review")}</th>
                <th scope="col" className="py-1 pe-3 text-start font-normal">{t("first-cost-tokens")}</th>
                <th scope="col" className="py-1 text-start font-normal">{t("first-cost-money")}</th>
              </tr>
            </thead>
            <tbody>
              <CostRow label={t("first-cost-first")} range={cost.first} />
              <CostRow label={t("first-cost-next")} range={cost.next} />
            </tbody>
          </table>
          {cost.answer_usd !== null && (
            <p>{t("first-cost-answer", { tokens: formatNumber(language, cost.answer_tokens), cost: formatDollars(t, language, cost.answer_usd) })}</p>
          )}
        </>
      )}
      <p className="text-sm text-pretty text-dim">{t("first-cost-basis")}</p>
      <div className="flex flex-col gap-1">
        <TextField
          label={t("first-budget-day")}
          inputMode="decimal"
          value={day}
          onChange={onDay}
          problem={problem}
          aria-describedby="first-budget-help"
          className="w-60 max-w-full"
        />
        <p id="first-budget-help" className="text-sm text-pretty text-dim">
          {t("first-budget-day-help")}{" "}
          {spending.data && (limit === null ? t("first-budget-pull-none") : t("first-budget-pull", { limit: formatDollars(t, language, limit) }))}
        </p>
      </div>
    </>
  );
}

function CostRow({ label, range }: { label: string; range: CostRangeView }) {
  const t = useText();
  const language = useLanguage();
  const count = (tokens: number) => formatNumber(language, tokens);
  const dollars = (amount: number) => formatDollars(t, language, amount);
  const known = range.usd_least !== null && range.usd_most !== null;
  return (
    <tr className="border-t border-line tabular-nums">
      <th scope="row" className="py-1 pe-3 text-start font-normal">{label}</th>
      <td className="py-1 pe-3">{t("first-cost-range", { least: count(range.tokens_least), most: count(range.tokens_most) })}</td>
      <td className="py-1">
        {known
          ? t("first-cost-range", { least: dollars(range.usd_least ?? 0), most: dollars(range.usd_most ?? 0) })
          : t("money-unknown")}
      </td>
    </tr>
  );
}
