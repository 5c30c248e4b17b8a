import type { JsonValue, PersonaOption, PersonaSetting } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import { INPUT, useTyped, type EditorProps } from "./editing";
import { personaText } from "./labels";
import { settingOf, withPersona } from "./personas";
import { RunnerSelect } from "./ValueEditors";

interface PersonasEditorProps extends EditorProps {
  options: string[];
  personas: PersonaOption[];
}

/** What each persona runs on. One that nothing is said of follows the language model, else the agent that fixes. */
export function PersonasEditor({ id, label, value, onChange, disabled, describedBy, options, personas }: PersonasEditorProps) {
  const t = useText();
  const settings = Array.isArray(value) ? (value as PersonaSetting[]) : [];
  const named = settings.filter(({ name }) => !personas.some((persona) => persona.name === name));
  const rows: PersonaOption[] = [...personas, ...named.map(({ name }) => ({ name, title: null, runs_on: null, default_escalates_to: [] }))];
  const put = (changed: PersonaSetting) => onChange(withPersona(settings, changed) as unknown as JsonValue);
  return (
    <div id={id} tabIndex={-1} role="group" aria-label={label} aria-describedby={describedBy} className="rounded-lg border border-line bg-panel">
      <ul className="divide-y divide-line">
        {rows.map((persona) => {
          const setting = settingOf(settings, persona.name);
          return (
            <li key={persona.name} className="grid grid-cols-[minmax(0,1fr)_minmax(0,176px)_minmax(0,144px)] items-center gap-2 py-1.5 pr-2 pl-3">
              <PersonaName persona={persona} />
              <RunnerSelect
                label={t("settings-persona-runs-on", { name: persona.name })}
                value={setting.runs_on ?? ""}
                options={options}
                defaultLabel={t("settings-persona-usual")}
                onChange={(word) => put({ ...setting, runs_on: word === "" ? null : word })}
                disabled={disabled}
              />
              {/* An agent chooses its model by itself. */}
              {(setting.runs_on === null || setting.runs_on === "llm" || setting.model !== null) && (
                <ModelInput setting={setting} onChange={put} disabled={disabled} />
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

function ModelInput({ setting, onChange, disabled }: { setting: PersonaSetting; onChange: (changed: PersonaSetting) => void; disabled: boolean }) {
  const t = useText();
  const [typed, read] = useTyped(setting.model, (text) => (text.trim() === "" ? null : text.trim()), (model) => String(model ?? ""));
  return (
    <input
      aria-label={t("settings-persona-model", { name: setting.name })}
      placeholder={t("settings-persona-model-same")}
      value={typed}
      disabled={disabled}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange({ ...setting, model: read(event.target.value) as string | null })}
      className={`${INPUT} h-8 w-full`}
    />
  );
}
