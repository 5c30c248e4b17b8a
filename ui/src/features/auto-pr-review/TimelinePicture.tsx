import { useId, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { Tooltip } from "../../components";
import { useNow } from "../../data";
import type { TimelineLine } from "../../generated/wire";
import { formatDay, formatDuration, formatMoment, formatSeconds, formatTime, useLanguage, useText, type Language, type Translate } from "../../i18n";
import { anchorOf, drawnBars, labelStart, laneNames, lanesOf, ticksOf, type LaneBar, type LaneName, type LanePicture, type Tick } from "./lanes";
import { spentText } from "./Rounds";

/** In the size of text (`em` of 16 px as a rule), so that larger text has room. */
const LANE_HEIGHT = 1.375;
const BAR_HEIGHT = 0.75;
/** Room for the name of a commit above the lanes. */
const ABOVE = 0.875;
/** Room for the times below the lanes. */
const BELOW = 1;
/** How large names and times are. */
const NAME_SIZE = 0.7;
/** How wide a digit is, at most. */
const DIGIT_WIDTH = 0.62;
/** How wide a picture is until it is measured. */
const USUAL_WIDTH = 30;

const fills: Record<LaneName, string> = { checks: "fill-run", bots: "fill-run", review: "fill-accent", fix: "fill-ok", people: "fill-warn" };

/** The last run as a picture: who it was with over time, and what went out. A click leads to the entry of the log. */
export function TimelinePicture({ lines, onChoose }: { lines: readonly TimelineLine[]; onChoose: (seq: number) => void }) {
  const t = useText();
  const now = useNow(15_000);
  const picture = useMemo(() => lanesOf(lines, now), [lines, now]);
  if (!picture || picture.bars.length === 0) return null;
  const drawn = drawnBars(picture);
  const used = laneNames.filter((lane) => drawn.some((bar) => bar.lane === lane));
  return (
    <figure aria-label={t("lanes-title")} className="mb-4">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <ul aria-hidden className="text-sm text-dim" style={{ paddingTop: `${ABOVE}rem` }}>
          {used.map((lane) => (
            <li key={lane} className="flex items-center" style={{ height: `${LANE_HEIGHT}rem` }}>
              {t(`lanes-${lane}`)}
            </li>
          ))}
        </ul>
        <Lanes picture={picture} drawn={drawn} used={used} onChoose={onChoose} />
      </div>
      <Axis picture={picture} />
      <LanesTable picture={picture} drawn={drawn} />
    </figure>
  );
}

function Lanes({ picture, drawn, used, onChoose }: { picture: LanePicture; drawn: readonly LaneBar[]; used: readonly LaneName[]; onChoose: (seq: number) => void }) {
  const t = useText();
  const language = useLanguage();
  const pattern = useId();
  const group = useRef<SVGGElement>(null);
  // One stop for the tab key; the arrows go from bar to bar.
  const [current, setCurrent] = useState(0);
  const go = (event: KeyboardEvent, index: number) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step !== 0) {
      const next = Math.min(drawn.length - 1, Math.max(0, index + step));
      setCurrent(next);
      group.current?.querySelectorAll<SVGGElement>("[role=button]")[next]?.focus();
    } else if (event.key === "Enter" || event.key === " ") onChoose(drawn[index]?.seq ?? 0);
    else return;
    event.preventDefault();
  };
  const height = ABOVE + used.length * LANE_HEIGHT;
  const svg = useRef<SVGSVGElement>(null);
  const width = useWidth(svg);
  return (
    <svg ref={svg} role="group" aria-label={t("lanes-keys")} width="100%" height={em(height + BELOW)} className="overflow-visible text-[1rem]">
      <defs>
        <pattern id={pattern} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line x1="0" y1="0" x2="0" y2="6" className="stroke-panel" strokeWidth="5" strokeOpacity="0.62" />
        </pattern>
      </defs>
      {used.map((lane, row) => (
        <line key={lane} x1="0" x2="100%" y1={em(middle(row))} y2={em(middle(row))} className="stroke-line" />
      ))}
      <Ticks picture={picture} height={height} width={width} />
      <g ref={group}>
        {drawn.map((bar, index) => (
          <Tooltip key={`${bar.seq} ${bar.lane}`} text={barText(t, language, bar)}>
            <g
              role="button"
              tabIndex={index === Math.min(current, drawn.length - 1) ? 0 : -1}
              aria-label={barText(t, language, bar)}
              className="cursor-pointer outline-offset-2"
              onFocus={() => setCurrent(index)}
              onKeyDown={(event) => go(event, index)}
              onClick={() => onChoose(bar.seq)}
            >
              <BarShape bar={bar} y={middle(used.indexOf(bar.lane)) - BAR_HEIGHT / 2} pattern={pattern} />
            </g>
          </Tooltip>
        ))}
      </g>
      <Pushes pushes={picture.pushes} height={height} width={width} />
    </svg>
  );
}

/** Round times below the lanes. */
function Ticks({ picture, height, width }: { picture: LanePicture; height: number; width: number }) {
  const language = useLanguage();
  const hasSeconds = ({ at }: Tick) => at % 60_000 !== 0;
  const ticksFor = (label: string) => ticksOf(picture, textWidth(label, width));
  const short = ticksFor(formatTime(language, picture.start));
  // Seconds take more room.
  const ticks = short.some(hasSeconds) ? ticksFor(formatSeconds(language, picture.start)) : short;
  const toTheSecond = ticks.some(hasSeconds);
  return ticks.map(({ at, x, anchor }) => (
    <g key={at} aria-hidden>
      <line x1={percent(x)} x2={percent(x)} y1={em(ABOVE)} y2={em(height + 0.125)} className="stroke-line" />
      <text data-tick x={percent(x)} y={em((height + 0.85) / NAME_SIZE)} textAnchor={anchor} className="fill-dim tabular-nums" fontSize={em(NAME_SIZE)}>
        {toTheSecond ? formatSeconds(language, at) : formatTime(language, at)}
      </text>
    </g>
  ));
}

/** Commits that went out, across the lanes. */
function Pushes({ pushes, height, width }: { pushes: LanePicture["pushes"]; height: number; width: number }) {
  return pushes.map((push, index) => {
    const name = push.sha.slice(0, 7);
    const room = textWidth(name, width);
    return (
      <g key={push.seq} aria-hidden className="pointer-events-none">
        <line x1={percent(push.x)} x2={percent(push.x)} y1={em(ABOVE - 0.125)} y2={em(height)} className="stroke-text" strokeDasharray="2 2" />
        {isNamed(pushes, index, room) && (
          <text x={percent(push.x)} y={em((ABOVE - 0.3) / NAME_SIZE)} textAnchor={anchorOf(push.x, room)} className="fill-dim font-mono" fontSize={em(NAME_SIZE)}>
            {name}
          </text>
        )}
      </g>
    );
  });
}

/** How wide the picture is, in the size of its text. */
function useWidth(svg: RefObject<SVGSVGElement | null>): number {
  const [width, setWidth] = useState(USUAL_WIDTH);
  useLayoutEffect(() => {
    const node = svg.current;
    if (!node) return;
    const measure = () => {
      const [drawn, text] = [node.getBoundingClientRect().width, parseFloat(getComputedStyle(node).fontSize)];
      setWidth(drawn > 0 && text > 0 ? drawn / text : USUAL_WIDTH);
    };
    measure();
    // Its height follows the size of text.
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    return () => observer.disconnect();
  }, [svg]);
  return width;
}

/** How wide a text of digits is, in thousandths of the picture. */
const textWidth = (text: string, width: number): number => (1000 * text.length * DIGIT_WIDTH * NAME_SIZE) / width;

function BarShape({ bar, y, pattern }: { bar: LaneBar; y: number; pattern: string }) {
  const place = { x: percent(bar.x), width: percent(bar.width), y: em(y), height: em(BAR_HEIGHT), rx: 2 };
  return (
    <>
      {/* Small bars are hit all the same. */}
      <rect {...place} y={em(y - 0.25)} height={em(BAR_HEIGHT + 0.5)} className="fill-transparent" />
      <rect {...place} className={fills[bar.lane]} />
      {bar.waits && <rect {...place} fill={`url(#${CSS.escape(pattern)})`} />}
      {bar.shortened && (
        <svg x={percent(bar.x + bar.width / 2)} y={em(y - 0.125)} width={em(0.625)} height={em(BAR_HEIGHT + 0.25)} viewBox="0 0 10 16" className="overflow-visible">
          <path d="M -4 16 L 0 0 M 2 16 L 6 0" className="stroke-panel" strokeWidth="2.5" />
        </svg>
      )}
    </>
  );
}

const middle = (row: number): number => ABOVE + row * LANE_HEIGHT + LANE_HEIGHT / 2;

/** How far apart names of commits begin at least, in names. */
const NAME_GAP = 1.1;

/** Whether a push has room for its name, `room` wide: the last one has, and whoever is far enough from the next one that has. */
function isNamed(pushes: LanePicture["pushes"], index: number, room: number): boolean {
  const startOf = ({ x }: { x: number }) => labelStart({ x, anchor: anchorOf(x, room) }, room);
  let next = Infinity;
  for (let at = pushes.length - 1; at >= index; at -= 1) {
    const start = startOf(pushes[at] ?? { x: 0 });
    if (next - start < NAME_GAP * room) continue;
    if (at === index) return true;
    next = start;
  }
  return false;
}

const em = (size: number): string => `${size}em`;
const percent = (thousandths: number): string => `${thousandths / 10}%`;

/** `Fix: 6 min 0 s · 12.3K tokens · $0.09` */
function barText(t: Translate, language: Language, bar: LaneBar): string {
  const took = formatDuration(language, bar.end - bar.start);
  const text = t(bar.waits ? "lanes-bar-waits" : "lanes-bar", { lane: t(`lanes-${bar.lane}`), time: took });
  return bar.usage === null ? text : `${text} · ${spentText(t, language, { usage: bar.usage })}`;
}

/** The time, with its day where that is not today, or the picture is of several. */
function momentText(language: Language, at: number, { start, end }: LanePicture): string {
  const [first, last] = [start, end].map((each) => new Date(each).toDateString());
  if (first === last) return formatMoment(language, at);
  return `${formatDay(language, new Date(at).toISOString())}, ${formatTime(language, at)}`;
}

/** When it began, when it ended, and what the shapes mean. */
function Axis({ picture }: { picture: LanePicture }) {
  const t = useText();
  const language = useLanguage();
  const [start, end] = [momentText(language, picture.start, picture), momentText(language, picture.end, picture)];
  return (
    <figcaption className="mt-1 flex flex-wrap items-baseline justify-between gap-x-3 text-sm text-dim">
      <span className="tabular-nums">
        {start === end ? `${formatSeconds(language, picture.start)} – ${formatSeconds(language, picture.end)}` : `${start} – ${end}`}
      </span>
      <span aria-hidden>{t(picture.bars.some((bar) => bar.shortened) ? "lanes-legend-cut" : "lanes-legend")}</span>
    </figcaption>
  );
}

/** The same for those who do not see the picture. */
function LanesTable({ picture, drawn }: { picture: LanePicture; drawn: readonly LaneBar[] }) {
  const t = useText();
  const language = useLanguage();
  return (
    <table className="sr-only">
      <caption>{t("lanes-caption")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("lanes-from")}</th>
          <th scope="col">{t("lanes-with")}</th>
          <th scope="col">{t("lanes-took")}</th>
          <th scope="col">{t("lanes-cost")}</th>
          <th scope="col">{t("lanes-pushed")}</th>
        </tr>
      </thead>
      <tbody>
        {drawn.map((bar) => (
          <tr key={`${bar.seq} ${bar.lane}`}>
            <td>{momentText(language, bar.start, picture)}</td>
            <th scope="row">{t(`lanes-${bar.lane}`)}</th>
            <td>{formatDuration(language, bar.end - bar.start)}</td>
            <td>{bar.usage === null ? "" : spentText(t, language, { usage: bar.usage })}</td>
            <td>
              {picture.pushes
                .filter((push) => picture.bars.includes(bar) && bar.start <= push.at && push.at < bar.end)
                .map((push) => push.sha.slice(0, 7))
                .join(", ")}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
