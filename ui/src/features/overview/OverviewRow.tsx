import { memo } from "react";
import { classNames, TextWithCode, VisuallyHidden } from "../../components";
import { useNow } from "../../data";
import type { LoopView } from "../../generated/wire";
import { formatAge, formatCost, formatDate, useLanguage, useText } from "../../i18n";
import { roundOf, stateWordOf } from "../../loop-state";
import { numberOf, repoOf } from "../../routes";
import { stepsOf } from "../auto-pr-review/lifecycle";
import { summaryOf, timeOf } from "../issues";
import { SelectBox } from "../issues/SelectBox";
import { COLUMNS, GOES } from "./columns";
import { ProgressBar } from "./ProgressBar";
import type { Standing } from "./standing";
import { StandingIcon } from "./StandingIcon";

export interface OverviewRowHandlers {
  onOpen: (key: string) => void;
  onFocus: (key: string) => void;
  onSelect: (key: string) => void;
  /** Starts a loop for a pull request that has none. */
  onStart: (key: string) => void;
}

interface OverviewRowProps {
  loop: LoopView;
  standing: Standing;
  /** From 0, among all lines. */
  index: number;
  /** The one that Tab goes to. */
  active: boolean;
  /** Its page is shown beside the list. */
  shown: boolean;
  selected: boolean;
  handlers: OverviewRowHandlers;
}

/** One loop in a line. Renders again only when its own loop changes. */
export const OverviewRow = memo(function OverviewRow({ loop, standing, index, active, shown, selected, handlers }: OverviewRowProps) {
  const t = useText();
  const language = useLanguage();
  const { key, title } = loop;
  const number = numberOf(key);
  const usage = loop.usage_all_runs ?? loop.usage;
  const cost = usage.input_tokens + usage.output_tokens > 0 ? formatCost(t, language, usage) : null;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-current={shown || undefined}
      tabIndex={active ? 0 : -1}
      data-key={key}
      onFocus={() => handlers.onFocus(key)}
      onClick={() => handlers.onOpen(key)}
      className={classNames(
        "group h-9 rounded-lg -outline-offset-2",
        COLUMNS,
        shown ? "bg-panel shadow-[0_0_0_1px_var(--line),var(--raise)]" : selected ? "bg-hover" : "hover:bg-hover",
      )}
    >
      <SelectBox label={t("select-one", { title })} selected={selected} onChange={() => handlers.onSelect(key)} />
      <span role="gridcell" className="grid">
        <StandingIcon standing={standing} named />
      </span>
      <span role="gridcell" className={classNames("truncate text-sm text-dim", GOES.state)}>
        {stateWordOf(loop, t)}
      </span>
      {/* What does not fit beside the title in some words is not begun: it wraps out of sight. */}
      <span role="gridcell" className="flex h-5 min-w-0 flex-wrap items-baseline gap-x-2 overflow-hidden">
        <span title={title} className="max-w-full shrink-0 truncate font-medium">
          <TextWithCode text={title} />
        </span>
        <span className="min-w-28 flex-1 basis-0 truncate text-sm leading-5 text-dim">{summaryOf({ key, number, title, author: loop.author, loop }, t)}</span>
      </span>
      <span role="gridcell" title={key} className="flex min-w-0 text-sm">
        <span className="truncate">{repoOf(key)}</span>
        <span className="shrink-0">#{number}</span>
      </span>
      <span role="gridcell" className={GOES.progress}>
        <ProgressBar {...stepsOf(loop)} />
      </span>
      <span role="gridcell" className={classNames("text-end text-sm text-dim", GOES.round)}>
        {t("overview-round", { iteration: roundOf(loop), max: loop.max_iterations })}
      </span>
      <span role="gridcell" className={classNames("truncate text-end text-sm text-dim", GOES.cost)} title={cost ?? undefined}>
        {cost ?? <VisuallyHidden>{t("overview-cost-none")}</VisuallyHidden>}
      </span>
      <span role="gridcell" className={classNames("text-end text-sm text-dim", GOES.age)}>
        <Age at={timeOf({ loop })} />
      </span>
    </div>
  );
});

function Age({ at }: { at: string }) {
  const t = useText();
  const language = useLanguage();
  const now = useNow(15_000);
  return (
    <time dateTime={at} title={t("overview-since", { at: formatDate(language, at) })}>
      {formatAge(language, at, now)}
    </time>
  );
}
