import type { ComponentProps } from "react";
import { classNames } from "./class-names";
import { Tooltip } from "./Tooltip";

interface IconButtonProps extends Omit<ComponentProps<"button">, "aria-label"> {
  /** What it does; shown as a tooltip too. */
  label: string;
}

/** A button with a picture on it. */
export function IconButton({ label, className, children, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        className={classNames(
          "inline-grid size-7 shrink-0 place-items-center rounded-md text-dim enabled:hover:bg-hover enabled:hover:text-text disabled:opacity-60",
          className,
        )}
        {...rest}
      >
        {children}
      </button>
    </Tooltip>
  );
}
