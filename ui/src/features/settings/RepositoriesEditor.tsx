import { ChevronRight, Plus, X } from "lucide-react";
import { useId, useState } from "react";
import { Button, classNames, ConfirmDialog, Dialog, EmptyState, IconButton, ProblemBanner, Select, Switch } from "../../components";
import { useCommand } from "../../data";
import type { RepositorySetting } from "../../generated/wire";
import { useText } from "../../i18n";
import { AutoReviewSheet, LEVELS } from "../autonomy";
import { ChooseRepositories, useRemoveRepository } from "../onboarding";
import type { EditorProps } from "./editing";
import { ADDS_ROWS, ROW_FOCUS, useRows } from "./rows";
import { TagsEditor } from "./ValueEditors";

const FILTERS = ["authors", "labels", "base_branches"] as const;
const LISTS = [...FILTERS, "read_from"] as const;

/** The sidebar's repositories. The toggle, adding and removing hold at once, as in the list; filters are saved with the other settings. */
export function RepositoriesEditor(editor: EditorProps) {
  const t = useText();
  const { label, disabled } = editor;
  const [adding, setAdding] = useState(false);
  const { rows: repositories, change, focusAfterRemoval, frame } = useRows<RepositorySetting>(editor);
  const removal = useRemoveRepository(repositories.map(({ name }) => name), focusAfterRemoval);
  const add = (
    <span {...ADDS_ROWS}>
      <Button size="small" onClick={() => setAdding(true)}>
        <Plus aria-hidden className="size-3.5" />
        {t("settings-repository-add")}
      </Button>
    </span>
  );
  return (
    <div {...frame} className="flex flex-col gap-3 rounded-lg">
      {repositories.length === 0 ? (
        <EmptyState title={t("settings-repository-empty")} text={t("settings-repository-empty-text")} action={add} />
      ) : (
        <>
          <p aria-hidden className="-mb-2 pe-3 text-end text-sm text-faint">
            {t("settings-repository-toggle-label")}
          </p>
          <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-panel">
            {repositories.map((repository) => (
              <Row
                key={repository.name}
                repository={repository}
                disabled={disabled}
                onChange={(changed) => change(repository, changed)}
                onRemove={() => removal.ask(repository.name)}
              />
            ))}
          </ul>
          <div>{add}</div>
        </>
      )}
      <Dialog title={t("choose-title")} text={t("choose-text")} open={adding} onClose={() => setAdding(false)}>
        <ChooseRepositories onDone={() => setAdding(false)} />
      </Dialog>
      {removal.dialog}
    </div>
  );
}

interface RowProps {
  repository: RepositorySetting;
  disabled: boolean;
  onChange: (changed: RepositorySetting) => void;
  onRemove: () => void;
}

function Row({ repository, disabled, onChange, onRemove }: RowProps) {
  const t = useText();
  const command = useCommand();
  const [open, setOpen] = useState(false);
  const [asking, setAsking] = useState(false);
  const { name } = repository;
  const set = FILTERS.filter((filter) => repository[filter].length > 0);
  const filters =
    set.length === 0
      ? t("settings-repository-filters-none")
      : set.map((filter) => `${t(`settings-repository-${filter}`)} ${repository[filter].join(", ")}`).join(" · ");
  return (
    <li>
      <div className="flex items-center gap-2 py-2 pe-2 ps-1.5">
        <button
          {...ROW_FOCUS}
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-w-0 flex-1 items-center gap-1.5 rounded text-start"
        >
          <ChevronRight aria-hidden className={classNames("size-4 shrink-0 text-faint transition-transform", open && "rotate-90")} />
          <span className="min-w-0">
            <span className="block truncate font-medium">{name}</span>
            <span className="block truncate text-sm text-faint">{filters}</span>
          </span>
        </button>
        <Switch
          bare
          label={t("settings-repository-toggle", { name })}
          checked={repository.auto_pr_review_enabled}
          disabled={disabled || command.pending}
          onChange={(on) => (on ? setAsking(true) : void command.run({ command: "set_auto_review", args: { repo: name, on } }))}
        />
        {asking && <AutoReviewSheet repo={name} level={repository.autonomy ?? "push"} onClose={() => setAsking(false)} />}
        <IconButton label={t("settings-repository-remove", { name })} disabled={disabled} onClick={onRemove}>
          <X aria-hidden className="size-4" />
        </IconButton>
      </div>
      {command.problem && (
        <div className="px-3 pb-3">
          <ProblemBanner problem={command.problem} />
        </div>
      )}
      {open && (
        <div className="flex flex-col gap-3 border-t border-line px-7 py-3">
          {LISTS.map((filter) => (
            <div key={filter}>
              <p className="text-sm font-medium">{t(`settings-repository-${filter}`)}</p>
              <p id={`${name}-${filter}-help`} className="mb-1 text-sm text-faint">
                {t(`settings-repository-${filter}-help`)}
              </p>
              <TagsEditor
                id={`${name}-${filter}`}
                label={t(`settings-repository-${filter}`)}
                value={repository[filter]}
                onChange={(words) => onChange({ ...repository, [filter]: words })}
                disabled={disabled}
                invalid={false}
                describedBy={`${name}-${filter}-help`}
              />
            </div>
          ))}
          <Level repository={repository} disabled={disabled} onChange={onChange} />
          <Unsandboxed repository={repository} disabled={disabled} onChange={onChange} />
        </div>
      )}
    </li>
  );
}

/** How far Collie goes by itself there (§13.7). */
function Level({ repository, disabled, onChange }: Omit<RowProps, "onRemove">) {
  const t = useText();
  const help = useId();
  // One that was listed before there were levels pushes.
  const level = repository.autonomy ?? "push";
  return (
    <div>
      <Select
        label={t("autonomy-title")}
        value={level}
        options={LEVELS.map((known) => ({ value: known, label: t(`autonomy-${known}`) }))}
        onChange={(autonomy) => onChange({ ...repository, autonomy })}
        disabled={disabled}
        aria-describedby={help}
      />
      <p id={help} className="mt-1 text-sm text-faint">
        {t(`autonomy-${level}-text`)}
      </p>
    </div>
  );
}

/** Whether agents and verify commands run without the sandbox (§9.5). To switch it on is asked about once more. */
function Unsandboxed({ repository, disabled, onChange }: Omit<RowProps, "onRemove">) {
  const t = useText();
  const [asked, setAsked] = useState(false);
  const { name, unsandboxed } = repository;
  const help = useId();
  return (
    <div>
      <Switch
        label={t("settings-repository-unsandboxed")}
        checked={unsandboxed}
        disabled={disabled}
        aria-describedby={help}
        onChange={(on) => (on ? setAsked(true) : onChange({ ...repository, unsandboxed: false }))}
      />
      <p id={help} className="mt-1 text-sm text-faint">
        {t("settings-repository-unsandboxed-help")}
      </p>
      <ConfirmDialog
        title={t("settings-unsandboxed-title", { name })}
        text={t("settings-unsandboxed-text")}
        confirm={t("settings-unsandboxed-confirm")}
        danger
        open={asked}
        onConfirm={() => {
          setAsked(false);
          onChange({ ...repository, unsandboxed: true });
        }}
        onClose={() => setAsked(false)}
      />
    </div>
  );
}
