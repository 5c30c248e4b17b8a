import { Section, Tooltip } from "../../components";
import type { BotLine, BotStatusCode } from "../../generated/wire";
import { formatMoment, useLanguage, useText, type Language, type Translate } from "../../i18n";
import { botTone } from "./lifecycle";
import { StatusIcon, StatusLine, type StatusShape } from "../../components/StatusLine";

/** Each bot, and how far it is. */
export function Bots({ bots }: { bots: BotLine[] }) {
  const t = useText();
  const language = useLanguage();
  if (bots.length === 0) return null;
  return (
    <Section title={t("review-bots")}>
      <ul>
        {bots.map((bot) => (
          <StatusLine key={bot.id} icon={<StatusIcon shape={shapeOf(bot)} tone={botTone(bot)} />} aside={statusText(t, language, bot)}>
            {bot.login}
            {!bot.verified && <Unverified bot={bot} />}
          </StatusLine>
        ))}
      </ul>
    </Section>
  );
}

function Unverified({ bot }: { bot: BotLine }) {
  const t = useText();
  return (
    <Tooltip text={t("review-bot-unverified-why", { id: String(bot.id) })}>
      <button type="button" className="ms-1.5 rounded-sm bg-bad-bg px-1.5 text-sm font-medium text-bad">
        {t("review-bot-unverified")}
      </button>
    </Tooltip>
  );
}

function shapeOf(bot: BotLine): StatusShape {
  return bot.verified ? shapes[bot.status] : "alert";
}

const shapes: Record<BotStatusCode, StatusShape> = {
  reviewed: "done",
  waiting: "running",
  out_of_quota: "clock",
  timed_out: "clock",
  not_expected: "none",
};

function statusText(t: Translate, language: Language, bot: BotLine): string {
  const time = bot.until === null ? null : formatMoment(language, bot.until);
  switch (bot.status) {
    case "waiting":
      return time === null ? t("review-bot-waiting") : t("review-bot-waiting-until", { time });
    case "reviewed":
      return t("review-bot-reviewed");
    case "out_of_quota":
      return time === null ? t("review-bot-out-of-quota") : t("review-bot-out-of-quota-until", { time });
    case "timed_out":
      return t("review-bot-timed-out");
    case "not_expected":
      return t("review-bot-not-expected");
  }
}
