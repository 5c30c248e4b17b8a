import type { ComponentProps } from "react";
import { classNames } from "./class-names";
import { Spinner } from "./Spinner";

const VARIANT = {
  plain: "border-line bg-panel text-text enabled:hover:bg-hover",
  primary: "border-transparent bg-text text-bg enabled:hover:opacity-90",
  danger: "border-line bg-panel text-bad enabled:hover:bg-bad-bg",
};

const SIZE = { small: "h-6 px-2 text-sm", normal: "h-8 px-3" };

interface ButtonProps extends ComponentProps<"button"> {
  variant?: keyof typeof VARIANT;
  size?: keyof typeof SIZE;
  /** Shows that it is at work; it keeps its width and cannot be pressed again. */
  busy?: boolean;
}

/** A button with words on it. */
export function Button({ variant = "plain", size = "normal", busy = false, className, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      aria-busy={busy || undefined}
      disabled={disabled || busy}
      className={classNames(
        "relative inline-flex shrink-0 items-center justify-center rounded-[7px] border font-medium whitespace-nowrap",
        "disabled:opacity-60",
        VARIANT[variant],
        SIZE[size],
        className,
      )}
      {...rest}
    >
      <span className={classNames("inline-flex items-center gap-2", busy && "opacity-0")}>{children}</span>
      {busy && (
        <span className="absolute inset-0 grid place-items-center">
          <Spinner />
        </span>
      )}
    </button>
  );
}
