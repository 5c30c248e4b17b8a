import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton, TextWithCode } from "../../components";
import { useText } from "../../i18n";

/** A line at the upper edge of what scrolls, while something is scrolled away above it: the first ground moves along and covers the second. */
export const hairline =
  "[background:linear-gradient(var(--panel)_0_0)_top/100%_8px_no-repeat_local,linear-gradient(var(--line)_0_0)_top/100%_1px_no-repeat_scroll]";

/** Title and facts of a pull request, and the way out. */
export function Header(props: { id: string; title: string; onClose: () => void; /** Before the way out. */ actions?: ReactNode; children: ReactNode }) {
  const { id, title, onClose, actions, children } = props;
  const t = useText();
  return (
    <header className="px-4.5 pt-3.5 pb-1.5">
      <div className="flex items-start gap-2">
        <h2 id={id} title={title} className="line-clamp-3 min-w-0 flex-1 text-lg font-semibold wrap-anywhere">
          <TextWithCode text={title} />
        </h2>
        {actions}
        <IconButton label={t("close")} onClick={onClose} className="-mt-0.5 -me-1.5">
          <X aria-hidden className="size-4" />
        </IconButton>
      </div>
      <div className="text-sm text-dim">{children}</div>
    </header>
  );
}

/** Facts in a row, a point between them; where a line breaks the point is cut off with what hangs out on the left. */
export function Facts({ facts }: { facts: ReactNode[] }) {
  return (
    <span className="-m-1 block overflow-hidden p-1">
      <span className="-ms-3.5 flex flex-wrap">
        {facts.map((fact, index) => (
          // Facts are known by their place alone.
          <span key={index} className="relative min-w-0 ps-3.5 wrap-anywhere">
            <span aria-hidden className="absolute start-1.25 text-faint">
              ·
            </span>
            {fact}
          </span>
        ))}
      </span>
    </span>
  );
}
