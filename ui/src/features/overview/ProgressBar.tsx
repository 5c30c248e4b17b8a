import { X } from "lucide-react";
import { memo } from "react";
import { classNames } from "../../components";
import { useText } from "../../i18n";
import { stepNames, type Steps, type StepStatus } from "../auto-pr-review/lifecycle";

/** Each has a height, an edge or a filling of its own. */
const SHAPES: Record<StepStatus, string> = {
  todo: "h-0.5 bg-control/50 forced-colors:border-t",
  now: "h-2 border border-run bg-[repeating-linear-gradient(115deg,var(--run)_0_3px,transparent_3px_6px)]",
  waits: "h-2 border-2 border-warn",
  done: "h-2 bg-ok forced-colors:border-y-4",
  again: "h-2 border border-dashed border-control",
  skipped: "h-0.5 bg-ok forced-colors:border-t",
  failed: "h-2",
};

/** How far the four steps are, side by side: empty, striped, framed, filled, a line where nothing was needed, or crossed out. Words say the same. */
export const ProgressBar = memo(function ProgressBar({ checks, review, fix, ready }: Steps) {
  const t = useText();
  const steps = { checks, review, fix, ready };
  const said = stepNames.map((name) => `${t(`review-step-${name}`)} ${t(`review-step-${steps[name]}`)}`).join(", ");
  return (
    <span role="img" aria-label={said} title={said} className="grid h-4 w-full grid-cols-4 items-center gap-0.5">
      {stepNames.map((name) =>
        steps[name] === "failed" ? (
          <span key={name} className="grid h-3 place-items-center rounded-[2px] border border-bad">
            <X aria-hidden className="size-2.5 text-bad" strokeWidth={3.5} />
          </span>
        ) : (
          <span key={name} className={classNames("rounded-[2px]", SHAPES[steps[name]])} />
        ),
      )}
    </span>
  );
});
