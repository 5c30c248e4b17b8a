import { useId } from "react";
import type { Autonomy } from "../../generated/wire";
import { useText } from "../../i18n";
import { LEVELS } from "./levels";

interface LevelChoiceProps {
  label: string;
  level: Autonomy;
  onChange: (level: Autonomy) => void;
  disabled?: boolean;
  /** What else is to be said of each. */
  note?: (level: Autonomy) => string;
}

/** One of the levels, each with what it means. */
export function LevelChoice({ label, level, onChange, disabled, note }: LevelChoiceProps) {
  const t = useText();
  const id = useId();
  return (
    <fieldset className="min-w-0" disabled={disabled}>
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex flex-col gap-1.5">
        {LEVELS.map((known) => (
          <div key={known} className="flex items-start gap-2">
            <input
              type="radio"
              id={`${id}-${known}`}
              name={id}
              value={known}
              checked={level === known}
              onChange={() => onChange(known)}
              aria-describedby={`${id}-${known}-text`}
              className="mt-1 size-3.5 shrink-0 accent-(--accent)"
            />
            <span className="min-w-0">
              <label htmlFor={`${id}-${known}`} className="block">
                {t(`autonomy-${known}`)}
              </label>
              <span id={`${id}-${known}-text`} className="block text-sm text-dim">
                {t(`autonomy-${known}-text`)}
                {note && ` ${note(known)}`}
              </span>
            </span>
          </div>
        ))}
      </div>
    </fieldset>
  );
}
