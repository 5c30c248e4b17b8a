import { useState, type SubmitEvent } from "react";
import { Button, TextField } from "../../components";
import type { AuthorSetting } from "../../generated/wire";
import { useText } from "../../i18n";
import type { EditorProps } from "./editing";
import { ADDS_ROWS, RemoveRow, RowList, useRows } from "./rows";
import { RunnerSelect } from "./ValueEditors";

/** Who fixes what an author opened: the agent that wrote it knows it best (§6.1). */
export function AuthorsEditor({ options, ...editor }: EditorProps & { options: string[] }) {
  const t = useText();
  const { disabled } = editor;
  const authors = useRows<AuthorSetting>(editor);
  return (
    <RowList
      list={authors}
      row={(author) => (
        <li key={author.login} className="flex items-center gap-2 py-1 pe-1.5 ps-3">
          <span className="min-w-0 flex-1 truncate">@{author.login}</span>
          <RunnerSelect
            label={t("settings-author-runs-on", { login: author.login })}
            value={author.runs_on}
            options={options}
            onChange={(runs_on) => authors.change(author, { ...author, runs_on })}
            disabled={disabled}
            className="w-44"
          />
          {!disabled && <RemoveRow label={t("entries-remove", { item: author.login })} onRemove={() => authors.remove(author)} />}
        </li>
      )}
      footer={!disabled && <AddAuthor authors={authors.rows} options={options} onAdd={authors.add} />}
    />
  );
}

function AddAuthor({ authors, options, onAdd }: { authors: AuthorSetting[]; options: string[]; onAdd: (author: AuthorSetting) => void }) {
  const t = useText();
  const [login, setLogin] = useState("");
  const [runs, setRuns] = useState("");
  const name = login.trim().replace(/^@/, "");
  const twice = authors.some((author) => author.login.toLowerCase() === name.toLowerCase());
  // The first agent, since the rules fix where nobody else does.
  const agent = runs || (options[1] ?? options[0] ?? "");
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    if (name === "" || twice) return;
    onAdd({ login: name, runs_on: agent });
    setLogin("");
  };
  return (
    <form {...ADDS_ROWS} noValidate onSubmit={add} className="flex items-start gap-2 px-3 py-2.5">
      <TextField
        bare
        label={t("settings-author-login")}
        placeholder={t("settings-author-login-example")}
        value={login}
        onChange={setLogin}
        problem={twice ? t("settings-author-twice", { login: name }) : null}
        className="flex-1"
      />
      <RunnerSelect label={t("settings-author-agent")} value={agent} options={options} onChange={setRuns} className="w-44" />
      <Button type="submit" disabled={name === "" || twice}>
        {t("entries-add")}
      </Button>
    </form>
  );
}
