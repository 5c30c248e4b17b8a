import { useEffect, useRef } from "react";
import { useAnnounce } from "../../components";
import type { LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { useWorkerAnnouncements } from "./Activity";
import { AutoPRReviewProgressCard } from "./AutoPRReviewProgressCard";
import { NotStarted } from "./NotStarted";
import { useAutoPRReview } from "./useAutoPRReview";

/** The page of one pull request: its loop, or what there is to say without one. */
export function LoopDetail({ loopKey, onClose }: { loopKey: string; onClose: () => void }) {
  const review = useAutoPRReview(loopKey);
  useStateAnnouncements(review.loop);
  useWorkerAnnouncements(loopKey);
  // Another pull request is another page: what was folded or typed on the last one is gone.
  return review.loop ? (
    <AutoPRReviewProgressCard key={loopKey} loop={review.loop} review={review} onClose={onClose} />
  ) : (
    <NotStarted key={loopKey} loopKey={loopKey} review={review} onClose={onClose} />
  );
}

/** Says aloud when the shown loop comes into another state; not that another loop is shown. */
function useStateAnnouncements(loop: LoopView | undefined): void {
  const announce = useAnnounce();
  const t = useText();
  const last = useRef<{ key: string; state: string } | null>(null);
  useEffect(() => {
    if (!loop) return;
    const { key, state, title } = loop;
    if (last.current?.key === key && last.current.state !== state) {
      const why = loop.error?.message ?? loop.blocker?.text;
      const args = { title, state: t(`state-${state}`) };
      announce(why ? t("review-changed-why", { ...args, why }) : t("review-changed", args));
    }
    last.current = { key, state };
  }, [loop, announce, t]);
}
