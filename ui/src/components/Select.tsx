import { ChevronDown } from "lucide-react";
import { useId } from "react";
import { classNames } from "./class-names";

interface SelectProps<V extends string> {
  label: string;
  value: V;
  options: readonly { value: V; label: string }[];
  onChange: (value: V) => void;
  /** Hides the label; it is still read out. */
  bare?: boolean;
  disabled?: boolean;
  /** Of what can be focused. */
  id?: string;
  invalid?: boolean;
  "aria-describedby"?: string;
  className?: string;
}

/** One of several. The system's own list: it needs no script, and works with every keyboard and screen reader. */
export function Select<V extends string>({ label, value, options, onChange, bare, disabled, invalid, className, ...rest }: SelectProps<V>) {
  const own = useId();
  const id = rest.id ?? own;
  return (
    <div className={classNames("flex min-w-0 flex-col gap-1", className)}>
      <label htmlFor={id} className={bare ? "sr-only" : "font-medium"}>
        {label}
      </label>
      <span className="relative inline-flex">
        <select
          id={id}
          value={value}
          disabled={disabled}
          aria-invalid={invalid || undefined}
          aria-describedby={rest["aria-describedby"]}
          onChange={(event) => {
            const chosen = options.find((option) => option.value === event.target.value);
            if (chosen) onChange(chosen.value);
          }}
          className="h-8 w-full appearance-none rounded-md border border-control bg-panel ps-2.5 pe-8 text-ellipsis aria-invalid:border-bad disabled:opacity-60"
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <ChevronDown aria-hidden className="pointer-events-none absolute end-2 top-2 size-4 text-faint" />
      </span>
    </div>
  );
}
