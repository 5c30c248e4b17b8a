import { useEffect, useRef } from "react";
import { useAnswer } from "../../data";
import type { LoopView } from "../../generated/wire";
import { useLanguage } from "../../i18n";
import { isSnoozed, snoozesNow } from "../../snooze";
import { useToldMutedKinds, useToldSnoozes } from "./useToldSnoozes";
import { keepNews, newsBetween } from "./notifications";

/** Keeps what loops come to while the window is open; of those that are snoozed nothing. */
export function useNews(): void {
  const loops = useAnswer({ command: "loops" }).data;
  const language = useLanguage();
  const last = useRef<LoopView[] | null>(null);
  const openedAt = useRef(Date.now());
  useEffect(() => {
    if (!loops) return;
    const before = last.current;
    last.current = loops;
    // How things are when the window opens is no news.
    if (before === null) return;
    const snoozes = snoozesNow();
    const now = Date.now();
    const news = newsBetween(before, loops, openedAt.current, language);
    const awake = new Set(loops.filter((loop) => !isSnoozed(loop, snoozes, now)).map(({ key }) => key));
    if (news.length > 0) keepNews(news.filter(({ key }) => awake.has(key)));
  }, [loops, language]);
}

/** Renders nothing: it hears of changes, so that nothing else has to render for them. */
export function News(): null {
  useNews();
  useToldSnoozes();
  useToldMutedKinds();
  return null;
}
