import { ChevronDown, ChevronUp } from "lucide-react";
import { useText } from "../../i18n";

/** Shows the rest of a long list, or all of it anew when a total is given; or folds it again. Nothing when there is no rest. */
export function ShowMore(props: { open: boolean; count: number; total?: number; onToggle: () => void }) {
  const { open, count, total, onToggle } = props;
  const t = useText();
  if (!open && count <= 0) return null;
  const Arrow = open ? ChevronUp : ChevronDown;
  return (
    <button
      type="button"
      aria-expanded={open}
      className="mt-0.5 flex items-center gap-1.5 rounded-sm py-0.5 text-sm text-dim hover:text-text"
      onClick={onToggle}
    >
      <span className="flex w-4.5 shrink-0">
        <Arrow aria-hidden className="size-3.5" />
      </span>
      {open ? t("review-fold") : total === undefined ? t("review-unfold", { count }) : t("review-unfold-all", { count: total })}
    </button>
  );
}
