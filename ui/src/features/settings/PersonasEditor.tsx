import { useState } from "react";
import { Button, Dot } from "../../components";
import type { JsonValue, PersonaOption, PersonaSetting } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import { reviewerName } from "../auto-pr-review/lifecycle";
import { ModelName, type Changes } from "../models";
import { AgentEffort, AgentModel } from "./AgentChoice";
import type { EditorProps } from "./editing";
import { FieldGrid, FieldRow } from "./FieldRows";
import { isElsewhere, type ModelDefaults } from "./inherited";
import { personaText } from "./labels";
import { ModelFields } from "./ModelFields";
import { settingOf, withEffort, withPersona } from "./personas";
import { RunnerSelect } from "./ValueEditors";

interface PersonasEditorProps extends EditorProps {
  options: string[];
  personas: PersonaOption[];
  providers: string[];
  efforts: string[];
  changes: Changes;
  modelNames: string[];
  defaults: ModelDefaults;
}

/** What each persona runs on. One that nothing is said of follows the language model, else the agent that fixes. */
export function PersonasEditor({ id, label, value, onChange, disabled, describedBy, problemPaths, options, personas, providers, efforts, changes, modelNames, defaults }: PersonasEditorProps) {
  const t = useText();
  const [open, setOpen] = useState<string | null>(null);
  const settings = Array.isArray(value) ? (value as PersonaSetting[]) : [];
  const named = settings.filter(({ name }) => !personas.some((persona) => persona.name === name));
  const rows: PersonaOption[] = [...personas, ...named.map(({ name }) => ({ name, title: null, runs_on: null, default_escalates_to: [] }))];
  const wrong = problemPaths ?? [];
  const put = (changed: PersonaSetting) => onChange(withPersona(settings, changed) as unknown as JsonValue);
  return (
    <div id={id} tabIndex={-1} role="group" aria-label={label} aria-describedby={describedBy} className="rounded-lg border border-line bg-panel">
      <ul className="divide-y divide-line">
        {rows.map((persona) => {
          const setting = settingOf(settings, persona.name);
          const isOpen = open === persona.name;
          const { name, runs_on, model, escalates_to, ...values } = setting;
          const agent = runs_on === null || runs_on === "llm" ? null : runs_on;
          const ofAgent = defaults.agents.find((each) => each.name === agent);
          const hasOwn = agent === null ? Object.keys(values).length > 0 : values.effort !== undefined;
          const more = agent === null
            ? t(hasOwn ? "settings-persona-more-of-set" : "settings-persona-more-of", { name })
            : t(hasOwn ? "settings-persona-more-of-agent-set" : "settings-persona-more-of-agent", { name });
          const ref = { table: `reviewers.${persona.name}`, changes };
          return (
            <li key={persona.name}>
              <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,11.5rem)_minmax(0,9.5rem)_auto] items-start gap-2 py-1.5 ps-3 pe-2 @max-[34rem]:grid-cols-[minmax(0,1fr)_auto] @max-[34rem]:[&>*:first-child]:col-span-2">
              <PersonaName persona={persona} />
              <RunnerSelect
                label={t("settings-persona-runs-on", { name: persona.name })}
                value={setting.runs_on ?? ""}
                options={options}
                defaultLabel={t("settings-persona-usual")}
                onChange={(word) => put({ ...setting, runs_on: word === "" ? null : word })}
                disabled={disabled}
              />
              {agent !== null ? (
                <AgentModel
                  label={t("settings-persona-model", { name: persona.name })}
                  value={setting.model ?? undefined}
                  inherited={ofAgent?.model}
                  onChange={(text) => put({ ...setting, model: text ?? null })}
                  disabled={disabled}
                  invalid={wrong.includes(`reviewers.${persona.name}.model`)}
                />
              ) : (
                <ModelName
                  bare
                  label={t("settings-persona-model", { name: persona.name })}
                  // Another provider has other models.
                  placeholder={isElsewhere(defaults.llm, values) ? undefined : (defaults.model ?? t("settings-persona-model-same"))}
                  value={setting.model ?? ""}
                  onChange={(text) => put({ ...setting, model: text.trim() === "" ? null : text })}
                  model={ref}
                  disabled={disabled}
                />
              )}
              <Button
                aria-expanded={isOpen}
                aria-label={more}
                onClick={() => setOpen(isOpen ? null : persona.name)}
              >
                {t("settings-persona-more")}
                {hasOwn && <Dot tone="run" />}
              </Button>
              </div>
              {isOpen && agent !== null && (
                <div className="border-t border-line bg-bg/50 px-3 py-3">
                  <FieldGrid>
                    <FieldRow label={t("setting-llm-effort")}>
                      <AgentEffort
                        label={t("models-field-of", { field: t("setting-llm-effort"), name })}
                        value={values.effort}
                        inherited={ofAgent?.effort}
                        efforts={efforts}
                        disabled={disabled}
                        invalid={wrong.includes(`reviewers.${name}.effort`)}
                        onChange={(effort) => put(withEffort(setting, effort))}
                      />
                    </FieldRow>
                  </FieldGrid>
                </div>
              )}
              {isOpen && agent === null && (
                <ModelFields
                  name={persona.name}
                  model={ref}
                  values={values}
                  onChange={(next) => put({ name, runs_on, model, escalates_to, ...next })}
                  providers={providers}
                  efforts={efforts}
                  modelNames={modelNames}
                  all={defaults.llm}
                  disabled={disabled}
                  wrong={wrong}
                />
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function PersonaName({ persona }: { persona: PersonaOption }) {
  const t = useText();
  const language = useLanguage();
  return (
    <span className="min-w-0">
      <span className="block truncate font-medium">{reviewerName(t, persona.name)}</span>
      <span className="block text-sm break-words text-faint">{personaText(t, language, persona)}</span>
    </span>
  );
}
