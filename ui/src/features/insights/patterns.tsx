/** How a part is filled: told apart by its texture, not by colour alone. */
export const PATTERNS = ["solid", "hatched", "dotted", "empty"] as const;
export type PatternName = (typeof PATTERNS)[number];

/** A texture for SVG, under `ID-NAME`. */
export function Pattern({ name, id }: { name: PatternName; id: string }) {
  return (
    <pattern id={`${id}-${name}`} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform={name === "hatched" ? "rotate(45)" : undefined}>
      <rect width="6" height="6" className={name === "solid" ? "chart-mark" : "chart-ground"} />
      {name === "hatched" && <rect width="3" height="6" className="chart-mark" />}
      {name === "dotted" && <circle cx="3" cy="3" r="1.3" className="chart-mark" />}
    </pattern>
  );
}

/** What each texture stands for. */
export function Legend({ entries }: { entries: readonly { fill: PatternName; name: string }[] }) {
  return (
    <ul className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-sm text-dim">
      {entries.map(({ fill, name }) => (
        <li key={fill} className="flex items-center gap-1.5">
          <svg width="14" height="14" className="shrink-0">
            <defs>
              <Pattern name={fill} id={`legend-${fill}`} />
            </defs>
            <rect x="0.5" y="0.5" width="13" height="13" fill={`url(#legend-${fill}-${fill})`} className="chart-part" />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}
