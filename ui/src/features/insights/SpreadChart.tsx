import { scaleLinear, scalePoint } from "d3-scale";
import { area, line } from "d3-shape";
import type { SpreadView } from "../../generated/wire";
import { labelEvery } from "./Columns";
import { usePlot } from "./usePlot";

interface SpreadChartProps {
  points: { name: string; title: string; spread: SpreadView | null }[];
  ticks: number[];
  formatTick: (tick: number) => string;
  formatSpread: (spread: SpreadView) => string;
}

type Point = { at: number; spread: SpreadView | null };
type Shown = { at: number; spread: SpreadView };
const HEIGHT_REM = 11;

/** Medians over time as dots on a line, and the middle half around each as an upright one. */
export function SpreadChart({ points, ticks, formatTick, formatSpread }: SpreadChartProps) {
  const { frame, width, rem } = usePlot();
  const height = HEIGHT_REM * rem;
  const left = 3.5 * rem;
  const bottom = height - 1.5 * rem;
  const x = scalePoint<number>()
    .domain(points.map((_, at) => at))
    .range([left, width])
    .padding(0.5);
  const y = scaleLinear()
    .domain([0, ticks.at(-1) ?? 1])
    .range([bottom, 0.5 * rem]);
  const all = points.map(({ spread }, at): Point => ({ at, spread }));
  const shown = all.filter((one): one is Shown => one.spread !== null);
  const place = ({ at }: Point) => x(at) ?? 0;
  // Nothing is drawn across a time of which nothing is known.
  const isKnown = ({ spread }: Point) => spread !== null;
  const medians = line<Point>()
    .defined(isKnown)
    .x(place)
    .y(({ spread }) => y(spread?.median_ms ?? 0));
  const middle = area<Point>()
    .defined(isKnown)
    .x(place)
    .y0(({ spread }) => y(spread?.lower_ms ?? 0))
    .y1(({ spread }) => y(spread?.upper_ms ?? 0));
  const every = labelEvery(points.map(({ name }) => name), x.step(), rem);
  return (
    <div ref={frame}>
      <svg width={width} height={height} className="block overflow-visible">
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} className={tick === 0 ? "chart-axis" : "chart-grid"} />
            <text x={left - 0.4 * rem} y={y(tick)} dy="0.32em" textAnchor="end" className="chart-text">
              {formatTick(tick)}
            </text>
          </g>
        ))}
        <path d={middle(all) ?? ""} className="chart-area" />
        <path d={medians(all) ?? ""} className="chart-line" />
        {shown.map((one) => (
          <g key={one.at}>
            <line x1={place(one)} x2={place(one)} y1={y(one.spread.lower_ms)} y2={y(one.spread.upper_ms)} className="chart-whisker" />
            <circle cx={place(one)} cy={y(one.spread.median_ms)} r={3.5} className="chart-dot" />
            <rect x={place(one) - x.step() / 2} y={0} width={x.step()} height={bottom} fill="transparent">
              <title>{`${points[one.at]?.title}: ${formatSpread(one.spread)}`}</title>
            </rect>
          </g>
        ))}
        {points.map(({ name, title }, at) =>
          at % every === 0 ? (
            <text key={title} x={x(at)} y={height - 0.25 * rem} textAnchor="middle" className="chart-text">
              {name}
            </text>
          ) : null,
        )}
      </svg>
    </div>
  );
}
