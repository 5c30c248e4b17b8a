import { X } from "lucide-react";
import { useState, type SubmitEvent } from "react";
import { Button, IconButton, TextField } from "../../components";
import type { AuthorSetting, JsonValue } from "../../generated/wire";
import { useText } from "../../i18n";
import type { EditorProps } from "./editing";
import { useRefocus } from "./useRefocus";
import { RunnerSelect } from "./ValueEditors";

/** Who fixes what an author opened: the agent that wrote it knows it best (§6.1). */
export function AuthorsEditor({ id, label, value, onChange, disabled, describedBy, options }: EditorProps & { options: string[] }) {
  const t = useText();
  const authors = Array.isArray(value) ? (value as AuthorSetting[]) : [];
  const set = (next: AuthorSetting[]) => onChange(next as unknown as JsonValue);
  const [editor, setRemoved] = useRefocus<HTMLDivElement>(value, "li button", "form input");
  return (
    <div
      ref={editor}
      id={id}
      tabIndex={-1}
      role="group"
      aria-label={label}
      aria-describedby={describedBy}
      className="rounded-lg border border-line bg-panel"
    >
      {authors.length > 0 && (
        <ul className="divide-y divide-line border-b border-line">
          {authors.map((author, at) => (
            <li key={author.login} className="flex items-center gap-2 py-1 pr-1.5 pl-3">
              <span className="min-w-0 flex-1 truncate">@{author.login}</span>
              <RunnerSelect
                label={t("settings-author-runs-on", { login: author.login })}
                value={author.runs_on}
                options={options}
                onChange={(runs_on) => set(authors.map((each) => (each === author ? { ...each, runs_on } : each)))}
                disabled={disabled}
                className="w-44"
              />
              {!disabled && (
                <IconButton
                  label={t("entries-remove", { item: author.login })}
                  onClick={() => {
                    set(authors.filter((each) => each !== author));
                    setRemoved(at);
                  }}
                  className="size-6"
                >
                  <X aria-hidden className="size-3.5" />
                </IconButton>
              )}
            </li>
          ))}
        </ul>
      )}
      {!disabled && <AddAuthor authors={authors} options={options} onAdd={(author) => set([...authors, author])} />}
    </div>
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
    <form noValidate onSubmit={add} className="flex items-start gap-2 px-3 py-2.5">
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
