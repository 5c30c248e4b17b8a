import { Bookmark, ChevronDown } from "lucide-react";
import { memo, useMemo, useState } from "react";
import { Button, ChoiceMenu, classNames, Dialog, Menu, Select, TextField } from "../../components";
import { useCompactRows } from "../../compact-rows";
import { useText } from "../../i18n";
import type { AttentionPage } from "../../routes";
import { GROUPINGS, SORTINGS, useSavedViews, type View } from "./view";

interface ToolbarProps {
  view: View;
  only: AttentionPage | null;
  repositories: string[];
  onChange: (view: View) => void;
  /** Shows a view that was saved. */
  onView: (only: AttentionPage | null, view: View) => void;
}

/** Which loops are listed, and in what order. */
export const Toolbar = memo(function Toolbar({ view, only, repositories, onChange, onView }: ToolbarProps) {
  const t = useText();
  const offered = useMemo(() => [...new Set([...repositories, ...view.repositories])].sort().map((name) => ({ value: name, label: name })), [repositories, view.repositories]);
  const [first] = view.repositories;
  return (
    <div className="@container shrink-0">
      <div role="group" aria-label={t("list-filters")} data-one-line className="flex shrink-0 flex-wrap items-center gap-1.5 px-5 pt-2 pb-1.5">
        <button
          type="button"
          aria-pressed={view.mine}
          onClick={() => onChange({ ...view, mine: !view.mine })}
          className={classNames("h-8 rounded-[7px] border px-3 font-medium whitespace-nowrap", view.mine ? "border-transparent bg-text text-bg" : "border-line bg-panel text-text hover:bg-hover")}
        >
          {t("list-mine")}
        </button>
        {offered.length > 0 && (
          <ChoiceMenu options={offered} chosen={view.repositories} onChange={(chosen) => onChange({ ...view, repositories: chosen })}>
            <Button className="max-w-52 min-w-0 shrink!">
              <span className="truncate">
                {view.repositories.length === 0
                  ? t("overview-repositories-all")
                  : view.repositories.length === 1
                    ? first
                    : t("overview-repositories", { count: view.repositories.length })}
              </span>
              <ChevronDown aria-hidden className="size-3.5 text-faint" />
            </Button>
          </ChoiceMenu>
        )}
        <Select
          bare
          label={t("overview-group-by")}
          value={view.grouping}
          options={GROUPINGS.map((value) => ({ value, label: t(`overview-group-by-${value}`) }))}
          onChange={(grouping) => onChange({ ...view, grouping })}
        />
        <Select
          bare
          label={t("overview-sort")}
          value={view.sorting}
          options={SORTINGS.map((value) => ({ value, label: t(`overview-sort-${value}`) }))}
          onChange={(sorting) => onChange({ ...view, sorting })}
        />
        <Views view={view} only={only} onView={onView} />
      </div>
    </div>
  );
});

/** The views that were given names: to show one, to keep this one, to forget one. */
function Views({ view, only, onView }: Pick<ToolbarProps, "view" | "only" | "onView">) {
  const t = useText();
  const { views, save, remove } = useSavedViews();
  const [compact, setCompact] = useCompactRows();
  const [naming, setNaming] = useState(false);
  const [name, setName] = useState("");
  const keep = () => {
    if (name.trim() === "") return;
    save({ name: name.trim(), only, view });
    setNaming(false);
    setName("");
  };
  return (
    <>
      <Menu
        align="start"
        groups={[
          views.map((each) => ({ label: each.name, onSelect: () => onView(each.only, each.view) })),
          [{ label: t("overview-view-save"), onSelect: () => setNaming(true) }],
          [{ label: t(compact ? "overview-rows-usual" : "overview-rows-compact"), onSelect: () => setCompact(!compact) }],
          views.map((each) => ({ label: t("overview-view-remove", { name: each.name }), onSelect: () => remove(each.name) })),
        ]}
      >
        {/* Where the list is narrow, as beside a page, the word would stand alone on a second line. */}
        <Button title={t("overview-views")}>
          <Bookmark aria-hidden className="hidden size-3.5 @max-[40rem]:block" />
          <span className="@max-[40rem]:sr-only">{t("overview-views")}</span>
          <ChevronDown aria-hidden className="size-3.5 text-faint" />
        </Button>
      </Menu>
      <Dialog
        title={t("overview-view-save-title")}
        text={t("overview-view-save-text")}
        open={naming}
        onClose={() => setNaming(false)}
        actions={
          <>
            <Button onClick={() => setNaming(false)}>{t("back")}</Button>
            <Button variant="primary" disabled={name.trim() === ""} onClick={keep}>
              {t("overview-view-keep")}
            </Button>
          </>
        }
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            keep();
          }}
        >
          <TextField label={t("overview-view-name")} value={name} onChange={setName} maxLength={60} />
        </form>
      </Dialog>
    </>
  );
}
