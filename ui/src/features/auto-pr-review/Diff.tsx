import { useId, type ReactNode } from "react";
import { classNames, VisuallyHidden } from "../../components";
import type { DiffLine, DiffLineKind } from "../../generated/wire";
import { useText } from "../../i18n";

const grounds: Record<DiffLineKind, string | undefined> = { context: undefined, added: "bg-add", removed: "bg-del", gap: undefined };
const signs: Record<DiffLineKind, string | undefined> = { context: undefined, added: "+", removed: "−", gap: undefined };

/** Some lines of a diff with their numbers. Long lines wrap: nothing scrolls within what scrolls. */
export function Diff({ title, lines, action }: { title: string; lines: DiffLine[]; action?: ReactNode }) {
  const t = useText();
  const id = useId();
  return (
    <figure>
      <figcaption id={id} className="mb-1 flex min-h-6 items-center justify-between gap-2 text-sm text-dim">
        {title}
        {action}
      </figcaption>
      <div role="region" aria-labelledby={id} className="overflow-hidden rounded-md border border-line bg-bg">
        <table className="w-full border-collapse font-mono text-sm">
          <caption className="sr-only">{title}</caption>
          <thead className="sr-only">
            <tr>
              <th scope="col">{t("review-diff-old")}</th>
              <th scope="col">{t("review-diff-new")}</th>
              <th scope="col">{t("review-diff-text")}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line, index) => (
              // Lines are known by their place alone.
              <DiffRow key={index} line={line} />
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function DiffRow({ line }: { line: DiffLine }) {
  const t = useText();
  if (line.kind === "gap") {
    return (
      <tr className="bg-chip text-faint">
        <td colSpan={3} className="px-2 leading-4 select-none">
          <span aria-hidden>⋯</span>
          <VisuallyHidden>{t("review-diff-gap")}</VisuallyHidden>
        </td>
      </tr>
    );
  }
  const sign = signs[line.kind];
  const number = classNames(
    "w-px px-1.5 text-end align-top text-dim select-none",
    line.marked && "text-text shadow-[inset_2px_0_0_var(--accent)] first:font-semibold",
  );
  return (
    <tr className={classNames(grounds[line.kind], line.marked && "font-medium")}>
      <td className={number}>{line.old}</td>
      <td className={classNames("w-px px-1.5 text-end align-top select-none", line.marked ? "text-text" : "text-dim")}>{line.new}</td>
      <td className="ps-4 pe-2.5 -indent-4 align-top wrap-anywhere whitespace-pre-wrap [tab-size:4]">
        {sign !== undefined && <VisuallyHidden>{`${t(`review-diff-${line.kind}`)} `}</VisuallyHidden>}
        {line.marked && <VisuallyHidden>{`${t("review-diff-marked")} `}</VisuallyHidden>}
        <span aria-hidden className="inline-block w-4 indent-0 text-center text-dim select-none">
          {sign}
        </span>
        {line.text}
      </td>
    </tr>
  );
}
