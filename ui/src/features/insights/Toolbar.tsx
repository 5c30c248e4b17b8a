import { ChevronDown } from "lucide-react";
import { Button, classNames, Menu, Select, TextField } from "../../components";
import type { InsightsTable } from "../../generated/wire";
import { useText } from "../../i18n";
import { RANGES, type Asked } from "./range";

interface ToolbarProps {
  asked: Asked;
  repositories: readonly string[];
  onChange: (asked: Asked) => void;
  /** Saves rows as a file; null while there is nothing to save. */
  onExport: ((table: InsightsTable) => void) | null;
}

/** Which days and which repository, and the way to the rows behind the figures. */
export function Toolbar({ asked, repositories, onChange, onExport }: ToolbarProps) {
  const t = useText();
  const names = [...new Set([...repositories, ...(asked.only ? [asked.only] : [])])].sort();
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 px-5 py-2.5">
      <div role="group" aria-label={t("insights-range")} className="flex flex-wrap gap-1">
        {RANGES.map((range) => (
          <button
            key={range}
            type="button"
            aria-pressed={asked.range === range}
            onClick={() => onChange({ ...asked, range })}
            className={classNames("h-8 rounded-[7px] px-2.5 font-medium whitespace-nowrap", asked.range === range ? "bg-text text-bg" : "bg-chip text-dim hover:text-text")}
          >
            {t(`insights-range-${range}`)}
          </button>
        ))}
      </div>
      {asked.range === "custom" && (
        <div className="flex items-center gap-1.5">
          <TextField bare type="date" label={t("insights-from")} value={asked.from} onChange={(from) => onChange({ ...asked, from })} />
          <span aria-hidden>–</span>
          <TextField bare type="date" label={t("insights-to")} value={asked.to} onChange={(to) => onChange({ ...asked, to })} />
        </div>
      )}
      {names.length > 1 && (
        <Select
          bare
          label={t("insights-repository")}
          value={asked.only}
          options={[{ value: "", label: t("insights-all-repositories") }, ...names.map((name) => ({ value: name, label: name }))]}
          onChange={(only) => onChange({ ...asked, only })}
          className="max-w-60"
        />
      )}
      {onExport && (
        <div className="ms-auto">
          <Menu
            groups={[
              [
                { label: t("insights-export-runs"), onSelect: () => onExport("runs") },
                { label: t("insights-export-spending"), onSelect: () => onExport("spending") },
              ],
            ]}
          >
            <Button>
              {t("insights-export")}
              <ChevronDown aria-hidden className="size-3.5 text-faint" />
            </Button>
          </Menu>
        </div>
      )}
    </div>
  );
}
