import { X } from "lucide-react";
import { useState } from "react";
import { Button, classNames, Select, Switch } from "../../components";
import type { SettingField } from "../../generated/wire";
import { useLanguage, useText, type Language } from "../../i18n";
import { commandOf, lineOf } from "./command";
import { INPUT, stringsOf, useTyped, type EditorProps } from "./editing";
import { choiceOf, runnerOf } from "./labels";

export function ToggleEditor({ id, label, value, onChange, disabled, describedBy }: EditorProps) {
  return <Switch bare id={id} label={label} checked={value === true} onChange={onChange} disabled={disabled} aria-describedby={describedBy} />;
}

export function ChoiceEditor({ id, label, value, onChange, disabled, invalid, describedBy, field }: EditorProps & { field: SettingField }) {
  const t = useText();
  const language = useLanguage();
  const choices = field.kind.type === "choice" ? field.kind.options : [];
  const options = choices.map((word) => ({ value: word, label: choiceOf(t, language, field.key, word) }));
  // Without a default it may be none of them.
  if (field.default === null) options.unshift({ value: "", label: t("settings-none") });
  return (
    <Select
      bare
      label={label}
      value={String(value ?? "")}
      options={options}
      onChange={(word) => onChange(word === "" ? null : word)}
      disabled={disabled}
      id={id}
      invalid={invalid}
      aria-describedby={describedBy}
      className="w-60 max-w-full @min-[40rem]:w-76"
    />
  );
}

/** What somebody runs on: the rules, the language model, an agent. */
export function RunnerEditor({ id, label, value, onChange, disabled, invalid, describedBy, options }: EditorProps & { options: string[] }) {
  return (
    <RunnerSelect
      id={id}
      label={label}
      value={String(value ?? "")}
      options={options}
      onChange={onChange}
      disabled={disabled}
      invalid={invalid}
      aria-describedby={describedBy}
      className="w-60 max-w-full @min-[40rem]:w-76"
    />
  );
}

interface RunnerSelectProps {
  id?: string;
  label: string;
  value: string;
  options: string[];
  /** The label of "", which leaves it to others. */
  defaultLabel?: string;
  onChange: (runner: string) => void;
  disabled?: boolean;
  invalid?: boolean;
  "aria-describedby"?: string;
  className?: string;
}

/** Chooses a runner. One that is written down and is not offered is shown all the same. */
export function RunnerSelect({ value, options, defaultLabel, ...rest }: RunnerSelectProps) {
  const t = useText();
  const language = useLanguage();
  const runners = [...new Set(value === "" || options.includes(value) ? options : [...options, value])];
  const shown = runners.map((word) => ({ value: word, label: runnerOf(t, language, word) }));
  return <Select bare value={value} options={defaultLabel === undefined ? shown : [{ value: "", label: defaultLabel }, ...shown]} {...rest} />;
}

export const asText = (value: unknown): string => (value === null || value === undefined ? "" : String(value));

export function parseNumber(text: string): number | string {
  const plain = text.trim().replace(",", ".");
  return /^\d+(\.\d*)?$|^\.\d+$/.test(plain) ? Number(plain) : text.trim();
}

export function writeNumber(language: Language): (value: unknown) => string {
  return (value) => (language === "fr" && typeof value === "number" ? String(value).replace(".", ",") : asText(value));
}

/** One line: numbers, shares, times, texts. What does not fit is sent as it is, and Rust says what is wrong with it. */
export function InputEditor({ field, id, label, value, onChange, disabled, invalid, describedBy }: EditorProps & { field: SettingField }) {
  const language = useLanguage();
  const { type } = field.kind;
  const counts = type === "number" || type === "fraction" || type === "decimal";
  const parse = counts ? parseNumber : (text: string) => text;
  // Without a default, nothing written is nothing said.
  const silent = (text: string) => field.default === null && text.trim() === "";
  const [typed, read] = useTyped(value, (text) => (silent(text) ? null : parse(text)), counts ? writeNumber(language) : asText);
  return (
    <input
      id={id}
      aria-label={label}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      value={typed}
      disabled={disabled}
      inputMode={type === "number" ? "numeric" : type === "fraction" || type === "decimal" ? "decimal" : "text"}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(read(event.target.value))}
      className={classNames(INPUT, type === "text" ? "w-60" : "w-24 text-end")}
    />
  );
}

/** A program with its arguments, as one line of a shell. Nothing written is nothing said. */
export function ProgramEditor({ id, label, value, onChange, disabled, invalid, describedBy }: EditorProps) {
  const read = (text: string) => (text.trim() === "" ? null : commandOf(text));
  const [typed, type] = useTyped(value, read, (command) => lineOf(stringsOf(command)));
  return (
    <input
      id={id}
      aria-label={label}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      value={typed}
      disabled={disabled}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(type(event.target.value))}
      className={classNames(INPUT, "w-60 font-mono text-sm")}
    />
  );
}

const lines = (text: string): string[] => text.split("\n").flatMap((line) => line.trim() || []);

/** A list of texts, one a line. */
export function LinesEditor({ id, label, value, onChange, disabled, invalid, describedBy }: EditorProps) {
  const [typed, type] = useTyped(value, lines, (list) => stringsOf(list).join("\n"));
  return (
    <textarea
      id={id}
      aria-label={label}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      value={typed}
      disabled={disabled}
      rows={Math.min(10, Math.max(3, typed.split("\n").length + 1))}
      spellCheck={false}
      onChange={(event) => onChange(type(event.target.value))}
      className={classNames(INPUT, "block w-full resize-y font-mono text-sm")}
    />
  );
}

/** A list of short words: logins, labels, branches. Enter or a comma adds, so does leaving the field. */
export function TagsEditor({ id, label, value, onChange, disabled, invalid, describedBy, suggestions, emptyText }: EditorProps & { suggestions?: string[]; emptyText?: string }) {
  const t = useText();
  const [typed, setTyped] = useState("");
  const tags = stringsOf(value);
  const add = (text: string) => {
    const fresh = text.split(/[,\n]/).flatMap((word) => word.trim().replace(/^@/, "") || []);
    const next = [...new Set([...tags, ...fresh])];
    setTyped("");
    if (next.length > tags.length) onChange(next);
  };
  return (
    <div
      role="group"
      aria-label={label}
      className={classNames(
        "flex flex-wrap items-center gap-1.5 rounded-md border bg-panel p-1",
        invalid ? "border-bad" : "border-control",
        disabled && "opacity-60",
      )}
    >
      {tags.map((word) => (
        <span key={word} className="inline-flex h-6 max-w-full items-center gap-1 rounded bg-chip pe-0.5 ps-2 text-sm">
          <span className="truncate">{word}</span>
          {!disabled && (
            <button
              type="button"
              aria-label={t("entries-remove", { item: word })}
              onClick={() => {
                onChange(tags.filter((other) => other !== word));
                document.getElementById(id)?.focus();
              }}
              className="grid size-5 place-items-center rounded text-faint hover:text-text"
            >
              <X aria-hidden className="size-3" />
            </button>
          )}
        </span>
      ))}
      <input
        id={id}
        aria-label={t("entries-add-to", { label })}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        value={typed}
        disabled={disabled}
        list={suggestions ? `${id}-suggested` : undefined}
        placeholder={tags.length === 0 ? (emptyText ?? t("entries-empty")) : undefined}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => (event.target.value.endsWith(",") ? add(event.target.value) : setTyped(event.target.value))}
        onKeyDown={(event) => {
          if (event.key === "Enter" && typed !== "") {
            event.preventDefault();
            add(typed);
          }
          if (event.key === "Backspace" && typed === "" && tags.length > 0) onChange(tags.slice(0, -1));
        }}
        onBlur={() => add(typed)}
        className="h-6 min-w-24 flex-1 rounded bg-transparent px-1.5"
      />
      {typed !== "" && (
        <Button size="small" onClick={() => add(typed)}>
          {t("entries-add")}
        </Button>
      )}
      {suggestions && (
        <datalist id={`${id}-suggested`}>
          {suggestions
            .filter((word) => !tags.includes(word))
            .map((word) => (
              <option key={word} value={word} />
            ))}
        </datalist>
      )}
    </div>
  );
}
