import { useId } from "react";
import { Button, classNames, Coded, Dot } from "../../components";
import type { JsonValue, SettingField, SettingProblem } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import { AgentsEditor } from "./AgentsEditor";
import { AuthorsEditor } from "./AuthorsEditor";
import { BotsEditor } from "./BotsEditor";
import type { EditorProps } from "./editing";
import type { Asking } from "./personas";
import { PersonasEditor } from "./PersonasEditor";
import { RepositoriesEditor } from "./RepositoriesEditor";
import { StagesEditor } from "./StagesEditor";
import { ChoiceEditor, LineEditor, RunnerEditor, TextsEditor, ToggleEditor, WordsEditor } from "./ValueEditors";
import { helpOf, labelOf, valueInWords } from "./words";

export interface FieldProps {
  field: SettingField;
  value: unknown;
  changed: boolean;
  overtaken: boolean;
  problems: SettingProblem[];
  /** Words that fit beside those that the setting offers: bots, agents that are not saved yet. */
  suggested?: string[];
  /** Whether what personas run on is being changed, so that what is known of it holds no more. */
  unsettled?: boolean;
  /** Who may ask in whom, which is edited with the stages. */
  asking?: Asking;
  onChange: (value: JsonValue) => void;
  onReset: () => void;
  onTakeOutside: () => void;
}

/** The id of what is focused to edit a setting. */
export const editorId = (key: string): string => `setting-${key}`;

/** One setting: its name, what it does, where its value comes from, and the editor that fits. */
export function Field({ field, value, changed, overtaken, problems, suggested, unsettled, asking, onChange, onReset, onTakeOutside }: FieldProps) {
  const t = useText();
  const language = useLanguage();
  const id = useId();
  const label = labelOf(t, language, field.key);
  const help = helpOf(t, language, field.key);
  const { type } = field.kind;
  const below = ["logins", "texts", "stages", "authors", "personas", "agents", "bots", "repositories"].includes(type);
  // A page of one list needs no second title.
  const alone = type === "repositories";
  const fixed = field.source === "environment";
  const said = [help && `${id}-help`, problems.length > 0 && `${id}-problem`, fixed && `${id}-fixed`].filter(Boolean).join(" ");
  const editor = {
    id: editorId(field.key),
    label,
    value,
    onChange,
    disabled: fixed,
    invalid: problems.length > 0,
    describedBy: said || undefined,
  };
  return (
    <div className={classNames("py-3.5", below ? "flex flex-col gap-2" : "grid grid-cols-[minmax(0,1fr)_auto] gap-x-8 gap-y-1")}>
      {!alone && (
        <div className="min-w-0">
          <h3 className="flex items-center gap-2 font-medium">
            {label}
            {changed && <Dot tone="run" label={t("settings-changed")} />}
          </h3>
          <p className="text-sm text-dim text-pretty">
            {help && <span id={`${id}-help`}>{help}</span>} <Default field={field} value={value} changed={changed} label={label} onReset={onReset} />
          </p>
        </div>
      )}
      <div className={classNames("min-w-0", !below && "flex items-start justify-end pt-0.5")}>
        <Editor field={field} editor={editor} suggested={suggested} unsettled={unsettled ?? false} asking={asking ?? null} />
      </div>
      <div className={classNames("flex flex-col gap-1 text-sm empty:hidden", !below && "col-span-2")}>
        {problems.length > 0 && (
          <ul id={`${id}-problem`} className="text-bad">
            {problems.map((problem) => (
              <li key={problem.message}>
                <Coded text={problem.message} />
              </li>
            ))}
          </ul>
        )}
        {fixed && field.variable !== null && (
          <p id={`${id}-fixed`} className="text-dim">
            {t("settings-from-environment", { variable: field.variable })}
          </p>
        )}
        {overtaken && (
          <p className="flex flex-wrap items-center gap-2 text-warn">
            {t("settings-changed-outside", { value: valueInWords(t, language, field, field.value) || label })}
            <Button size="small" onClick={onTakeOutside}>
              {t("settings-take-outside")}
            </Button>
          </p>
        )}
      </div>
    </div>
  );
}

/** Says the default, with the way back to it where the value is another. */
function Default({ field, value, changed, label, onReset }: Pick<FieldProps, "field" | "value" | "changed" | "onReset"> & { label: string }) {
  const t = useText();
  const language = useLanguage();
  // Without a default, empty says it all.
  if (field.default === null) return null;
  const words = valueInWords(t, language, field, field.default);
  const differs = JSON.stringify(value) !== JSON.stringify(field.default);
  const resettable = differs && (field.source === "file" || changed);
  return (
    <>
      {words !== "" && <span className={classNames("text-faint", words.length < 32 ? "whitespace-nowrap" : "break-words")}>{t("settings-default", { value: words })}</span>}{" "}
      {resettable && (
        <button
          type="button"
          aria-label={t("settings-reset-one", { label })}
          onClick={onReset}
          className="rounded whitespace-nowrap text-accent hover:underline"
        >
          {t("settings-reset")}
        </button>
      )}
    </>
  );
}

interface EditorOfProps {
  field: SettingField;
  editor: EditorProps;
  suggested: string[] | undefined;
  unsettled: boolean;
  asking: Asking | null;
}

function Editor({ field, editor, suggested, unsettled, asking }: EditorOfProps) {
  switch (field.kind.type) {
    case "toggle":
      return <ToggleEditor {...editor} />;
    case "choice":
      return <ChoiceEditor {...editor} field={field} />;
    case "runner":
      return <RunnerEditor {...editor} options={[...field.kind.options, ...(suggested ?? [])]} />;
    case "number":
    case "share":
    case "decimal":
    case "duration":
    case "text":
      return <LineEditor {...editor} field={field} />;
    case "logins":
      return <WordsEditor {...editor} suggested={suggested} />;
    case "texts":
      return <TextsEditor {...editor} />;
    case "stages":
      return <StagesEditor {...editor} personas={field.kind.personas} wrong={field.kind.wrong} unsettled={unsettled} asking={asking} />;
    case "authors":
      return <AuthorsEditor {...editor} options={[...field.kind.options, ...(suggested ?? [])]} />;
    case "personas":
      return <PersonasEditor {...editor} options={[...field.kind.options, ...(suggested ?? [])]} personas={field.kind.personas} />;
    case "agents":
      return <AgentsEditor {...editor} known={field.kind.known} />;
    case "bots":
      return <BotsEditor {...editor} />;
    case "repositories":
      return <RepositoriesEditor {...editor} />;
  }
}
