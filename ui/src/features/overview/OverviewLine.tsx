import type { ReactNode } from "react";
import { classNames, TextWithCode } from "../../components";
import { useNow } from "../../data";
import { formatAge, formatDate, useLanguage, useText } from "../../i18n";
import { numberOf, repoOf } from "../../routes";
import { SelectBox } from "../issues/SelectBox";
import { columnsOf, GOES } from "./columns";
import type { Standing } from "./standing";
import { StandingIcon } from "./StandingIcon";

export interface OverviewRowHandlers {
  onOpen: (key: string) => void;
  onFocus: (key: string) => void;
  onSelect: (key: string) => void;
  /** Starts a loop for a pull request that has none. */
  onStart: (key: string) => void;
}

/** What every line of the overview has. */
export interface LineProps {
  /** From 0, among all lines. */
  index: number;
  /** The one that Tab goes to. */
  active: boolean;
  /** Its page is shown beside the list. */
  shown: boolean;
  selected: boolean;
  /** The heading of its group says the state. */
  byState: boolean;
  handlers: OverviewRowHandlers;
}

interface OverviewLineProps extends LineProps {
  /** `owner/repo#n` */
  pullKey: string;
  title: string;
  standing: Standing;
  /** The word for its state. */
  state: string;
  /** What stands behind the title. */
  summary: string;
  /** A button at the end of the title's cell. */
  action?: ReactNode;
  progress?: ReactNode;
  round?: ReactNode;
  cost?: ReactNode;
  /** What the cost is in full, where it may be cut. */
  costTitle?: string | undefined;
  age: ReactNode;
}

/** One line: a pull request, with a loop or without. */
export function OverviewLine({ pullKey, title, standing, state, summary, action, progress, round, cost, costTitle, age, ...line }: OverviewLineProps) {
  const t = useText();
  const { index, active, shown, selected, byState, handlers } = line;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-current={shown || undefined}
      tabIndex={active ? 0 : -1}
      data-key={pullKey}
      onFocus={() => handlers.onFocus(pullKey)}
      onClick={() => handlers.onOpen(pullKey)}
      className={classNames(
        "group h-9 rounded-lg -outline-offset-2 group-data-compact/list:h-6 group-data-compact/list:rounded-md",
        columnsOf(byState),
        shown ? "bg-panel shadow-[0_0_0_1px_var(--line),var(--raise)]" : selected ? "bg-hover" : "hover:bg-hover",
      )}
    >
      <SelectBox label={t("select-one", { title })} selected={selected} onChange={() => handlers.onSelect(pullKey)} />
      <span role="gridcell" className="grid">
        <StandingIcon standing={standing} named />
      </span>
      {!byState && (
        <span role="gridcell" className={classNames("truncate text-sm text-dim", GOES.state)}>
          {state}
        </span>
      )}
      <span role="gridcell" className="flex min-w-0 items-center gap-x-2">
        {/* What does not fit beside the title in some words is not begun: it wraps out of sight. */}
        <span className="flex h-5 min-w-0 flex-1 flex-wrap items-baseline gap-x-2 overflow-hidden">
          <span title={title} className="max-w-full shrink-0 truncate font-medium">
            <TextWithCode text={title} />
          </span>
          <span title={summary} className="min-w-16 flex-1 basis-0 truncate text-sm leading-5 text-dim">
            <TextWithCode text={summary} />
          </span>
        </span>
        {action}
      </span>
      <span role="gridcell" title={pullKey} className="flex min-w-0 text-sm">
        <span className="truncate">{repoOf(pullKey)}</span>
        <span className="shrink-0">#{numberOf(pullKey)}</span>
      </span>
      <span role="gridcell" className={GOES.progress}>
        {progress}
      </span>
      <span role="gridcell" className={classNames("text-end text-sm text-dim", GOES.round)}>
        {round}
      </span>
      <span role="gridcell" className={classNames("truncate text-end text-sm text-dim", GOES.cost)} title={costTitle}>
        {cost}
      </span>
      <span role="gridcell" className={classNames("text-end text-sm text-dim", GOES.age)}>
        {age}
      </span>
    </div>
  );
}

/** How long ago something was; `name` is the text of its title. */
export function Ago({ at, name }: { at: string; name: "overview-since" | "overview-updated" }) {
  const t = useText();
  const language = useLanguage();
  const now = useNow(15_000);
  const args = { at: formatDate(language, at) };
  return (
    <time dateTime={at} title={name === "overview-since" ? t("overview-since", args) : t("overview-updated", args)}>
      {formatAge(language, at, now)}
    </time>
  );
}
