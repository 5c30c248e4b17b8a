import { Fragment } from "react";

/** A line as GitHub shows it: what stands between backticks is code. */
export function TextWithCode({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, index) =>
    index % 2 === 0 ? (
      // Parts have nothing but their place.
      <Fragment key={index}>{part}</Fragment>
    ) : (
      <code key={index} className="rounded bg-chip px-0.75 font-mono text-[0.92em] leading-none text-inherit">
        {part}
      </code>
    ),
  );
}
