import { Check } from "lucide-react";
import { classNames } from "../../components";

interface SelectBoxProps {
  label: string;
  selected: boolean;
  onChange: () => void;
  className?: string;
}

/** Chooses a line for what is done to several; it shows while the pointer or the focus is on the line, or something is chosen. */
export function SelectBox({ label, selected, onChange, className }: SelectBoxProps) {
  return (
    <span role="gridcell" className={classNames("grid", className)}>
      <button
        type="button"
        role="checkbox"
        aria-checked={selected}
        aria-label={label}
        // By keyboard it is `x`, or Shift and space, on the line.
        tabIndex={-1}
        onClick={(event) => {
          event.stopPropagation();
          onChange();
        }}
        className={classNames(
          "relative grid size-4 place-items-center rounded border after:absolute after:-inset-1",
          selected
            ? "border-accent bg-accent"
            : "border-control bg-panel opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 group-focus:opacity-100 group-data-selecting/list:opacity-100",
        )}
      >
        {selected && <Check aria-hidden className="size-3 text-on-accent" strokeWidth={3} />}
      </button>
    </span>
  );
}
