import { CircleAlert, CircleCheck, CircleDashed, CirclePause, CirclePlay, Hourglass, Archive, type LucideIcon } from "lucide-react";
import { classNames } from "../../components";
import { TEXT, type Tone } from "../../components/tone";
import { useText } from "../../i18n";
import type { Standing } from "./standing";

/** Each has a shape of its own: colour alone says nothing to those who do not see it. */
const ICONS: Record<Standing, [LucideIcon, Tone]> = {
  "needs-you": [CircleAlert, "bad"],
  ready: [CircleCheck, "ok"],
  working: [CircleDashed, "run"],
  waiting: [Hourglass, "none"],
  snoozed: [CirclePause, "none"],
  "not-started": [CirclePlay, "none"],
  done: [Archive, "none"],
};

/** Where a loop stands as a sign; its name is read out where no words stand beside it. */
export function StandingIcon({ standing, named = false, faded = false, className }: { standing: Standing; named?: boolean; faded?: boolean; className?: string }) {
  const t = useText();
  const [Icon, tone] = ICONS[standing];
  return (
    <Icon
      role={named ? "img" : undefined}
      aria-label={named ? t(`overview-group-${standing}`) : undefined}
      aria-hidden={named ? undefined : true}
      strokeWidth={2.25}
      className={classNames("size-3.5 shrink-0", faded ? "text-faint" : TEXT[tone], className)}
    />
  );
}
