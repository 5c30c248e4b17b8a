import { useState } from "react";
import { Button, Dot } from "../../components";
import type { JsonValue, PersonaOption, PersonaSetting } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import { ModelName, type Changes } from "../models";
import type { EditorProps } from "./editing";
import { personaText } from "./labels";
import { ModelFields } from "./ModelFields";
import { settingOf, withPersona } from "./personas";
import { RunnerSelect } from "./ValueEditors";

interface PersonasEditorProps extends EditorProps {
  options: string[];
  personas: PersonaOption[];
  providers: string[];
  efforts: string[];
  changes: Changes;
  modelNames: string[];
}

/** What each persona runs on. One that nothing is said of follows the language model, else the agent that fixes. */
export function PersonasEditor({ id, label, value, onChange, disabled, describedBy, problemPaths, options, personas, providers, efforts, changes, modelNames }: PersonasEditorProps) {
  const t = useText();
  const [open, setOpen] = useState<string | null>(null);
  const settings = Array.isArray(value) ? (value as PersonaSetting[]) : [];
  const named = settings.filter(({ name }) => !personas.some((persona) => persona.name === name));
  const rows: PersonaOption[] = [...personas, ...named.map(({ name }) => ({ name, title: null, runs_on: null, default_escalates_to: [] }))];
  const put = (changed: PersonaSetting) => onChange(withPersona(settings, changed) as unknown as JsonValue);
  return (
    <div id={id} tabIndex={-1} role="group" aria-label={label} aria-describedby={describedBy} className="rounded-lg border border-line bg-panel">
      <ul className="divide-y divide-line">
        {rows.map((persona) => {
          const setting = settingOf(settings, persona.name);
          const hasModel = setting.runs_on === null || setting.runs_on === "llm" || setting.model !== null;
          const isOpen = hasModel && open === persona.name;
          const { name, runs_on, model, escalates_to, ...values } = setting;
          const hasOwn = Object.keys(values).length > 0;
          const ref = { table: `reviewers.${persona.name}`, changes };
          return (
            <li key={persona.name}>
              <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,152px)_minmax(0,152px)_68px] items-start gap-2 py-1.5 pr-2 pl-3">
              <PersonaName persona={persona} />
              <RunnerSelect
                label={t("settings-persona-runs-on", { name: persona.name })}
                value={setting.runs_on ?? ""}
                options={options}
                defaultLabel={t("settings-persona-usual")}
                onChange={(word) => put({ ...setting, runs_on: word === "" ? null : word })}
                disabled={disabled}
              />
              {/* An agent's model stands in the file alone. */}
              {hasModel && (
                <ModelName
                  bare
                  label={t("settings-persona-model", { name: persona.name })}
                  placeholder={t("settings-persona-model-same")}
                  value={setting.model ?? ""}
                  onChange={(text) => put({ ...setting, model: text.trim() === "" ? null : text })}
                  model={ref}
                  disabled={disabled}
                />
              )}
              {hasModel && (
                <Button
                  aria-expanded={isOpen}
                  aria-label={t(hasOwn ? "settings-persona-more-of-set" : "settings-persona-more-of", { name: persona.name })}
                  onClick={() => setOpen(isOpen ? null : persona.name)}
                >
                  {t("settings-persona-more")}
                  {hasOwn && <Dot tone="run" />}
                </Button>
              )}
              </div>
              {isOpen && (
                <ModelFields
                  name={persona.name}
                  model={ref}
                  values={values}
                  onChange={(next) => put({ name, runs_on, model, escalates_to, ...next })}
                  providers={providers}
                  efforts={efforts}
                  modelNames={modelNames}
                  inherits
                  disabled={disabled}
                  wrong={problemPaths ?? []}
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
      <span className="block truncate font-medium">{persona.name}</span>
      <span className="block truncate text-sm text-faint">{personaText(t, language, persona)}</span>
    </span>
  );
}
