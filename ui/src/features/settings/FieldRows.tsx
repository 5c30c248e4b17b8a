import type { ReactNode } from "react";
import { classNames } from "../../components";
import { INPUT, useTyped } from "./editing";

/** Labels with their editors, one below the other. */
export function FieldGrid({ children }: { children: ReactNode }) {
  return <div className="grid grid-cols-[minmax(0,8rem)_minmax(0,1fr)] items-center gap-x-3 gap-y-1.5">{children}</div>;
}

/** One editor with its label, which is shown alone: the editor has a name of its own for those who hear it. */
export function FieldRow({ label, top, children }: { label: string; top?: boolean; children: ReactNode }) {
  return (
    <>
      <span aria-hidden className={classNames("text-sm text-dim", top && "self-start pt-1.5")}>
        {label}
      </span>
      <div className="min-w-0">{children}</div>
    </>
  );
}

interface LineProps<T> {
  id?: string;
  label: string;
  value: unknown;
  placeholder?: string;
  disabled: boolean;
  invalid: boolean;
  mono?: boolean;
  onChange: (value: unknown) => void;
  parse: (text: string) => T;
  write: (value: unknown) => string;
}

/** One line. Nothing written is nothing said. */
export function Line<T extends string | number | string[]>({ id, label, value, placeholder, disabled, invalid, mono, onChange, parse, write }: LineProps<T>) {
  const [typed, read] = useTyped(value ?? null, (text) => (text.trim() === "" ? (Array.isArray(value) ? [] : null) : parse(text)), write);
  return (
    <input
      id={id}
      aria-label={label}
      aria-invalid={invalid || undefined}
      value={typed}
      placeholder={placeholder}
      disabled={disabled}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(read(event.target.value) ?? undefined)}
      className={classNames(INPUT, "h-8 w-full", mono && "font-mono text-sm")}
    />
  );
}
