import type { PersonaOption, PersonaSetting } from "../../generated/wire";
import { deepEqual } from "./draft";

const isEmptySetting = ({ name: _, runs_on, model, escalates_to, ...options }: PersonaSetting): boolean =>
  runs_on === null && model === null && escalates_to === null && Object.keys(options).length === 0;

/** What is said of a persona. */
export function settingOf(settings: PersonaSetting[], name: string): PersonaSetting {
  return settings.find((setting) => setting.name === name) ?? { name, runs_on: null, model: null, escalates_to: null };
}

/** What is said of personas once something else is said of one. */
export function withPersona(settings: PersonaSetting[], changed: PersonaSetting): PersonaSetting[] {
  const others = settings.filter(({ name }) => name !== changed.name);
  const next = isEmptySetting(changed) ? others : [...others, changed];
  // By name, as the file is read: an edit that leads back is no change.
  return next.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** What is said of a persona once its agent is told another effort, or none. */
export function withEffort({ effort: _, ...setting }: PersonaSetting, effort: string | undefined): PersonaSetting {
  return effort === undefined ? setting : { ...setting, effort };
}

/** Whom a persona may ask in: when nothing is said of it, those that its own file names (§4.1). */
export function escalationsOf({ default_escalates_to }: PersonaOption, { escalates_to }: PersonaSetting): string[] {
  return escalates_to ?? default_escalates_to;
}

/** A persona that may ask in these; nothing is said of it where its own file says the same. */
export function withEscalations({ default_escalates_to }: PersonaOption, setting: PersonaSetting, names: string[]): PersonaSetting {
  return { ...setting, escalates_to: deepEqual(names, default_escalates_to) ? null : names };
}

/** Who may ask in whom, and the way to change it. */
export interface EscalationEditing {
  settings: PersonaSetting[];
  onChange: (settings: PersonaSetting[]) => void;
}

/** Whether personas run on the same, whomever they may ask in. */
export function sameRunners(some: PersonaSetting[], others: PersonaSetting[]): boolean {
  const runners = (settings: PersonaSetting[]) =>
    settings.filter((setting) => !isEmptySetting({ ...setting, escalates_to: null })).map(({ escalates_to: _, ...runner }) => runner);
  return deepEqual(runners(some), runners(others));
}
