import { memo } from "react";
import { classNames, Dot, Pill, TextWithCode } from "../../components";
import { useNow } from "../../data";
import type { IssueLine, LoopView, PullLine } from "../../generated/wire";
import { formatAge, formatFullTime, useLanguage, useText } from "../../i18n";
import { statePillOf } from "../../loop-state";
import { SelectBox } from "./SelectBox";
import { StartButton } from "./StartButton";
import { besidePill, summaryOf, timeOf } from "./rows";

/** What all rows of a list share. */
export interface RowHandlers {
  onOpen: (key: string) => void;
  onStart: (key: string) => void;
  onFocus: (key: string) => void;
  onSelect: (key: string) => void;
}

interface RowProps {
  rowKey: string;
  number: number;
  title: string;
  author: string | null;
  pull?: PullLine;
  loop?: LoopView;
  issue?: IssueLine;
  index: number;
  /** The one that Tab goes to. */
  active: boolean;
  /** Its page is shown beside the list. */
  shown: boolean;
  /** Chosen for what is done to several. */
  selected: boolean;
  starting: boolean;
  mayStart: boolean;
  handlers: RowHandlers;
}

/** One pull request or issue. Renders again only when its own loop or line changes. */
export const Row = memo(function Row(props: RowProps) {
  const { rowKey, number, title, author, pull, loop, issue, index, active, shown, selected, starting, mayStart, handlers } = props;
  const t = useText();
  const row = { key: rowKey, number, title, author, pull, loop, issue };
  const state = statePillOf(row, t);
  const onlyIssue = issue !== undefined;
  const canStart = mayStart && pull !== undefined && loop === undefined;
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      aria-selected={shown}
      tabIndex={active ? 0 : -1}
      data-key={rowKey}
      onFocus={() => handlers.onFocus(rowKey)}
      onClick={() => handlers.onOpen(rowKey)}
      className={classNames(
        // The state takes what its words need, and the sentence all that is left.
        "group grid grid-cols-[1rem_3rem_minmax(0,1fr)_fit-content(13rem)_3.5rem] items-center gap-x-2 rounded-lg px-2 py-2 outline-offset-[-2px]",
        "[contain-intrinsic-size:auto_3.375rem] [content-visibility:auto]",
        "@max-lg:grid-cols-[1rem_3rem_minmax(0,1fr)_3.5rem]!",
        shown ? "bg-panel shadow-[0_0_0_1px_var(--line),var(--raise)]" : "hover:bg-hover",
      )}
    >
      {onlyIssue ? <span role="gridcell" /> : <SelectBox label={t("select-one", { title })} selected={selected} onChange={() => handlers.onSelect(rowKey)} className="self-start pt-0.5" />}
      <span role="gridcell" className="self-start text-dim">
        #{number}
      </span>
      <div role="gridcell" className="min-w-0">
        <div className="flex min-w-0 items-center gap-1.5">
          <Dot tone={state.tone} className="@lg:hidden" />
          <span className="truncate font-medium">
            <TextWithCode text={title} />
          </span>
        </div>
        <div className="truncate text-sm text-dim">
          {!onlyIssue && <span className="@lg:hidden">{state.text} · </span>}
          {summaryOf(besidePill(row, t), t)}
        </div>
      </div>
      <div role="gridcell" className="grid min-w-0 justify-items-end @max-lg:hidden *:[grid-area:1/1]">
        {issue === undefined && (
          <span className={classNames("flex min-w-0 max-w-full", canStart && "group-focus-within:invisible group-hover:invisible group-focus:invisible", starting && "invisible")}>
            <Pill tone={state.tone}>{state.text}</Pill>
          </span>
        )}
        {/* In the place of the pill while the pointer or the focus is on the row. */}
        {canStart && <StartButton title={title} busy={starting} active={active} onStart={() => handlers.onStart(rowKey)} />}
      </div>
      <span role="gridcell" className="text-end text-sm text-dim">
        <Age at={timeOf(row)} />
      </span>
    </div>
  );
});

/** How old the last news is; the date is its title. */
function Age({ at }: { at: string }) {
  const language = useLanguage();
  const now = useNow(15_000);
  if (at === "") return null;
  return (
    <time dateTime={at} title={formatFullTime(language, at)}>
      {formatAge(language, at, now)}
    </time>
  );
}
