/** Keys to press, one after the other or together. */
export function KeyboardKeys({ keys }: { keys: string[] }) {
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="inline-grid h-5 min-w-5 place-items-center rounded border border-line bg-panel px-1 font-sans text-xs font-medium text-dim"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
