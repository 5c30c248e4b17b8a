import { useId } from "react";
import { classNames, Pattern, Section, Swatch } from "../../components";
import type { LoopView, RoundView } from "../../generated/wire";
import { formatCost, formatNumber, useLanguage, useText, type Language, type Translate } from "../../i18n";

/** In sixteenths of the size of text (a pixel as a rule), so that the chart grows with it. */
const PER_REM = 16;
const HEIGHT = 56;
const WIDTH = 34;
const GAP = 10;
/** Room for a number above, and one below. */
const LABEL_ABOVE = 16;
const LABEL_BELOW = 16;
const TEXT_SIZE = 11;
/** A finding is at most so high: one is no tower. */
const MAX_UNIT = 8;
/** What is there can be seen, however little it is beside the others. */
const MIN_HEIGHT = 2;

/** What each priority is drawn as: told apart by texture, and by colour. */
const series = [
  { priority: "p0", fill: "solid", tint: "chart-p0" },
  { priority: "p1", fill: "hatched", tint: "chart-p1" },
  { priority: "p2", fill: "dotted", tint: "chart-p2" },
  { priority: "p3", fill: "empty", tint: "chart-p3" },
] as const;

const sum = (round: RoundView) => round.p0 + round.p1 + round.p2 + round.p3;

/** What each round came to, as a small chart with a table behind it, and what it took. */
export function Rounds({ loop }: { loop: LoopView }) {
  const t = useText();
  const language = useLanguage();
  const { rounds, usage, usage_all_runs } = loop;
  const all = usage_all_runs ?? usage;
  const spent = all.input_tokens + all.output_tokens > 0;
  if (rounds.length === 0 && !spent) return null;
  return (
    <Section title={t("review-rounds")} aside={spent ? spentText(t, language, loop) : undefined}>
      <RoundsBody loop={loop} />
    </Section>
  );
}

/** The chart with its table, and what earlier runs took. */
export function RoundsBody({ loop }: { loop: LoopView }) {
  const t = useText();
  const language = useLanguage();
  const { usage_all_runs } = loop;
  const rounds = countedRounds(loop);
  return (
    <>
      {usage_all_runs === null ? null : (
        <p className="text-xs text-dim">{t("review-all-runs", { spent: spentText(t, language, { usage: usage_all_runs }) })}</p>
      )}
      {rounds.length === 0 ? (
        <p className="text-dim">{t("review-rounds-none")}</p>
      ) : (
        <>
          {rounds.length > 1 ? <Chart rounds={rounds} /> : <p aria-hidden className="text-dim">{rounds.map((round) => roundText(t, round))}</p>}
          <RoundsTable rounds={rounds} />
        </>
      )}
    </>
  );
}

function Chart({ rounds }: { rounds: CountedRound[] }) {
  const t = useText();
  const id = useId();
  const most = Math.max(1, ...rounds.map(sum));
  const unit = Math.min(MAX_UNIT, HEIGHT / most);
  const tallest = Math.max(...rounds.map((round) => heights(round, unit).reduce((all, one) => all + one, 0)));
  const base = LABEL_ABOVE + Math.max(tallest, 1);
  const width = rounds.length * (WIDTH + GAP) - GAP;
  return (
    <div className="flex items-end gap-4">
      <svg aria-hidden viewBox={`0 0 ${width} ${base + LABEL_BELOW}`} style={{ width: `${width / PER_REM}rem`, maxWidth: "100%" }} className="shrink overflow-visible">
        <defs>
          {series.map(({ fill, tint }) => (
            <Pattern key={fill} name={fill} id={id} tint={tint} />
          ))}
        </defs>
        {rounds.map((round, index) => (
          <Column key={round.iteration} round={round} x={index * (WIDTH + GAP)} base={base} unit={unit} patterns={id} />
        ))}
      </svg>
      <ul aria-hidden className="flex flex-col pb-4 text-xs text-dim">
        {series
          .filter(({ priority }) => rounds.some((round) => round[priority] > 0))
          .map(({ priority, fill, tint }) => (
            <li key={priority} className="flex items-center gap-1.5">
              <Swatch fill={fill} tint={tint} />
              {t(`review-priority-${priority}`)}
            </li>
          ))}
      </ul>
    </div>
  );
}

function heights(round: RoundView, unit: number): number[] {
  return series.map(({ priority }) => (round[priority] === 0 ? 0 : Math.max(MIN_HEIGHT, round[priority] * unit)));
}

function Column({ round, x, base, unit, patterns }: { round: CountedRound; x: number; base: number; unit: number; patterns: string }) {
  const t = useText();
  const each = heights(round, unit);
  const top = base - each.reduce((all, one) => all + one, 0);
  let y = base;
  return (
    <g>
      <title>{roundText(t, round)}</title>
      <line x1={x} x2={x + WIDTH} y1={base + 0.5} y2={base + 0.5} className="stroke-line" />
      {series.map(({ priority, fill, tint }, index) => {
        const height = each[index] ?? 0;
        y -= height;
        const bar = { x: x + 0.5, y: y + 0.5, width: WIDTH - 1, height: Math.max(0.5, height - 2) };
        return height > 0 && <rect key={priority} {...bar} fill={`url(#${patterns}-${fill})`} className={classNames("chart-part", tint)} />;
      })}
      <text x={x + WIDTH / 2} y={top - 4} textAnchor="middle" fontSize={TEXT_SIZE} className="fill-dim">
        {sum(round)}
      </text>
      <text x={x + WIDTH / 2} y={base + 13} textAnchor="middle" fontSize={TEXT_SIZE} className="fill-faint">
        {round.iteration}
      </text>
    </g>
  );
}

/** A round with how many of what it fixed no review has confirmed yet. */
interface CountedRound extends RoundView {
  claimed: number;
}

function countedRounds({ rounds, findings }: Pick<LoopView, "rounds" | "findings">): CountedRound[] {
  return rounds.map((round) => {
    const unconfirmed = findings.filter((finding) => finding.status === "claimed" && round.commit !== null && finding.fixed_in.at(-1) === round.commit).length;
    const claimed = Math.min(unconfirmed, round.fixed);
    return { ...round, claimed, fixed: round.fixed - claimed };
  });
}

function roundText(t: Translate, round: CountedRound): string {
  return t("review-rounds-sum", { round: round.iteration, found: sum(round), fixed: round.fixed, claimed: round.claimed, rejected: round.rejected });
}

/** The same for those who do not see the chart. */
function RoundsTable({ rounds }: { rounds: CountedRound[] }) {
  const t = useText();
  return (
    <table className="sr-only">
      <caption>{t("review-rounds-caption")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("review-rounds-round")}</th>
          {series.map(({ priority }) => (
            <th key={priority} scope="col">
              {t(`review-priority-${priority}`)}
            </th>
          ))}
          <th scope="col">{t("review-rounds-fixed")}</th>
          <th scope="col">{t("review-rounds-claimed")}</th>
          <th scope="col">{t("review-rounds-rejected")}</th>
          <th scope="col">{t("review-rounds-commit")}</th>
        </tr>
      </thead>
      <tbody>
        {rounds.map((round) => (
          <tr key={round.iteration}>
            <th scope="row">{round.iteration}</th>
            {series.map(({ priority }) => (
              <td key={priority}>{round[priority]}</td>
            ))}
            <td>{round.fixed}</td>
            <td>{round.claimed}</td>
            <td>{round.rejected}</td>
            <td>{round.commit?.slice(0, 7)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `12.3k tokens · $0.09` */
export function spentText(t: Translate, language: Language, { usage }: Pick<LoopView, "usage">): string {
  const tokens = usage.input_tokens + usage.output_tokens;
  const count = formatNumber(language, tokens, { notation: "compact", maximumFractionDigits: 1 });
  return `${t("review-tokens", { count })} · ${formatCost(t, language, usage)}`;
}
