import { useState, type SubmitEvent } from "react";
import { Button, Select, TextField } from "../../components";
import type { HeaderSetting } from "../../generated/wire";
import { useText } from "../../i18n";
import { INPUT, type EditorProps } from "./editing";
import { ADDS_ROWS, RemoveRow, RowList, useRows } from "./rows";

type Origin = "value" | "variable";

interface HeadersEditorProps extends EditorProps {
  /** What is offered first for a new one. */
  first?: Origin;
  /** What is told where there is none. */
  emptyText?: string | undefined;
}

/** What goes along with each request to a model. A secret comes from a variable: no file holds one. */
export function HeadersEditor({ first = "value", emptyText, ...editor }: HeadersEditorProps) {
  const { disabled } = editor;
  const t = useText();
  const headers = useRows<HeaderSetting>(editor);
  return (
    <RowList
      list={headers}
      row={(header) => (
        <li key={header.name} className="grid grid-cols-[minmax(0,1fr)_6rem_minmax(0,1.2fr)_1.5rem] items-center gap-2 py-1.5 pe-1.5 ps-3">
          <span className="truncate font-mono text-sm">{header.name}</span>
          <OriginSelect
            label={t("settings-header-origin-of", { name: header.name })}
            value={header.from_variable}
            disabled={disabled}
            onChange={(from_variable) => headers.change(header, { ...header, from_variable })}
          />
          <input
            aria-label={t("settings-header-value-of", { name: header.name })}
            value={header.value}
            disabled={disabled}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => headers.change(header, { ...header, value: event.target.value })}
            className={`${INPUT} h-8 w-full font-mono text-sm`}
          />
          {!disabled && <RemoveRow label={t("entries-remove", { item: header.name })} onRemove={() => headers.remove(header)} />}
        </li>
      )}
      footer={
        <>
          {emptyText !== undefined && headers.rows.length === 0 && <p className="border-b border-line px-3 py-1.5 text-sm text-faint">{emptyText}</p>}
          {!disabled && <AddHeader headers={headers.rows} first={first} onAdd={headers.add} />}
        </>
      }
    />
  );
}

interface OriginSelectProps {
  label: string;
  value: boolean;
  disabled: boolean;
  onChange: (fromVariable: boolean) => void;
}

function OriginSelect({ label, value, disabled, onChange }: OriginSelectProps) {
  const t = useText();
  const options: { value: Origin; label: string }[] = [
    { value: "value", label: t("settings-header-value") },
    { value: "variable", label: t("settings-header-variable") },
  ];
  return <Select bare label={label} value={value ? "variable" : "value"} options={options} disabled={disabled} onChange={(origin) => onChange(origin === "variable")} />;
}

function AddHeader({ headers, first, onAdd }: { headers: HeaderSetting[]; first: Origin; onAdd: (header: HeaderSetting) => void }) {
  const t = useText();
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [fromVariable, setFromVariable] = useState(first === "variable");
  const typed = name.trim();
  const twice = headers.some((header) => header.name.toLowerCase() === typed.toLowerCase());
  const fits = typed !== "" && value.trim() !== "" && !twice;
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    if (!fits) return;
    onAdd({ name: typed, value: value.trim(), from_variable: fromVariable });
    setName("");
    setValue("");
  };
  return (
    <form {...ADDS_ROWS} noValidate onSubmit={add} className="grid grid-cols-[minmax(0,1fr)_6rem_minmax(0,1.2fr)_auto] items-start gap-2 px-3 py-2.5">
      <TextField
        bare
        label={t("settings-header-name")}
        placeholder={t("settings-header-name-example")}
        value={name}
        onChange={setName}
        problem={twice ? t("settings-header-twice", { name: typed }) : null}
      />
      <OriginSelect label={t("settings-header-origin")} value={fromVariable} disabled={false} onChange={setFromVariable} />
      <TextField
        bare
        label={t("settings-header-new-value")}
        placeholder={t(fromVariable ? "settings-header-variable-example" : "settings-header-value-example")}
        value={value}
        onChange={setValue}
      />
      <Button type="submit" disabled={!fits} aria-label={t("settings-header-add")}>
        {t("entries-add")}
      </Button>
    </form>
  );
}
