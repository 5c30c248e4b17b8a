import { useId } from "react";
import { Button, classNames, Dot, TextWithCode } from "../../components";
import type { JsonValue, SettingField, SettingKind, SettingProblem } from "../../generated/wire";
import { useRights } from "../../data";
import { useLanguage, useText } from "../../i18n";
import { AgentsEditor } from "./AgentsEditor";
import { AuthorsEditor } from "./AuthorsEditor";
import { ModelName, type Changes, type ModelRef } from "../models";
import { BotsEditor } from "./BotsEditor";
import type { EditorProps } from "./editing";
import { HeadersEditor } from "./HeadersEditor";
import { helpOf, labelOf, valueText } from "./labels";
import type { ModelDefaults } from "./inherited";
import { McpServersEditor } from "./McpServersEditor";
import type { EscalationEditing } from "./personas";
import { ModelsEditor } from "./ModelsEditor";
import { PersonasEditor } from "./PersonasEditor";
import { RepositoriesEditor } from "./RepositoriesEditor";
import { StagesEditor } from "./StagesEditor";
import { ChoiceEditor, InputEditor, LinesEditor, ProgramEditor, RunnerEditor, TagsEditor, ToggleEditor } from "./ValueEditors";

export interface FieldProps {
  field: SettingField;
  value: unknown;
  changed: boolean;
  changedOutside: boolean;
  problems: SettingProblem[];
  /** Words that fit beside those that the setting offers: bots, agents that are not saved yet. */
  suggestions?: string[];
  /** What is not saved yet of models: their keys and lists are asked for with it. */
  modelChanges: Changes;
  /** Names of models that can take over, those that are not saved yet included. */
  modelNames: string[];
  /** What personas have where nothing is said of them. */
  defaults: ModelDefaults;
  /** The service of the model for all; none while no provider is chosen. */
  service: ModelRef | null;
  /** Whether what personas run on is being changed, so that what is known of it holds no more. */
  runnersChanged?: boolean;
  /** Who may ask in whom, which is edited with the stages. */
  escalation?: EscalationEditing;
  onChange: (value: JsonValue) => void;
  onReset: () => void;
  onAcceptOutside: () => void;
}

/** Whether the editor stands below the label, and not beside it. */
const IS_BELOW: Record<SettingKind["type"], boolean> = {
  toggle: false,
  number: false,
  fraction: false,
  decimal: false,
  duration: false,
  text: false,
  choice: false,
  runner: false,
  logins: true,
  texts: true,
  program: false,
  headers: true,
  model_names: true,
  models: true,
  stages: true,
  authors: true,
  personas: true,
  agents: true,
  mcp_servers: true,
  bots: true,
  repositories: true,
};

/** The id of what is focused to edit a setting. */
export const editorId = (key: string): string => `setting-${key}`;

/** One setting: its name, what it does, where its value comes from, and the editor that fits. */
export function Field({ field, value, changed, changedOutside, problems, suggestions, modelChanges, modelNames, defaults, service, runnersChanged, escalation, onChange, onReset, onAcceptOutside }: FieldProps) {
  const t = useText();
  const language = useLanguage();
  const id = useId();
  const label = labelOf(t, language, field.key);
  const help = helpOf(t, language, field.key);
  const { type } = field.kind;
  const below = IS_BELOW[type];
  // A page of one list needs no second title.
  const alone = type === "repositories";
  const fixed = field.source === "environment";
  const { own_machine } = useRights();
  const describedBy = [help && `${id}-help`, problems.length > 0 && `${id}-problem`, fixed && `${id}-fixed`].filter(Boolean).join(" ");
  const editor = {
    id: editorId(field.key),
    label,
    value,
    onChange,
    disabled: fixed || !own_machine,
    invalid: problems.length > 0,
    describedBy: describedBy || undefined,
    problemPaths: problems.flatMap(({ path }) => path ?? []),
  };
  return (
    <div className={classNames("py-3.5", below ? "flex flex-col gap-2" : "grid grid-cols-[minmax(0,1fr)_auto] gap-x-8 gap-y-1 @max-[30rem]:grid-cols-[minmax(0,1fr)]")}>
      {!alone && (
        <div className="min-w-0">
          <h3 className="flex items-center gap-2 font-medium">
            {label}
            {changed && <Dot tone="run" label={t("settings-changed")} />}
          </h3>
          <p className="text-sm text-dim text-pretty">
            {help && <span id={`${id}-help`}><TextWithCode text={help} /></span>} <Default field={field} value={value} changed={changed} label={label} onReset={onReset} />
          </p>
        </div>
      )}
      <div className={classNames("min-w-0", !below && "flex items-start justify-end pt-0.5 @max-[30rem]:justify-start")}>
        <Editor field={field} editor={editor} suggestions={suggestions} modelChanges={modelChanges} modelNames={modelNames} defaults={defaults} service={service} runnersChanged={runnersChanged ?? false} escalation={escalation ?? null} />
      </div>
      <div className={classNames("flex flex-col gap-1 text-sm empty:hidden", !below && "col-span-2 @max-[30rem]:col-span-1")}>
        {problems.length > 0 && (
          <ul id={`${id}-problem`} className="text-bad">
            {problems.map((problem) => (
              <li key={problem.message}>
                <TextWithCode text={problem.path === undefined ? problem.message : `\`${problem.path}\`: ${problem.message}`} />
              </li>
            ))}
          </ul>
        )}
        {fixed && field.variable !== null && (
          <p id={`${id}-fixed`} className="text-dim">
            {t("settings-from-environment", { variable: field.variable })}
          </p>
        )}
        {changedOutside && (
          <p className="flex flex-wrap items-center gap-2 text-warn">
            {t("settings-changed-outside", { value: valueText(t, language, field, field.value) || label })}
            <Button size="small" onClick={onAcceptOutside}>
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
  const { own_machine } = useRights();
  // Without a default, empty says it all.
  if (field.default === null) return null;
  const text = valueText(t, language, field, field.default);
  const differs = JSON.stringify(value) !== JSON.stringify(field.default);
  const resettable = own_machine && differs && (field.source === "file" || changed);
  const ofDemo = field.source === "demo" && !changed;
  return (
    <>
      {text !== "" && (
        <span className={classNames("text-faint", text.length < 32 ? "whitespace-nowrap" : "break-words")}>
          {t(ofDemo ? "settings-default-sentence" : "settings-default", { value: text })}
        </span>
      )}{" "}
      {ofDemo && <span>{t("settings-from-demo")}</span>}
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
  suggestions: string[] | undefined;
  modelChanges: Changes;
  modelNames: string[];
  defaults: ModelDefaults;
  service: ModelRef | null;
  runnersChanged: boolean;
  escalation: EscalationEditing | null;
}

function Editor({ field, editor, suggestions, modelChanges, modelNames, defaults, service, runnersChanged, escalation }: EditorOfProps) {
  switch (field.kind.type) {
    case "toggle":
      return <ToggleEditor {...editor} />;
    case "choice":
      return <ChoiceEditor {...editor} field={field} />;
    case "runner":
      return <RunnerEditor {...editor} options={[...field.kind.options, ...(suggestions ?? [])]} />;
    case "number":
    case "fraction":
    case "decimal":
    case "duration":
    case "text":
      if (field.key === "llm.model") return <ModelEditor editor={editor} service={service} />;
      return <InputEditor {...editor} field={field} />;
    case "program":
      return <ProgramEditor {...editor} />;
    case "headers":
      return <HeadersEditor {...editor} onChange={(rows) => editor.onChange(Array.isArray(rows) && rows.length === 0 ? null : rows)} />;
    case "model_names":
      return <TagsEditor {...editor} suggestions={modelNames} onChange={(names) => editor.onChange(Array.isArray(names) && names.length === 0 ? null : names)} />;
    case "models":
      return <ModelsEditor {...editor} providers={field.kind.providers} efforts={field.kind.efforts} changes={modelChanges} />;
    case "logins":
      return <TagsEditor {...editor} suggestions={suggestions} />;
    case "texts":
      return <LinesEditor {...editor} />;
    case "stages":
      return <StagesEditor {...editor} personas={field.kind.personas} personaProblems={field.kind.persona_problems} runnersChanged={runnersChanged} escalation={escalation} />;
    case "authors":
      return <AuthorsEditor {...editor} options={[...field.kind.options, ...(suggestions ?? [])]} />;
    case "personas":
      return <PersonasEditor {...editor} options={[...field.kind.options, ...(suggestions ?? [])]} personas={field.kind.personas} providers={field.kind.providers} efforts={field.kind.efforts} changes={modelChanges} modelNames={modelNames} defaults={defaults} />;
    case "agents":
      return <AgentsEditor {...editor} known={field.kind.known} efforts={field.kind.efforts} />;
    case "mcp_servers":
      return <McpServersEditor {...editor} transports={field.kind.transports} roles={field.kind.roles} />;
    case "bots":
      return <BotsEditor {...editor} />;
    case "repositories":
      return <RepositoriesEditor {...editor} />;
  }
}

/** The model for all: without a default, nothing written is nothing said. */
function ModelEditor({ editor: { id, label, value, onChange, disabled, invalid, describedBy }, service }: { editor: EditorProps; service: ModelRef | null }) {
  return (
    <ModelName
      bare
      id={id}
      label={label}
      value={typeof value === "string" ? value : ""}
      onChange={(text) => onChange(text.trim() === "" ? null : text)}
      model={service}
      disabled={disabled}
      invalid={invalid}
      describedBy={describedBy}
      className="w-60"
    />
  );
}
