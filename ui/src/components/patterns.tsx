import { useId } from "react";
import { classNames } from "./class-names";

/** How a part is filled: told apart by its texture, not by colour alone. */
export const PATTERNS = ["solid", "hatched", "dotted", "empty"] as const;
export type PatternName = (typeof PATTERNS)[number];

/** A texture for SVG, under `ID-NAME`; in a colour of its own where it bears a `tint`. */
export function Pattern({ name, id, tint }: { name: PatternName; id: string; tint?: string }) {
  return (
    <pattern id={`${id}-${name}`} className={tint} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform={name === "hatched" ? "rotate(45)" : undefined}>
      <rect width="6" height="6" className={name === "solid" ? "chart-mark" : "chart-ground"} />
      {name === "hatched" && <rect width="3" height="6" className="chart-mark" />}
      {name === "dotted" && <circle cx="3" cy="3" r="1.3" className="chart-mark" />}
    </pattern>
  );
}

/** A piece of a texture, for a legend. */
export function Swatch({ fill, tint }: { fill: PatternName; tint?: string }) {
  const id = useId();
  return (
    <svg viewBox="0 0 14 14" className="size-3.5 shrink-0">
      <defs>
        <Pattern name={fill} id={id} tint={tint} />
      </defs>
      <rect x="0.5" y="0.5" width="13" height="13" fill={`url(#${id}-${fill})`} className={classNames("chart-part", tint)} />
    </svg>
  );
}

/** What each texture stands for. */
export function Legend({ entries }: { entries: readonly { fill: PatternName; name: string }[] }) {
  return (
    <ul className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-sm text-dim">
      {entries.map(({ fill, name }) => (
        <li key={fill} className="flex items-center gap-1.5">
          <Swatch fill={fill} />
          {name}
        </li>
      ))}
    </ul>
  );
}
