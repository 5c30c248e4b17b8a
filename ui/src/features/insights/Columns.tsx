import { scaleBand, scaleLinear } from "d3-scale";
import { stack } from "d3-shape";
import { useId } from "react";
import { Pattern, PATTERNS, type PatternName } from "../../components";
import { usePlot } from "./usePlot";

interface ColumnsProps {
  /** Each column with its parts, the lowest first. */
  columns: { name: string; title: string; parts: number[] }[];
  /** How each part is filled. */
  fills: readonly PatternName[];
  ticks: number[];
  formatTick: (tick: number) => string;
  /** What stands above a column. */
  formatTotal: (total: number) => string;
}

const HEIGHT_REM = 11;

/** Columns over time or rounds, each of one part or of several on top of each other. */
export function Columns({ columns, fills, ticks, formatTick, formatTotal }: ColumnsProps) {
  const { frame, width, rem } = usePlot();
  const id = useId();
  const height = HEIGHT_REM * rem;
  const left = 2.25 * rem;
  const bottom = height - 1.5 * rem;
  const x = scaleBand<number>()
    .domain(columns.map((_, at) => at))
    .range([left, width])
    .padding(columns.length > 30 ? 0.15 : 0.3);
  const y = scaleLinear()
    .domain([0, ticks.at(-1) ?? 1])
    .range([bottom, 1.25 * rem]);
  const band = Math.min(x.bandwidth(), 4 * rem);
  const at = (index: number) => (x(index) ?? 0) + (x.bandwidth() - band) / 2;
  const layers = stack<{ parts: number[] }, number>()
    .keys(fills.map((_, part) => part))
    .value(({ parts }, part) => parts[part] ?? 0)(columns);
  const every = labelEvery(columns.map(({ name }) => name), x.step(), rem);
  const totals = columns.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0));
  return (
    <div ref={frame}>
      <svg width={width} height={height} className="block overflow-visible">
        <defs>
          {PATTERNS.map((name) => (
            <Pattern key={name} name={name} id={id} />
          ))}
        </defs>
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} className={tick === 0 ? "chart-axis" : "chart-grid"} />
            <text x={left - 0.4 * rem} y={y(tick)} dy="0.32em" textAnchor="end" className="chart-text">
              {formatTick(tick)}
            </text>
          </g>
        ))}
        {layers.map((layer, part) =>
          layer.map(([from, to], index) => {
            if (to === from) return null;
            const top = y(to);
            // A line between parts, so that they are told apart without colour.
            const bar = { x: at(index) + 0.5, y: top + 0.5, width: Math.max(band - 1, 1), height: Math.max(y(from) - top - 1, 1) };
            return <rect key={`${part}-${index}`} {...bar} fill={`url(#${id}-${fills[part]})`} className="chart-part" />;
          }),
        )}
        {columns.map(({ name, title }, index) => (
          <g key={title}>
            <rect x={x(index)} y={0} width={x.bandwidth()} height={bottom} fill="transparent">
              <title>{`${title}: ${formatTotal(totals[index] ?? 0)}`}</title>
            </rect>
            {(totals[index] ?? 0) > 0 && x.step() > 1.1 * rem && (
              <text x={at(index) + band / 2} y={y(totals[index] ?? 0) - 0.35 * rem} textAnchor="middle" className="chart-value">
                {formatTotal(totals[index] ?? 0)}
              </text>
            )}
            {index % every === 0 && (
              <text x={at(index) + band / 2} y={height - 0.25 * rem} textAnchor="middle" className="chart-text">
                {name}
              </text>
            )}
          </g>
        ))}
      </svg>
    </div>
  );
}

/** Names stand at every so many columns, so that none touches the next. */
export function labelEvery(names: readonly string[], step: number, rem: number): number {
  const longest = Math.max(1, ...names.map((name) => name.length));
  return Math.max(1, Math.ceil((longest * 0.46 * rem + 0.6 * rem) / step));
}
