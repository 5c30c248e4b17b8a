import * as Radix from "@radix-ui/react-switch";
import { useId } from "react";
import { Tooltip } from "./Tooltip";

interface SwitchProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  tip?: string;
  disabled?: boolean;
  /** Shows the switch alone; the label is still read out. */
  bare?: boolean;
  /** Of what can be focused. */
  id?: string;
  "aria-describedby"?: string;
}

/** Something that is on or off, at once. */
export function Switch({ label, checked, onChange, tip, disabled, bare, ...rest }: SwitchProps) {
  const own = useId();
  const id = rest.id ?? own;
  const control = (
    <Radix.Root
      {...rest}
      id={id}
      aria-label={bare ? label : undefined}
      checked={checked}
      onCheckedChange={onChange}
      disabled={disabled}
      className="switch group relative h-4 w-7 shrink-0 rounded-full bg-control transition-colors aria-checked:bg-accent disabled:opacity-60"
    >
      <Radix.Thumb className="block size-3 translate-x-0.5 rounded-full bg-panel transition-transform group-aria-checked:translate-x-3.5" />
    </Radix.Root>
  );
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      {!bare && (
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
      )}
      {tip ? <Tooltip text={tip}>{control}</Tooltip> : control}
    </span>
  );
}
