import { memo } from "react";
import { VisuallyHidden } from "../../components";
import type { LoopView } from "../../generated/wire";
import { formatCost, useLanguage, useText } from "../../i18n";
import { roundOf, stateWordOf } from "../../loop-state";
import { numberOf } from "../../routes";
import { stepsOf } from "../auto-pr-review/lifecycle";
import { summaryOf, timeOf } from "../issues";
import { Ago, type LineProps, OverviewLine } from "./OverviewLine";
import { ProgressBar } from "./ProgressBar";
import type { Standing } from "./standing";

interface OverviewRowProps extends LineProps {
  loop: LoopView;
  standing: Standing;
}

/** One loop in a line. Renders again only when its own loop changes. */
export const OverviewRow = memo(function OverviewRow({ loop, standing, ...line }: OverviewRowProps) {
  const t = useText();
  const language = useLanguage();
  const { key, title, author } = loop;
  const usage = loop.usage_all_runs ?? loop.usage;
  const state = stateWordOf(loop, t);
  const summary = summaryOf({ key, number: numberOf(key), title, author, loop }, t);
  // Of all that is done, what merged says only by what: the others say that they ended, and how.
  const endsUnsaid = line.byState && loop.state === "merged" && summary !== state;
  const cost = usage.input_tokens + usage.output_tokens > 0 ? formatCost(t, language, usage) : null;
  return (
    <OverviewLine
      {...line}
      pullKey={key}
      title={title}
      standing={standing}
      state={state}
      summary={endsUnsaid ? `${state} · ${summary}` : summary}
      progress={<ProgressBar {...stepsOf(loop)} />}
      round={t("overview-round", { iteration: roundOf(loop), max: loop.max_iterations })}
      cost={cost ?? <VisuallyHidden>{t("overview-cost-none")}</VisuallyHidden>}
      costTitle={cost ?? undefined}
      age={<Ago at={timeOf({ loop })} name="overview-since" />}
    />
  );
});
