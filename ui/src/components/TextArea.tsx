import { useId, type ComponentProps } from "react";

interface TextAreaProps extends Omit<ComponentProps<"textarea">, "onChange" | "value"> {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** Some lines of text to write. */
export function TextArea({ label, value, onChange, rows = 3, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <textarea
        id={id}
        rows={rows}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="w-full min-w-0 resize-y rounded-md border border-control bg-panel px-2.5 py-1.5"
        {...rest}
      />
    </div>
  );
}
