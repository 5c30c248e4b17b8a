import { Button, Dialog } from "../../components";
import type { LoopView } from "../../generated/wire";
import { formatDate, useLanguage, useText } from "../../i18n";
import { snooze, tomorrowOf } from "../../snooze";

/** Asks until when a loop is to stay out of the way. */
export function SnoozeDialog({ loop, onClose }: { loop: LoopView | null; onClose: () => void }) {
  const t = useText();
  const language = useLanguage();
  const now = Date.now();
  const until = (when: "tomorrow" | "change") => {
    if (loop) snooze([loop], when, Date.now());
    onClose();
  };
  return (
    <Dialog
      title={t("snooze-title", { title: loop?.title ?? "" })}
      text={t("snooze-text")}
      open={loop !== null}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => until("change")}>{t("snooze-change")}</Button>
          <Button variant="primary" onClick={() => until("tomorrow")}>
            {t("snooze-tomorrow")}
          </Button>
        </>
      }
    >
      <p className="text-dim">{t("snooze-tomorrow-at", { at: formatDate(language, tomorrowOf(now)) })}</p>
    </Dialog>
  );
}
