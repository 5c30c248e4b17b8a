import { useId, type ComponentProps } from "react";
import { classNames } from "./class-names";

interface ComboboxProps extends Omit<ComponentProps<"input">, "onChange" | "value" | "list" | "type"> {
  label: string;
  value: string;
  /** What is offered; anything else can be typed. */
  options: readonly { value: string; label?: string }[];
  onChange: (value: string) => void;
  /** Hides the label; it is still read out. */
  bare?: boolean;
}

/** A line to write, with what is offered for it. The system's own list: it finds what is typed among hundreds, and works with every keyboard and screen reader. */
export function Combobox({ label, value, options, onChange, bare, className, ...rest }: ComboboxProps) {
  const own = useId();
  const id = rest.id ?? own;
  return (
    <div className={classNames("flex min-w-0 flex-col gap-1", className)}>
      <label htmlFor={id} className={bare ? "sr-only" : "font-medium"}>
        {label}
      </label>
      <input
        spellCheck={false}
        autoComplete="off"
        {...rest}
        id={id}
        value={value}
        list={`${id}-options`}
        onChange={(event) => onChange(event.target.value)}
        className="h-8 w-full min-w-0 rounded-md border border-control bg-panel px-2.5 aria-invalid:border-bad disabled:opacity-60"
      />
      <datalist id={`${id}-options`}>
        {options.map((option) => (
          <option key={option.value} value={option.value} label={option.label} />
        ))}
      </datalist>
    </div>
  );
}
