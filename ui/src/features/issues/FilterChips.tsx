import { classNames } from "../../components";
import { formatNumber, useLanguage, useText } from "../../i18n";
import type { Filter } from "./rows";

export interface FilterChipsProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
  pulls: number | undefined;
  morePulls: boolean;
  issues: number | undefined;
}

/** Which lines are listed: pull requests or issues, and of those one's own or those by agents. */
export function FilterChips({ filter, onChange, pulls, morePulls, issues }: FilterChipsProps) {
  const t = useText();
  const language = useLanguage();
  const count = (value: number | undefined, more: boolean) =>
    value === undefined ? undefined : more ? t("list-more-than", { count: value }) : formatNumber(language, value);
  return (
    <div role="group" aria-label={t("list-filters")} className="flex shrink-0 flex-wrap gap-1.5 px-5 pt-2.5 pb-2">
      <Chip on={filter.kind === "pulls"} count={count(pulls, morePulls)} onClick={() => onChange({ ...filter, kind: "pulls" })}>
        {t("list-pulls")}
      </Chip>
      <Chip on={filter.kind === "issues"} count={count(issues, false)} onClick={() => onChange({ ...filter, kind: "issues", agents: false })}>
        {t("list-issues")}
      </Chip>
      <span aria-hidden className="mx-1 w-px bg-line" />
      <Chip on={filter.mine} onClick={() => onChange({ ...filter, mine: !filter.mine })}>
        {t("list-mine")}
      </Chip>
      {filter.kind === "pulls" && (
        <Chip on={filter.agents} onClick={() => onChange({ ...filter, agents: !filter.agents })}>
          {t("list-agents")}
        </Chip>
      )}
    </div>
  );
}

function Chip({ on, count, onClick, children }: { on: boolean; count?: string; onClick: () => void; children: string }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onClick}
      className={classNames("rounded-[5px] px-2 py-px whitespace-nowrap", on ? "bg-text text-bg" : "bg-chip text-dim hover:text-text")}
    >
      {children}
      {count !== undefined && <span className={classNames("ms-1.5", !on && "text-faint")}>{count}</span>}
    </button>
  );
}
