import { lexer, type Token, type Tokens } from "marked";
import { Fragment, useMemo, type ReactNode } from "react";
import { PlainText } from "./PlainText";

/** What is nested deeper is shown as it is written: nobody means it, and a window cannot lay out any depth. */
const MAX_DEPTH = 12;
/** Longer texts are shown as they are written: reading marks that never end takes time that grows with the square of the length. */
const MAX_LENGTH = 10_000;

/**
 * Shows Markdown that others wrote. Nothing of it becomes HTML, loads anything or leads anywhere: of links the words are shown, with the address
 * where it differs; of pictures the description; HTML as it is written.
 */
export default function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => read(text), [text]);
  return tokens ? <div className="flex flex-col gap-2 wrap-anywhere">{blocks(tokens, 0)}</div> : <PlainText text={text} />;
}

/** Null when the text cannot be read as Markdown: it is nested deeper than the stack. */
function read(text: string): Token[] | null {
  if (text.length > MAX_LENGTH) return null;
  try {
    return lexer(text, { gfm: true });
  } catch {
    return null;
  }
}

function blocks(tokens: Token[] | undefined, depth: number): ReactNode {
  return tokens && folded(tokens).map((token, index) => (depth < MAX_DEPTH ? block(token, index, depth + 1) : <PlainText key={index} text={token.raw} />));
}

const OPENING = /^<details>\s*<summary>([^<]*)<\/summary>\s*$/;
const CLOSING = /^<\/details>\s*$/;

/** Puts what stands between `<details>` and its end into one token, by which reviews fold long parts away. What is never closed stays as it is written. */
function folded(tokens: Token[]): Token[] {
  const out: Token[] = [];
  const open: Tokens.Generic[] = [];
  const inner = () => open.at(-1)?.tokens ?? out;
  for (const token of tokens) {
    const summary = token.type === "html" ? OPENING.exec(token.raw)?.[1] : undefined;
    if (summary !== undefined) {
      open.push({ type: "details", raw: token.raw, summary: summary.trim(), opening: token, tokens: [] });
    } else if (token.type === "html" && CLOSING.test(token.raw) && open.length > 0) {
      const done = open.pop() as Tokens.Generic;
      inner().push(done);
    } else {
      inner().push(token);
    }
  }
  return [...out, ...open.flatMap(({ opening, tokens: within }) => [opening as Token, ...(within ?? [])])];
}

function block(token: Token, index: number, depth: number): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
      return <hr key={index} />;
    case "heading":
      return (
        <p key={index} className="font-semibold">
          {inline(token, depth)}
        </p>
      );
    case "code":
      return (
        <pre key={index} tabIndex={0} className="overflow-auto rounded-md border border-line bg-bg px-2 py-1.5 font-mono text-sm">
          {(token as Tokens.Code).text}
        </pre>
      );
    case "blockquote":
      return (
        <blockquote key={index} className="flex flex-col gap-2 border-s-2 border-line ps-3 text-dim">
          {blocks(token.tokens, depth)}
        </blockquote>
      );
    case "list":
      return list(token as Tokens.List, index, depth);
    case "table":
      return table(token as Tokens.Table, index, depth);
    case "details":
      return (
        <details key={index} className="rounded-md border border-line px-2 py-1">
          <summary className="cursor-default">{(token as Tokens.Generic).summary}</summary>
          <div className="flex flex-col gap-2 pt-1">{blocks(token.tokens, depth)}</div>
        </details>
      );
    case "paragraph":
      return <p key={index}>{inline(token, depth)}</p>;
    case "text":
      return <Fragment key={index}>{inline(token, depth)}</Fragment>;
    default:
      return <PlainText key={index} text={token.raw} />;
  }
}

function list(token: Tokens.List, index: number, depth: number): ReactNode {
  const items = token.items.map((item, at) => (
    <li key={at}>
      {item.task && (item.checked ? "☑ " : "☐ ")}
      {blocks(item.tokens.filter((part) => part.type !== "checkbox"), depth)}
    </li>
  ));
  return token.ordered ? (
    <ol key={index} start={token.start === "" ? 1 : token.start} className="list-decimal ps-5 marker:text-faint">
      {items}
    </ol>
  ) : (
    <ul key={index} className="list-disc ps-5 marker:text-faint">
      {items}
    </ul>
  );
}

function table(token: Tokens.Table, index: number, depth: number): ReactNode {
  return (
    <div key={index} tabIndex={0} className="overflow-auto">
      <table className="text-sm [&_td]:border-t [&_td]:border-line [&_td]:py-0.5 [&_td]:pe-3 [&_th]:pe-3 [&_th]:text-start [&_th]:font-semibold">
        <thead>
          <tr>
            {token.header.map((cell, at) => (
              <th key={at} scope="col">
                {inline(cell, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(token: Token | Tokens.TableCell, depth: number): ReactNode {
  if ("tokens" in token && token.tokens) {
    return token.tokens.map((part, index) => (depth < MAX_DEPTH ? span(part, index, depth + 1) : <Fragment key={index}>{part.raw}</Fragment>));
  }
  return "text" in token && typeof token.text === "string" ? token.text : null;
}

function span(token: Token, index: number, depth: number): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong key={index}>{inline(token, depth)}</strong>;
    case "em":
      return <em key={index}>{inline(token, depth)}</em>;
    case "del":
      return <s key={index}>{inline(token, depth)}</s>;
    case "codespan":
      return (
        <code key={index} className="rounded bg-chip px-1 font-mono text-[0.92em]">
          {(token as Tokens.Codespan).text}
        </code>
      );
    case "br":
      return <br key={index} />;
    case "link": {
      const { href, text } = token as Tokens.Link;
      return (
        <Fragment key={index}>
          {inline(token, depth)}
          {text !== href && <span className="text-faint">{` (${href})`}</span>}
        </Fragment>
      );
    }
    case "image":
      return <Fragment key={index}>{(token as Tokens.Image).text}</Fragment>;
    case "text":
    case "escape":
      return <Fragment key={index}>{inline(token, depth)}</Fragment>;
    default:
      return <Fragment key={index}>{token.raw}</Fragment>;
  }
}
