import * as Radix from "@radix-ui/react-checkbox";
import { Check } from "lucide-react";
import { useId } from "react";
import { TextWithCode } from "./TextWithCode";

interface CheckboxProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  /** A second line, read out as its description. */
  help?: string;
}

/** Something that is chosen or not. */
export function Checkbox({ label, checked, onChange, disabled, help }: CheckboxProps) {
  const id = useId();
  return (
    <span className="flex items-start gap-2">
      <Radix.Root
        id={id}
        checked={checked}
        onCheckedChange={(now) => onChange(now === true)}
        disabled={disabled}
        aria-describedby={help ? `${id}-help` : undefined}
        className="mt-0.5 grid size-4 shrink-0 place-items-center rounded border border-control bg-panel data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-60"
      >
        <Radix.Indicator>
          <Check aria-hidden className="size-3 text-on-accent" strokeWidth={3} />
        </Radix.Indicator>
      </Radix.Root>
      <span className="min-w-0">
        <label htmlFor={id} className="block">
          <TextWithCode text={label} />
        </label>
        {help && (
          <span id={`${id}-help`} className="block text-sm text-faint">
            {help}
          </span>
        )}
      </span>
    </span>
  );
}
