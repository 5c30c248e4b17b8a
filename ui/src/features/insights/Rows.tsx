import { scaleLinear } from "d3-scale";
import { usePlot } from "./usePlot";

interface RowsProps {
  rows: { name: string; value: number; text: string }[];
  /** What the whole width stands for; else the largest value. */
  full?: number;
}

const ROW_REM = 2.6;

/** Bars that lie, each under its name and beside its value. */
export function Rows({ rows, full }: RowsProps) {
  const { frame, width, rem } = usePlot();
  const largest = full ?? Math.max(...rows.map(({ value }) => value), 1e-9);
  const x = scaleLinear().domain([0, largest]).range([0, width]);
  const room = Math.floor(width / (0.5 * rem));
  return (
    <div ref={frame}>
      <svg width={width} height={rows.length * ROW_REM * rem} className="block overflow-visible">
        {rows.map(({ name, value, text }, at) => {
          const top = at * ROW_REM * rem;
          return (
            <g key={name}>
              <title>{`${name}: ${text}`}</title>
              <text x={0} y={top + rem} className="chart-name">
                {shortened(name, room - text.length - 2)}
              </text>
              <text x={width} y={top + rem} textAnchor="end" className="chart-value">
                {text}
              </text>
              <rect x={0} y={top + 1.4 * rem} width={width} height={0.5 * rem} rx={0.25 * rem} className="chart-track" />
              {value > 0 && <rect x={0} y={top + 1.4 * rem} width={Math.max(x(value), 2)} height={0.5 * rem} rx={0.25 * rem} className="chart-mark" />}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** A name that fits: its middle is left out, since both ends tell names apart. */
function shortened(name: string, room: number): string {
  if (name.length <= room || room < 6) return name;
  const half = Math.floor((room - 1) / 2);
  return `${name.slice(0, half)}…${name.slice(-half)}`;
}
