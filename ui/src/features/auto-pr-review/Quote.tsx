import { useState } from "react";
import { ShowMore } from "./ShowMore";

/** So many lines are shown before the rest is asked for: nothing scrolls within what scrolls. */
const MAX_LINES = 24;

/** Some lines of text as they were written. Long lines wrap. */
export function Quote({ title, text }: { title: string; text: string }) {
  const [all, setAll] = useState(false);
  const lines = text.split("\n");
  const shown = all ? lines : lines.slice(0, MAX_LINES);
  return (
    <figure>
      <figcaption className="mb-1 text-sm text-dim">{title}</figcaption>
      <pre
        role="region"
        aria-label={title}
        className="rounded-md border border-line bg-bg px-2 py-1.5 font-mono text-sm wrap-anywhere whitespace-pre-wrap"
      >
        {shown.join("\n")}
      </pre>
      <ShowMore open={all && lines.length > MAX_LINES} count={lines.length - shown.length} onToggle={() => setAll(!all)} />
    </figure>
  );
}
