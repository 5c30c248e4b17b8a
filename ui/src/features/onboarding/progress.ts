import type { Autonomy } from "../../generated/wire";
import { kept, storedObject, storedWord } from "../../kept";

/** How far the first steps are, so that who leaves in the middle comes back to the same place. Keys are none of it. */
export interface Progress {
  /** The first steps were begun and not ended. */
  begun: boolean;
  /** What there is to know was shown, and answered or skipped. */
  told: boolean;
  /** The account is left off the list for now. */
  later: boolean;
  level: Autonomy;
  /** The day's budget as it was typed; null where nobody did. */
  day: string | null;
  provider: string;
  model: string;
  address: string;
}

export const LEVELS_OFFERED = ["observe", "ask", "push"] as const;

function read(stored: unknown): Progress {
  const object = storedObject(stored) ?? {};
  const text = (key: string) => (typeof object[key] === "string" ? object[key] : "");
  return {
    begun: object["begun"] === true,
    told: object["told"] === true,
    later: object["later"] === true,
    level: storedWord(object["level"], LEVELS_OFFERED),
    day: typeof object["day"] === "string" ? object["day"] : null,
    provider: text("provider"),
    model: text("model"),
    address: text("address"),
  };
}

/** The first steps of this window. */
export const progress = kept("collie.first-steps", read);

/** Changes some of it. */
export const advance = (changes: Partial<Progress>): void => progress.set({ ...progress.get(), ...changes });

/** Begins, or ends, with nothing remembered. */
export const restart = (begun: boolean): void => progress.set({ ...read(undefined), begun });
