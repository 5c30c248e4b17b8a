import { formatNumber, useLanguage, useText } from "../../i18n";

/** Medians of what one persona was sent, as docs/measurements.md has them; a test holds both to the same. */
export const MEASURED = { pulls: 21, first: 16_558, again: 3_190 };

/** Says what a review roughly takes, and that this is what was measured elsewhere. */
export function ReviewTakes() {
  const t = useText();
  const language = useLanguage();
  const { pulls, first, again } = MEASURED;
  return (
    <p className="text-sm text-pretty text-faint">
      {t("models-review-takes", { pulls: formatNumber(language, pulls), first: formatNumber(language, first), again: formatNumber(language, again) })}
    </p>
  );
}
