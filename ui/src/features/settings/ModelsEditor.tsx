import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { classNames } from "../../components";
import type { JsonValue, ModelSetting } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import { ModelName, type Changes } from "../models";
import { AddNamed } from "./AddNamed";
import type { EditorProps } from "./editing";
import { choiceOf } from "./labels";
import { ModelFields } from "./ModelFields";
import { RemoveRow, RowList, useRows } from "./rows";

interface ModelsEditorProps extends EditorProps {
  providers: string[];
  efforts: string[];
  changes: Changes;
}

/** The models that take over when another does not answer: `[models.NAME]`. */
export function ModelsEditor({ providers, efforts, changes, ...editor }: ModelsEditorProps) {
  const { disabled, value, onChange } = editor;
  const t = useText();
  // By name, as the file is read: an edit that leads back is no change.
  const sorted = (rows: ModelSetting[]) => [...rows].sort((one, other) => (one.name < other.name ? -1 : 1));
  const models = useRows<ModelSetting>({ ...editor, onChange: (rows) => onChange(sorted(rows as unknown as ModelSetting[]) as unknown as JsonValue) });
  const [open, setOpen] = useState<string | null>(null);
  const names = Array.isArray(value) ? (value as ModelSetting[]).map(({ name }) => name) : [];
  return (
    <RowList
      list={models}
      row={(model) => (
        <Model
          key={model.name}
          setting={model}
          open={open === model.name}
          onToggle={() => setOpen(open === model.name ? null : model.name)}
          onChange={(changed) => models.change(model, changed)}
          onRemove={() => models.remove(model)}
          editor={{ ...editor, providers, efforts, changes }}
        />
      )}
      footer={
        !disabled && (
          <AddNamed
            label={t("models-spare-name")}
            placeholder={t("models-spare-example")}
            button={t("models-spare-add")}
            taken={names}
            onAdd={(name) => {
              models.add({ name, model: null });
              setOpen(name);
            }}
          />
        )
      }
    />
  );
}

interface ModelProps {
  setting: ModelSetting;
  open: boolean;
  onToggle: () => void;
  onChange: (changed: ModelSetting) => void;
  onRemove: () => void;
  editor: ModelsEditorProps;
}

function Model({ setting, open, onToggle, onChange, onRemove, editor: { disabled, providers, efforts, changes, problemPaths } }: ModelProps) {
  const t = useText();
  const language = useLanguage();
  const { name, model, ...values } = setting;
  const ref = { table: `models.${name}`, changes };
  const provider = values.provider === undefined ? null : choiceOf(t, language, "llm.provider", values.provider);
  const summary = [provider, model].filter(Boolean).join(" · ");
  const wrong = problemPaths ?? [];
  return (
    <li>
      <div className="flex items-center gap-2 py-1.5 pe-1.5 ps-2">
        <button type="button" aria-expanded={open} onClick={onToggle} className="flex min-w-0 flex-1 items-center gap-1.5 rounded py-0.5 text-start hover:bg-hover">
          <ChevronRight aria-hidden className={classNames("size-4 shrink-0 text-faint", open && "rotate-90")} />
          <span className="font-medium">{name}</span>{" "}
          <span className="min-w-0 truncate text-sm text-faint">{summary || t("models-spare-incomplete")}</span>
        </button>
        {!disabled && <RemoveRow label={t("entries-remove", { item: name })} onRemove={onRemove} />}
      </div>
      {open && (
        <ModelFields
          name={name}
          model={ref}
          values={values}
          onChange={({ fallback: _, ...next }) => onChange({ name, model, ...next })}
          providers={providers}
          efforts={efforts}
          disabled={disabled}
          wrong={wrong}
        >
          <span aria-hidden className="text-sm text-dim">
            {t("setting-llm-model")}
          </span>
          <ModelName
            bare
            label={t("models-field-of", { field: t("setting-llm-model"), name })}
            value={model ?? ""}
            onChange={(text) => onChange({ ...setting, model: text.trim() === "" ? null : text })}
            model={values.provider === undefined ? null : ref}
            disabled={disabled}
            invalid={wrong.includes(`models.${name}.model`)}
          />
        </ModelFields>
      )}
    </li>
  );
}
