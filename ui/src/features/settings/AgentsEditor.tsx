import { Fragment, useId } from "react";
import type { AgentSetting } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import { AddNamed } from "./AddNamed";
import { AgentEffort, AgentModel } from "./AgentChoice";
import { commandOf, lineOf } from "./command";
import { INPUT, stringsOf, useTyped, type EditorProps } from "./editing";
import { runnerOf } from "./labels";
import { RemoveRow, RowList, useRows } from "./rows";
import { TagsEditor } from "./ValueEditors";

/** What it gets of Collie's environment, and what it reaches from inside the sandbox (§9.5). */
const LISTS = ["env", "hosts", "readable", "state"] as const;

/** The user's own coding agents, and other ways to start those that Collie knows (§6.1). */
export function AgentsEditor({ known, efforts, ...editor }: EditorProps & { known: string[]; efforts: string[] }) {
  const { disabled, problemPaths } = editor;
  const t = useText();
  const agents = useRows<AgentSetting>(editor);
  return (
    <RowList
      list={agents}
      row={(agent) => (
        <Agent
          key={agent.name}
          agent={agent}
          known={known.includes(agent.name)}
          efforts={efforts}
          wrong={problemPaths ?? []}
          disabled={disabled}
          onChange={(changed) => agents.change(agent, changed)}
          onRemove={() => agents.remove(agent)}
        />
      )}
      footer={
        !disabled && (
          <AddNamed
            label={t("settings-agent-name")}
            placeholder={t("settings-agent-name-example")}
            button={t("settings-agent-add")}
            taken={agents.rows.map(({ name }) => name)}
            offered={known}
            onAdd={(name) => agents.add({ name, command: [], env: [], hosts: [], readable: [], state: [] })}
          />
        )
      }
    />
  );
}

interface AgentProps {
  agent: AgentSetting;
  known: boolean;
  efforts: string[];
  /** Keys with something wrong, in full. */
  wrong: string[];
  disabled: boolean;
  onChange: (changed: AgentSetting) => void;
  onRemove: () => void;
}

/** An agent that is told something else; without a word, the key goes. */
function withChoice(agent: AgentSetting, key: "model" | "effort", value: string | undefined): AgentSetting {
  const { [key]: _, ...others } = agent;
  return value === undefined ? others : { ...others, [key]: value };
}

function Agent({ agent, known, efforts, wrong, disabled, onChange, onRemove }: AgentProps) {
  const t = useText();
  const language = useLanguage();
  const id = useId();
  const [typed, read] = useTyped(agent.command, commandOf, (command) => lineOf(stringsOf(command)));
  return (
    <li className="py-2 pe-1.5 ps-3">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">
          {agent.name} {known && <span className="ms-1 text-sm font-normal text-faint">{runnerOf(t, language, agent.name)}</span>}
        </span>
        {!disabled && <RemoveRow label={t("entries-remove", { item: agent.name })} onRemove={onRemove} />}
      </div>
      <div className="mt-1 grid grid-cols-[minmax(0,6rem)_minmax(0,1fr)] items-center gap-x-3 gap-y-1.5 pe-1.5">
        <label htmlFor={`${id}-command`} className="text-sm text-dim">
          {t("settings-agent-command")}
        </label>
        <input
          id={`${id}-command`}
          value={typed}
          disabled={disabled}
          placeholder={t(known ? "settings-agent-command-known" : "settings-agent-command-example")}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ ...agent, command: stringsOf(read(event.target.value)) })}
          className={`${INPUT} h-8 w-full font-mono text-sm`}
        />
        <span aria-hidden className="text-sm text-dim">
          {t("setting-llm-model")}
        </span>
        <AgentModel
          label={t("settings-agent-model-of", { name: agent.name })}
          value={agent.model}
          disabled={disabled}
          invalid={wrong.includes(`agents.${agent.name}.model`)}
          onChange={(model) => onChange(withChoice(agent, "model", model))}
        />
        <span aria-hidden className="text-sm text-dim">
          {t("setting-llm-effort")}
        </span>
        <AgentEffort
          label={t("settings-agent-effort-of", { name: agent.name })}
          value={agent.effort}
          efforts={efforts}
          disabled={disabled}
          invalid={wrong.includes(`agents.${agent.name}.effort`)}
          onChange={(effort) => onChange(withChoice(agent, "effort", effort))}
        />
        {LISTS.map((list) => (
          <Fragment key={list}>
            <span className="text-sm text-dim">{t(`settings-agent-${list}`)}</span>
            <TagsEditor
              id={`${id}-${list}`}
              label={t(`settings-agent-${list}-of`, { name: agent.name })}
              value={agent[list]}
              onChange={(words) => onChange({ ...agent, [list]: stringsOf(words) })}
              disabled={disabled}
              invalid={false}
              describedBy={undefined}
            />
          </Fragment>
        ))}
      </div>
    </li>
  );
}
