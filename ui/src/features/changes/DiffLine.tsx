import { memo } from "react";
import { classNames, VisuallyHidden } from "../../components";
import { useText } from "../../i18n";
import { paint, wordMarks, type Token } from "./paint";
import type { DiffRow, Layout, SideLine } from "./rows";

type LineRow = Extract<DiffRow, { kind: "line" }>;

const GROUND = { "+": "bg-add", "-": "bg-del", " ": "" };
const WORD = { "+": "bg-add-word", "-": "bg-del-word", " ": "" };
const SIGN = { "+": "+", "-": "−", " ": "" };
const SAID = { "+": "review-diff-added", "-": "review-diff-removed", " ": null } as const;

/** The widths of its columns, which an estimate of the height goes by: numbers, sign, and what is left for the text. */
export const NUMBER_REM = 2.5;
export const SIGN_REM = 1;
export const TEXT_PADDING_REM = 0.625;

interface DiffLineProps {
  row: LineRow;
  layout: Layout;
  oldTokens: Token[] | null;
  newTokens: Token[] | null;
}

/** A line of the diff; of a split one, both sides. */
export const DiffLine = memo(function DiffLine({ row, layout, oldTokens, newTokens }: DiffLineProps) {
  if (layout === "split") {
    return (
      <div className="grid min-h-4.5 grid-cols-2">
        <Side line={row.old} tokens={oldTokens} />
        <Side line={row.new} tokens={newTokens} />
      </div>
    );
  }
  const line = row.new ?? row.old;
  if (line === null) return null;
  return (
    <div className={classNames("flex min-h-4.5", GROUND[line.sign])}>
      <Number value={row.old?.number} />
      <Number value={row.new?.number} />
      <Text line={line} tokens={row.new === null ? oldTokens : newTokens} />
    </div>
  );
});

function Side({ line, tokens }: { line: SideLine | null; tokens: Token[] | null }) {
  if (line === null) return <div role="cell" className="border-line bg-chip/50 not-first:border-s" />;
  return (
    <div role="none" className={classNames("flex min-w-0 border-line not-first:border-s", GROUND[line.sign])}>
      <Number value={line.number} />
      <Text line={line} tokens={tokens} />
    </div>
  );
}

function Number({ value }: { value: number | undefined }) {
  return (
    <span role="cell" className="w-10 shrink-0 pe-1.5 text-end text-dim select-none">
      {value}
    </span>
  );
}

function Text({ line, tokens }: { line: SideLine; tokens: Token[] | null }) {
  const t = useText();
  const marks = line.other === null ? [] : wordMarks(line.text, line.other);
  const said = SAID[line.sign];
  return (
    <span role="cell" className="flex min-w-0 flex-1 pe-2.5">
      {said !== null && <VisuallyHidden>{`${t(said)} `}</VisuallyHidden>}
      <span aria-hidden className="w-4 shrink-0 text-center text-dim select-none">
        {SIGN[line.sign]}
      </span>
      <code className="min-w-0 flex-1 font-[inherit] wrap-anywhere whitespace-pre-wrap [tab-size:4]">
        {paint(line.text, tokens, marks).map(({ text, kind, marked }, index) => {
          // Pieces are known by their place alone.
          if (kind === null && !marked) return text;
          return (
            <span key={index} className={classNames(kind, marked && classNames("rounded-[2px]", WORD[line.sign]))}>
              {text}
            </span>
          );
        })}
        {line.unended && <span className="ms-2 rounded bg-chip px-1 text-xs text-dim select-none">{t("review-changes-no-line-end")}</span>}
      </code>
    </span>
  );
}
