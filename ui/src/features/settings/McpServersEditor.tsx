import { useId } from "react";
import { Checkbox, Select } from "../../components";
import type { HeaderSetting, JsonValue, McpServerSetting } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import { AddNamed } from "./AddNamed";
import { commandOf, lineOf } from "./command";
import { stringsOf, type EditorProps } from "./editing";
import { FieldGrid, FieldRow, Line } from "./FieldRows";
import { HeadersEditor } from "./HeadersEditor";
import { choiceOf } from "./labels";
import { RemoveRow, RowList, useRows } from "./rows";
import { asText, TagsEditor } from "./ValueEditors";

interface McpServersEditorProps extends EditorProps {
  transports: string[];
  roles: string[];
}

/** The user's MCP servers: what each is, and whose agents get it. */
export function McpServersEditor({ transports, roles, ...editor }: McpServersEditorProps) {
  const { disabled, onChange, problemPaths } = editor;
  const t = useText();
  // By name, as the file is read: an edit that leads back is no change.
  const sorted = (rows: McpServerSetting[]) => [...rows].sort((one, other) => (one.name < other.name ? -1 : 1));
  const servers = useRows<McpServerSetting>({ ...editor, onChange: (rows) => onChange(sorted(rows as unknown as McpServerSetting[]) as unknown as JsonValue) });
  return (
    <RowList
      list={servers}
      row={(server) => (
        <McpServer
          key={server.name}
          server={server}
          transports={transports}
          roles={roles}
          disabled={disabled}
          wrong={problemPaths ?? []}
          onChange={(changed) => servers.change(server, changed)}
          onRemove={() => servers.remove(server)}
        />
      )}
      footer={
        !disabled && (
          <AddNamed
            label={t("settings-mcp-name")}
            placeholder={t("settings-mcp-name-example")}
            button={t("settings-mcp-add")}
            taken={servers.rows.map(({ name }) => name)}
            // Who gets it is for the user to say.
            onAdd={(name) => servers.add({ name, command: [], env: [], headers: [], used_by: [], hosts: [], readable: [] })}
          />
        )
      }
    />
  );
}

interface McpServerProps {
  server: McpServerSetting;
  transports: string[];
  roles: string[];
  disabled: boolean;
  /** Keys with something wrong, in full. */
  wrong: string[];
  onChange: (changed: McpServerSetting) => void;
  onRemove: () => void;
}

function McpServer(props: McpServerProps) {
  const { server, transports, roles, disabled, wrong, onChange, onRemove } = props;
  const t = useText();
  const language = useLanguage();
  const { name } = server;
  const isWeb = server.url !== undefined;
  const { url: _, transport: __, ...place } = server;
  const choose = (kind: string) => onChange(kind === "url" ? { ...place, command: [], env: [], url: "", transport: transports[0] } : { ...place, headers: [] });
  const toggle = (role: string, on: boolean) => onChange({ ...server, used_by: roles.filter((each) => (each === role ? on : server.used_by.includes(each))) });
  return (
    <li className="py-2 pe-1.5 ps-3">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
        {!disabled && <RemoveRow label={t("entries-remove", { item: name })} onRemove={onRemove} />}
      </div>
      <div className="mt-1 pe-1.5">
        <FieldGrid>
          <FieldRow label={t("settings-mcp-kind")}>
            <Select
              bare
              label={t("settings-mcp-kind-of", { name })}
              value={isWeb ? "url" : "command"}
              options={[
                { value: "command", label: t("settings-mcp-kind-command") },
                { value: "url", label: t("settings-mcp-kind-url") },
              ]}
              onChange={choose}
              disabled={disabled}
            />
          </FieldRow>
          {isWeb ? <WebFields {...props} /> : <ProgramFields {...props} />}
          <FieldRow label={t("settings-mcp-used_by")}>
            <div role="group" aria-label={t("settings-mcp-used_by-of", { name })} className="flex flex-wrap gap-x-5 gap-y-1 py-1">
              {roles.map((role) => (
                <Checkbox key={role} label={choiceOf(t, language, "mcp.used_by", role)} checked={server.used_by.includes(role)} onChange={(on) => toggle(role, on)} disabled={disabled} />
              ))}
            </div>
          </FieldRow>
          <Words {...props} list="hosts" invalid={wrong.includes(`mcp.${name}.hosts`)} />
          <Words {...props} list="readable" invalid={wrong.includes(`mcp.${name}.readable`)} />
        </FieldGrid>
      </div>
    </li>
  );
}

/** A server that is a program which the agent starts. */
function ProgramFields(props: McpServerProps) {
  const { server, disabled, wrong, onChange } = props;
  const t = useText();
  const { name } = server;
  return (
    <>
      <FieldRow label={t("settings-agent-command")}>
        <Line
          mono
          label={t("settings-mcp-command-of", { name })}
          value={server.command}
          placeholder={t("settings-mcp-command-example")}
          disabled={disabled}
          invalid={wrong.includes(`mcp.${name}.command`)}
          onChange={(words) => onChange({ ...server, command: stringsOf(words) })}
          parse={commandOf}
          write={(words) => lineOf(stringsOf(words))}
        />
      </FieldRow>
      <Words {...props} list="env" invalid={wrong.includes(`mcp.${name}.env`)} />
    </>
  );
}

/** A server that answers at an address. */
function WebFields({ server, transports, disabled, wrong, onChange }: McpServerProps) {
  const t = useText();
  const language = useLanguage();
  const id = useId();
  const { name } = server;
  const isWrong = (key: string) => wrong.includes(`mcp.${name}.${key}`);
  return (
    <>
      <FieldRow label={t("settings-mcp-url")}>
        <Line
          mono
          label={t("settings-mcp-url-of", { name })}
          value={server.url === "" ? undefined : server.url}
          placeholder={t("settings-mcp-url-example")}
          disabled={disabled}
          invalid={isWrong("url")}
          onChange={(text) => onChange({ ...server, url: asText(text) })}
          parse={(text) => text.trim()}
          write={asText}
        />
      </FieldRow>
      <FieldRow label={t("settings-mcp-transport")}>
        <Select
          bare
          label={t("settings-mcp-transport-of", { name })}
          value={server.transport ?? transports[0] ?? ""}
          options={transports.map((word) => ({ value: word, label: choiceOf(t, language, "mcp.transport", word) }))}
          onChange={(transport) => onChange({ ...server, transport })}
          disabled={disabled}
          invalid={isWrong("transport")}
        />
      </FieldRow>
      <FieldRow label={t("settings-mcp-headers")} top>
        <HeadersEditor
          id={`${id}-headers`}
          label={t("settings-mcp-headers-of", { name })}
          value={server.headers}
          // What a server is sent along is most often what one logs in with.
          first="variable"
          onChange={(rows) => onChange({ ...server, headers: rows as unknown as HeaderSetting[] })}
          disabled={disabled}
          invalid={isWrong("headers")}
          describedBy={undefined}
        />
      </FieldRow>
    </>
  );
}

/** A list of short words of a server. */
function Words({ server, list, disabled, invalid, onChange }: McpServerProps & { list: "env" | "hosts" | "readable"; invalid: boolean }) {
  const t = useText();
  const id = useId();
  return (
    <FieldRow label={t(`settings-agent-${list}`)} top>
      <TagsEditor
        id={`${id}-${list}`}
        label={t(`settings-mcp-${list}-of`, { name: server.name })}
        value={server[list]}
        onChange={(words) => onChange({ ...server, [list]: stringsOf(words) })}
        disabled={disabled}
        invalid={invalid}
        describedBy={undefined}
      />
    </FieldRow>
  );
}
