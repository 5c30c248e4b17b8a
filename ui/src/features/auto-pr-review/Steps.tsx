import { VisuallyHidden } from "../../components";
import type { LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { stepNames, stepsOf, type StepStatus } from "./lifecycle";

const bars: Record<StepStatus, string> = {
  todo: "border-line text-faint",
  now: "border-run text-text font-semibold",
  waits: "border-warn text-text font-semibold",
  done: "border-ok text-dim",
  failed: "border-bad text-bad",
};

/** The four steps of a loop, and how far each is. */
export function Steps({ loop }: { loop: LoopView }) {
  const t = useText();
  const steps = stepsOf(loop);
  return (
    <ol aria-label={t("review-steps")} className="grid grid-cols-4 gap-1.5">
      {stepNames.map((name) => {
        const status = steps[name];
        const current = status === "now" || status === "waits";
        return (
          <li
            key={name}
            aria-current={current ? "step" : undefined}
            className={`min-w-0 truncate border-t-3 pt-1 text-sm transition-colors motion-reduce:transition-none ${bars[status]}`}
          >
            {t(`review-step-${name}`)}
            <VisuallyHidden>{` ${t(`review-step-${status}`)}`}</VisuallyHidden>
          </li>
        );
      })}
    </ol>
  );
}
