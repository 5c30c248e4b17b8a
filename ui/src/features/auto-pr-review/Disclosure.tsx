import { ChevronRight } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import { classNames } from "../../components";

/** A line that opens what it tells of. */
export function Disclosure(props: { icon?: ReactNode; title: ReactNode; aside?: ReactNode; defaultOpen?: boolean; children: ReactNode }) {
  const { icon, title, aside, defaultOpen = false, children } = props;
  const [open, setOpen] = useState(defaultOpen);
  const body = useId();
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? body : undefined}
        className="grid min-h-7 w-full grid-cols-[1.125rem_minmax(0,1fr)_auto_0.875rem] items-start gap-x-1.5 rounded py-1 text-start outline-offset-1 hover:bg-hover [&>svg]:mt-0.75"
        onClick={() => setOpen(!open)}
      >
        {icon ?? <span aria-hidden />}
        <span className="min-w-0 wrap-anywhere">{title}</span>
        <span className="max-w-56 text-end text-sm leading-5 text-dim tabular-nums">{aside}</span>
        <ChevronRight aria-hidden className={classNames("size-3.5 text-faint transition-transform motion-reduce:transition-none", open && "rotate-90")} />
      </button>
      {open && (
        <div id={body} className="ps-6 pb-2">
          {children}
        </div>
      )}
    </li>
  );
}
