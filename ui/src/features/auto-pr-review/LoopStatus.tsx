import { Timer } from "lucide-react";
import type { ReactElement } from "react";
import { Banner, classNames, TextWithCode, Tooltip } from "../../components";
import { BACKGROUND } from "../../components/tone";
import { useNow, useSession } from "../../data";
import type { LoopView } from "../../generated/wire";
import { formatDuration, useLanguage, useText, type Translate } from "../../i18n";
import { hasEnded } from "../../loop-state";
import { countFindings } from "./findings";
import { loopTone } from "./lifecycle";
import { readySentence } from "./ready";
import type { AutoPRReview } from "./useAutoPRReview";
import { WhatYouCanDo } from "./WhatYouCanDo";

/** Why the loop is where it is, in a sentence: what it waits for, how it ended, or what went wrong and what can be done. */
export function LoopStatus({ loop, review }: { loop: LoopView; review: AutoPRReview }) {
  const t = useText();
  const tone = loopTone(loop);
  return (
    <div className="flex flex-col gap-2">
      {loop.duplicated_posts > 0 && <Banner tone="bad" title={t("loop-duplicated", { count: loop.duplicated_posts })} />}
      <div className={`relative rounded-lg px-3 py-2 wrap-anywhere outline -outline-offset-1 outline-transparent ${BACKGROUND[tone]}`}>
        {loop.error ? (
          <StoppedStatus loop={loop} error={loop.error} review={review} />
        ) : hasEnded(loop.state) ? (
          <EndedStatus loop={loop} />
        ) : (
          <WaitingStatus loop={loop} />
        )}
      </div>
    </div>
  );
}

/** Whom or what work that could begin waits for. */
function queueSentence(t: Translate, loop: LoopView, position: number, queued: number | null): string {
  if (loop.branch_holder) return loop.branch_holder.text;
  return queued === null ? t("review-queue", { position }) : t("review-queue-of", { position, queued: Math.max(queued, position) });
}

function WaitingStatus({ loop }: { loop: LoopView }) {
  const t = useText();
  const { engine } = useSession();
  const language = useLanguage();
  const ready = loop.state === "pr_ready_to_merge" && loop.proof?.head_sha === loop.head_sha ? loop.proof : null;
  const queued = engine && engine.queued > 0 ? engine.queued : null;
  return (
    <>
      {loop.queue_position !== null && <p>{queueSentence(t, loop, loop.queue_position, queued)}</p>}
      <p className={classNames("pe-7", loop.queue_position !== null && "text-sm text-dim")}>
        {ready ? readySentence(t, language, loop, ready) : <TextWithCode text={loop.blocker?.text ?? t(`state-${loop.state}`)} />}
      </p>
      {loop.workers.length > 0 && <p className="text-sm text-dim">{t("review-workers", { names: loop.workers.join(", ") })}</p>}
      {loop.throttle !== null && <p className="text-sm text-dim">{loop.throttle.text}</p>}
      {loop.next_poll_at !== null && <NextPoll at={loop.next_poll_at} />}
    </>
  );
}

/** When GitHub is read again: a sign that says so when it is asked. */
function NextPoll({ at }: { at: string }) {
  const t = useText();
  const language = useLanguage();
  const left = new Date(at).getTime() - useNow(1000);
  const text = left > 0 ? t("review-poll-in", { time: formatDuration(language, left + 999) }) : t("review-poll-now");
  return (
    <Tooltip text={text} side="left">
      <button type="button" aria-label={text} className="absolute end-2 top-2 grid size-6 place-items-center rounded text-dim">
        <Timer aria-hidden className="size-3.5" />
      </button>
    </Tooltip>
  );
}

function StoppedStatus({ loop, error, review }: { loop: LoopView; error: NonNullable<LoopView["error"]>; review: AutoPRReview }) {
  const t = useText();
  const { open } = countFindings(loop.findings);
  return (
    <>
      <p className="font-semibold text-bad">{t(`state-${loop.state}`)}</p>
      <p>
        <TextWithCode text={error.message} />
      </p>
      {error.code === "iterations_spent" && open > 0 && <p>{t("review-still-open", { count: open })}</p>}
      <WhatYouCanDo loop={loop} hints={error.hints} review={review} />
    </>
  );
}

function EndedStatus({ loop }: { loop: LoopView }): ReactElement {
  const t = useText();
  const head = loop.head_sha?.slice(0, 7);
  switch (loop.state) {
    case "merged": {
      const how = head && loop.merge_type ? `review-ended-merged-${loop.merge_type}` : "review-ended-merged";
      return <EndedText title={t("review-ended-merged-title")} text={t(how, { base: loop.base_ref, head: head ?? "" })} />;
    }
    case "closed":
      return <EndedText title={t("review-ended-closed-title")} text={t("review-ended-closed")} />;
    case "cancelled":
      return <EndedText title={t("review-ended-cancelled-title")} text={t("review-ended-cancelled")} />;
    case "needs_human":
    case "failed":
    case "pr_created":
    case "pr_awaiting_checks":
    case "pr_reviewing":
    case "pr_fixing":
    case "pr_ready_to_merge":
      return <EndedText title={t(`state-${loop.state}`)} text={loop.blocker?.text ?? ""} />;
  }
}

function EndedText({ title, text }: { title: string; text: string }) {
  return (
    <>
      <p className="font-semibold">{title}</p>
      {text !== "" && <p className="text-dim">{text}</p>}
    </>
  );
}
