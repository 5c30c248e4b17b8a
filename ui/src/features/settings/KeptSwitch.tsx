import { useId } from "react";
import { Switch } from "../../components";

interface KeptSwitchProps {
  label: string;
  help: string;
  checked: boolean;
  onChange: (on: boolean) => void;
}

/** A setting that holds at once, and that the window keeps by itself. */
export function KeptSwitch({ label, help, checked, onChange }: KeptSwitchProps) {
  const id = useId();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-8 border-t border-line py-3.5">
      <div className="min-w-0">
        <h3 className="font-medium">{label}</h3>
        <p id={id} className="text-sm text-dim text-pretty">
          {help}
        </p>
      </div>
      <div className="pt-0.5">
        <Switch bare label={label} checked={checked} onChange={onChange} aria-describedby={id} />
      </div>
    </div>
  );
}
