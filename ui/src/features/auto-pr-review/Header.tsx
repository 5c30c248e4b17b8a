import { X } from "lucide-react";
import type { ReactNode, Ref } from "react";
import { IconButton } from "../../components";
import { useText } from "../../i18n";

/** Title and facts of a pull request, and the way out. */
export function Header(props: { id: string; title: string; onClose: () => void; children: ReactNode; titleRef?: Ref<HTMLHeadingElement> }) {
  const { id, title, onClose, children, titleRef } = props;
  const t = useText();
  return (
    <header className="px-[18px] pt-3.5">
      <div className="flex items-start gap-2">
        <h2 id={id} ref={titleRef} tabIndex={-1} title={title} className="line-clamp-3 min-w-0 flex-1 text-lg font-semibold wrap-anywhere outline-none">
          {title}
        </h2>
        <IconButton label={t("close")} onClick={onClose} className="-mt-0.5 -mr-1.5">
          <X aria-hidden className="size-4" />
        </IconButton>
      </div>
      <p className="flex flex-wrap gap-x-1.5 text-sm wrap-anywhere text-dim tabular-nums">{children}</p>
    </header>
  );
}

/** Facts in a row, a point between them. */
export function Facts({ facts }: { facts: ReactNode[] }) {
  return facts.map((fact, index) => (
    // Facts are known by their place alone.
    <span key={index} className="flex min-w-0 gap-1.5">
      {index > 0 && (
        <span aria-hidden className="text-faint">
          ·
        </span>
      )}
      <span className="min-w-0">{fact}</span>
    </span>
  ));
}
