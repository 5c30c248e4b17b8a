import { Coins } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "../../components";
import { useAnswer, useNow, useRights } from "../../data";
import { dollarsLeft, formatAge, formatCost, formatDollars, formatNumber, useLanguage, useText } from "../../i18n";
import type { AttentionPage } from "../../routes";
import type { Standings } from "./standing";
import { StandingIcon } from "./StandingIcon";

const PAGES = ["needs-you", "ready", "working"] as const satisfies readonly AttentionPage[];

interface TilesProps {
  standings: Standings;
  /** Which tile is pressed: only its loops are listed. */
  only: AttentionPage | null;
  onOnly: (page: AttentionPage | null) => void;
  byCost: boolean;
  onByCost: (on: boolean) => void;
}

/** How things are, from afar; each tile narrows the list down to what it counts. */
export function Tiles({ standings: { all: counts, longest }, only, onOnly, byCost, onByCost }: TilesProps) {
  const t = useText();
  const language = useLanguage();
  const now = useNow(15_000);
  const { operate } = useRights();
  return (
    <div
      role="group"
      aria-label={t("overview-tiles")}
      className={classNames("grid shrink-0 gap-2 px-5 pt-3 pb-1", operate ? "grid-cols-4 @max-[32rem]:grid-cols-2" : "grid-cols-3 @max-[24rem]:grid-cols-1")}
    >
      {PAGES.map((page) => {
        const since = longest[page];
        return (
          <Tile
            key={page}
            pressed={only === page}
            onPress={() => onOnly(only === page ? null : page)}
            icon={<StandingIcon standing={page} faded={counts[page] === 0} />}
            name={t(`standing-${page}`)}
            value={formatNumber(language, counts[page])}
            more={since === null ? t(`overview-tile-${page}-none`) : t("overview-tile-longest", { age: formatAge(language, since, now) })}
          />
        );
      })}
      {operate && <SpentTile pressed={byCost} onPress={() => onByCost(!byCost)} />}
    </div>
  );
}

/** What is spent is told to those who decide about it. */
function SpentTile(props: { pressed: boolean; onPress: () => void }) {
  const t = useText();
  return <Tile {...props} icon={<Coins aria-hidden className="size-3.5 shrink-0 text-faint" />} name={t("overview-spent")} {...useSpent()} />;
}

/** The same in a line, where the tiles are not shown. */
export function SpentToday() {
  const t = useText();
  const { operate } = useRights();
  const { value, more } = useSpent();
  if (!operate) return null;
  return (
    <p title={more} className="flex shrink-0 items-center gap-1.5 text-dim @max-[44rem]:hidden">
      <Coins aria-hidden className="size-3.5 text-faint" />
      {t("overview-spent")} <span className="font-semibold text-text">{value}</span>
    </p>
  );
}

/** What today has cost, as the engine counts it, and what is left of the budget. */
function useSpent(): { value: string; more: string } {
  const t = useText();
  const language = useLanguage();
  const today = useAnswer({ command: "spending" }).data?.day;
  if (!today) return { value: "", more: "" };
  const { spent, limit } = today;
  const value = spent.input_tokens + spent.output_tokens === 0 ? t("overview-spent-nothing") : formatCost(t, language, spent);
  const left = dollarsLeft(today);
  if (limit.cost_usd === null || left === null) return { value, more: t("overview-spent-unlimited") };
  return { value, more: t("overview-spent-left", { left: formatDollars(t, language, left), limit: formatDollars(t, language, limit.cost_usd) }) };
}

function Tile({ pressed, onPress, icon, name, value, more }: { pressed: boolean; onPress: () => void; icon: ReactNode; name: string; value: string; more: string }) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onPress}
      className={classNames(
        "grid min-w-0 grid-cols-[auto_minmax(0,1fr)] content-between items-center gap-x-2 rounded-xl border px-3 py-2 text-start @max-[44rem]:gap-x-1.5 @max-[44rem]:px-2.5",
        pressed ? "border-text bg-panel shadow-[0_0_0_1px_var(--text)]" : "border-line bg-panel hover:bg-hover",
      )}
    >
      {icon}
      <span title={name} className="truncate text-dim @max-[44rem]:text-sm">
        {name}
      </span>{" "}
      <span className="col-span-2 min-h-7 truncate text-xl font-semibold">{value}</span>{" "}
      <span className="col-span-2 truncate text-sm text-dim @max-[44rem]:hidden">{more}</span>
    </button>
  );
}
