import { lexer, type Token, type Tokens } from "marked";
import { Fragment, useMemo, type ReactNode } from "react";

/**
 * Shows Markdown that others wrote. Nothing of it becomes HTML, loads anything or leads anywhere: of links the words are shown, with the address
 * where it differs; of pictures the description; HTML as it is written.
 */
export default function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => lexer(text, { gfm: true }), [text]);
  return <div className="flex flex-col gap-2 wrap-anywhere">{tokens.map(block)}</div>;
}

function block(token: Token, index: number): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
      return <hr key={index} />;
    case "heading":
      return (
        <p key={index} className="font-semibold">
          {inline(token)}
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
        <blockquote key={index} className="flex flex-col gap-2 border-l-2 border-line pl-3 text-dim">
          {token.tokens?.map(block)}
        </blockquote>
      );
    case "list":
      return list(token as Tokens.List, index);
    case "table":
      return table(token as Tokens.Table, index);
    case "paragraph":
      return <p key={index}>{inline(token)}</p>;
    case "text":
      return <Fragment key={index}>{inline(token)}</Fragment>;
    default:
      return (
        <p key={index} className="whitespace-pre-wrap">
          {token.raw}
        </p>
      );
  }
}

function list(token: Tokens.List, index: number): ReactNode {
  const items = token.items.map((item, at) => (
    <li key={at}>
      {item.task && (item.checked ? "☑ " : "☐ ")}
      {item.tokens.filter((part) => part.type !== "checkbox").map(block)}
    </li>
  ));
  return token.ordered ? (
    <ol key={index} start={token.start === "" ? 1 : token.start} className="list-decimal pl-5 marker:text-faint">
      {items}
    </ol>
  ) : (
    <ul key={index} className="list-disc pl-5 marker:text-faint">
      {items}
    </ul>
  );
}

function table(token: Tokens.Table, index: number): ReactNode {
  return (
    <div key={index} tabIndex={0} className="overflow-auto">
      <table className="text-sm [&_td]:border-t [&_td]:border-line [&_td]:py-0.5 [&_td]:pr-3 [&_th]:pr-3 [&_th]:text-left [&_th]:font-semibold">
        <thead>
          <tr>
            {token.header.map((cell, at) => (
              <th key={at} scope="col">
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(token: Token | Tokens.TableCell): ReactNode {
  if ("tokens" in token && token.tokens) return token.tokens.map(span);
  return "text" in token && typeof token.text === "string" ? token.text : null;
}

function span(token: Token, index: number): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong key={index}>{inline(token)}</strong>;
    case "em":
      return <em key={index}>{inline(token)}</em>;
    case "del":
      return <s key={index}>{inline(token)}</s>;
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
          {inline(token)}
          {text !== href && <span className="text-faint">{` (${href})`}</span>}
        </Fragment>
      );
    }
    case "image":
      return <Fragment key={index}>{(token as Tokens.Image).text}</Fragment>;
    case "text":
    case "escape":
      return <Fragment key={index}>{inline(token)}</Fragment>;
    default:
      return <Fragment key={index}>{token.raw}</Fragment>;
  }
}
