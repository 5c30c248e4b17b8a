import { Fragment, useId, useState, type SubmitEvent } from "react";
import { Button, TextField } from "../../components";
import type { AgentSetting } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import { commandOf, lineOf } from "./command";
import { INPUT, stringsOf, useTyped, type EditorProps } from "./editing";
import { runnerOf } from "./labels";
import { ADDS_ROWS, RemoveRow, RowList, useRows } from "./rows";
import { TagsEditor } from "./ValueEditors";

/** What it gets of Collie's environment, and what it reaches from inside the sandbox (§9.5). */
const LISTS = ["env", "hosts", "readable", "state"] as const;

/** The user's own coding agents, and other ways to start those that Collie knows (§6.1). */
export function AgentsEditor({ known, ...editor }: EditorProps & { known: string[] }) {
  const { disabled } = editor;
  const agents = useRows<AgentSetting>(editor);
  return (
    <RowList
      list={agents}
      row={(agent) => (
        <Agent
          key={agent.name}
          agent={agent}
          known={known.includes(agent.name)}
          disabled={disabled}
          onChange={(changed) => agents.change(agent, changed)}
          onRemove={() => agents.remove(agent)}
        />
      )}
      footer={!disabled && <AddAgent agents={agents.rows} known={known} onAdd={(name) => agents.add({ name, command: [], env: [], hosts: [], readable: [], state: [] })} />}
    />
  );
}

interface AgentProps {
  agent: AgentSetting;
  known: boolean;
  disabled: boolean;
  onChange: (changed: AgentSetting) => void;
  onRemove: () => void;
}

function Agent({ agent, known, disabled, onChange, onRemove }: AgentProps) {
  const t = useText();
  const language = useLanguage();
  const id = useId();
  const [typed, read] = useTyped(agent.command, commandOf, (command) => lineOf(stringsOf(command)));
  return (
    <li className="py-2 pr-1.5 pl-3">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">
          {agent.name} {known && <span className="ml-1 text-sm font-normal text-faint">{runnerOf(t, language, agent.name)}</span>}
        </span>
        {!disabled && <RemoveRow label={t("entries-remove", { item: agent.name })} onRemove={onRemove} />}
      </div>
      <div className="mt-1 grid grid-cols-[minmax(0,96px)_minmax(0,1fr)] items-center gap-x-3 gap-y-1.5 pr-1.5">
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

function AddAgent({ agents, known, onAdd }: { agents: AgentSetting[]; known: string[]; onAdd: (name: string) => void }) {
  const t = useText();
  const id = useId();
  const [typed, setTyped] = useState("");
  const name = typed.trim();
  const twice = agents.some((agent) => agent.name === name);
  const fits = /^[a-z0-9-]{1,40}$/.test(name);
  const problem = twice ? t("settings-agent-twice", { name }) : name !== "" && !fits ? t("settings-agent-name-wrong") : null;
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    if (!fits || twice) return;
    onAdd(name);
    setTyped("");
  };
  return (
    <form {...ADDS_ROWS} noValidate onSubmit={add} className="flex items-start gap-2 px-3 py-2.5">
      <TextField
        bare
        label={t("settings-agent-name")}
        placeholder={t("settings-agent-name-example")}
        value={typed}
        onChange={setTyped}
        problem={problem}
        list={`${id}-known`}
        className="flex-1"
      />
      <datalist id={`${id}-known`}>
        {known
          .filter((each) => !agents.some((agent) => agent.name === each))
          .map((each) => (
            <option key={each} value={each} />
          ))}
      </datalist>
      <Button type="submit" disabled={!fits || twice}>
        {t("settings-agent-add")}
      </Button>
    </form>
  );
}
