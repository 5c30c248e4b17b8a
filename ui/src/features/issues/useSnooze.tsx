import { useCallback, useState, type ReactNode } from "react";
import { useAnnounce } from "../../components";
import type { LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { isSnoozed, snoozesNow, wake } from "../../snooze";
import { SnoozeDialog } from "./SnoozeDialog";

/** Asks until when a loop is to be snoozed, or ends that. */
export function useSnooze(): { toggle: (loop: LoopView) => void; dialog: ReactNode } {
  const t = useText();
  const announce = useAnnounce();
  const [asked, setAsked] = useState<LoopView | null>(null);
  const toggle = useCallback(
    (loop: LoopView) => {
      if (!isSnoozed(loop, snoozesNow(), Date.now())) return setAsked(loop);
      wake([loop.key]);
      announce(t("snooze-ended", { title: loop.title }));
    },
    [announce, t],
  );
  return { toggle, dialog: <SnoozeDialog loop={asked} onClose={() => setAsked(null)} /> };
}
