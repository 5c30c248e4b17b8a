/** Some lines of text as they were written. Long lines scroll, by keyboard too. */
export function Quote({ title, text }: { title: string; text: string }) {
  return (
    <figure>
      <figcaption className="mb-1 text-sm text-dim">{title}</figcaption>
      <pre
        role="region"
        aria-label={title}
        tabIndex={0}
        className="max-h-60 overflow-auto rounded-md border border-line bg-bg px-2 py-1.5 font-mono text-sm"
      >
        {text}
      </pre>
    </figure>
  );
}
