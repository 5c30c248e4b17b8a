import { useId, type ComponentProps } from "react";
import { classNames } from "./class-names";

interface TextFieldProps extends Omit<ComponentProps<"input">, "onChange" | "value"> {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** What is wrong with the value. */
  problem?: string | null;
  /** Hides the label; it is still read out. */
  bare?: boolean;
}

/** A line of text to write. */
export function TextField({ label, value, onChange, problem, bare, className, type = "text", ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <div className={classNames("flex min-w-0 flex-col gap-1", className)}>
      <label htmlFor={id} className={bare ? "sr-only" : "font-medium"}>
        {label}
      </label>
      <input
        id={id}
        type={type}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? `${id}-problem` : undefined}
        spellCheck={false}
        autoComplete="off"
        className="h-8 w-full min-w-0 rounded-md border border-control bg-panel px-2.5 aria-invalid:border-bad disabled:opacity-60"
        {...rest}
      />
      {problem && (
        <p id={`${id}-problem`} className="text-sm text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}
