import { Bell as BellIcon } from "lucide-react";
import { IconButton } from "../../components";
import { formatNumber, useLanguage, useText } from "../../i18n";
import { useKeptNotifications } from "./notifications";

/** Opens the notifications, and says how many nobody has looked at. */
export function Bell({ onOpen }: { onOpen: () => void }) {
  const t = useText();
  const language = useLanguage();
  const { unseen } = useKeptNotifications();
  return (
    <IconButton label={unseen > 0 ? t("notifications-unseen", { count: unseen }) : t("notifications")} onClick={onOpen} className="relative">
      <BellIcon aria-hidden className="size-4" />
      {unseen > 0 && (
        <span aria-hidden className="absolute -end-0.5 -top-0.5 min-w-4 rounded-full bg-accent px-1 text-center text-[0.625rem] leading-4 font-semibold text-on-accent">
          {formatNumber(language, unseen)}
        </span>
      )}
    </IconButton>
  );
}
