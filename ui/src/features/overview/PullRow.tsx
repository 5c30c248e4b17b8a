import { memo } from "react";
import { classNames, TextWithCode } from "../../components";
import { useNow } from "../../data";
import type { PullLine } from "../../generated/wire";
import { formatAge, formatDate, useLanguage, useText } from "../../i18n";
import { statePillOf } from "../../loop-state";
import { repoOf } from "../../routes";
import { summaryOf } from "../issues";
import { SelectBox } from "../issues/SelectBox";
import { StartButton } from "../issues/StartButton";
import { COLUMNS, GOES } from "./columns";
import type { OverviewRowHandlers } from "./OverviewRow";
import { StandingIcon } from "./StandingIcon";

interface PullRowProps {
  pull: PullLine;
  /** From 0, among all lines. */
  index: number;
  /** The one that Tab goes to. */
  active: boolean;
  /** Its page is shown beside the list. */
  shown: boolean;
  selected: boolean;
  /** Its start was asked for and is not answered yet. */
  starting: boolean;
  handlers: OverviewRowHandlers;
}

/** One pull request without a loop in a line. */
export const PullRow = memo(function PullRow({ pull, index, active, shown, selected, starting, handlers }: PullRowProps) {
  const t = useText();
  const { key, number, title, author } = pull;
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
        <StandingIcon standing="not-started" named />
      </span>
      <span role="gridcell" className={classNames("truncate text-sm text-dim", GOES.state)}>
        {statePillOf({ pull }, t).text}
      </span>
      <span role="gridcell" className="flex min-w-0 items-center gap-x-2">
        <span className="flex h-5 min-w-0 flex-1 flex-wrap items-baseline gap-x-2 overflow-hidden">
          <span title={title} className="max-w-full shrink-0 truncate font-medium">
            <TextWithCode text={title} />
          </span>
          <span className="min-w-28 flex-1 basis-0 truncate text-sm leading-5 text-dim">{summaryOf({ key, number, title, author, pull }, t)}</span>
        </span>
        <StartButton title={title} busy={starting} active={active} onStart={() => handlers.onStart(key)} />
      </span>
      <span role="gridcell" title={key} className="flex min-w-0 text-sm">
        <span className="truncate">{repoOf(key)}</span>
        <span className="shrink-0">#{number}</span>
      </span>
      <span role="gridcell" className={GOES.progress} />
      <span role="gridcell" className={GOES.round} />
      <span role="gridcell" className={GOES.cost} />
      <span role="gridcell" className={classNames("text-end text-sm text-dim", GOES.age)}>
        <Updated at={pull.updated_at} />
      </span>
    </div>
  );
});

function Updated({ at }: { at: string }) {
  const t = useText();
  const language = useLanguage();
  const now = useNow(15_000);
  return (
    <time dateTime={at} title={t("overview-updated", { at: formatDate(language, at) })}>
      {formatAge(language, at, now)}
    </time>
  );
}
