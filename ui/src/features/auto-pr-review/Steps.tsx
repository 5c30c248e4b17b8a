import { VisuallyHidden } from "../../components";
import type { Tone } from "../../components/tone";
import type { LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { stepNames, stepsOf, type StepStatus } from "./lifecycle";
import { StatusIcon, type StatusShape } from "../../components/StatusLine";

const bars: Record<StepStatus, string> = {
  todo: "border-line text-faint",
  now: "border-run text-text font-semibold",
  waits: "border-warn text-text font-semibold",
  done: "border-ok text-dim",
  again: "border-dashed border-control text-dim",
  skipped: "border-line text-dim",
  failed: "border-bad text-bad",
};

/** Shape and colour say the same. */
const marks: Record<StepStatus, [StatusShape, Tone]> = {
  todo: ["todo", "none"],
  now: ["running", "run"],
  waits: ["clock", "warn"],
  done: ["done", "ok"],
  again: ["again", "none"],
  skipped: ["skipped", "none"],
  failed: ["failed", "bad"],
};

/** The four steps of a loop, and how far each is. */
export function Steps({ loop }: { loop: LoopView }) {
  const t = useText();
  const steps = stepsOf(loop);
  return (
    <ol aria-label={t("review-steps")} className="grid grid-cols-[repeat(auto-fit,minmax(4.75rem,1fr))] gap-1.5">
      {stepNames.map((name) => {
        const status = steps[name];
        const [shape, tone] = marks[status];
        const current = status === "now" || status === "waits";
        return (
          <li
            key={name}
            title={`${t(`review-step-${name}`)}: ${t(`review-step-${status}`)}`}
            aria-current={current ? "step" : undefined}
            className={`flex min-w-0 items-center gap-1 border-t-3 pt-1 text-sm transition-colors motion-reduce:transition-none ${bars[status]}`}
          >
            <StatusIcon shape={shape} tone={tone} />
            <span className="truncate">
              {t(`review-step-${name}`)}
              <VisuallyHidden>{` ${t(`review-step-${status}`)}`}</VisuallyHidden>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
