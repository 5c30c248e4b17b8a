import { SETTING_GROUPS, type PersonaOption, type SettingField, type SettingGroup, type SettingsView } from "../../generated/wire";
import { formatNumber, hasText, type Language, type Translate } from "../../i18n";
import { lineOf } from "./command";

/** The pages of the settings, in the order shown. */
export const PAGES = [...SETTING_GROUPS, "memory", "machine"] as const;

/** A page: a group of settings, what is remembered, or the look at this machine. */
export type SettingsPage = SettingGroup | "memory" | "machine";

/** The page of an address; the first one when it names none. */
export function pageOf(group: string): SettingsPage {
  return PAGES.find((page) => page === group) ?? "general";
}

const textId = (key: string): string => `setting-${key.replaceAll(".", "-")}`;

/** A setting's label; its key where a newer host has one that this UI has no text for. */
export function labelOf(t: Translate, language: Language, key: string): string {
  const id = textId(key);
  return hasText(language, id) ? t(id) : key;
}

/** What a setting does. */
export function helpOf(t: Translate, language: Language, key: string): string {
  const id = `${textId(key)}-help`;
  return hasText(language, id) ? t(id) : "";
}

/** The label of a word that may be chosen. */
export function choiceOf(t: Translate, language: Language, key: string, word: string): string {
  const id = `${textId(key)}-${word}`;
  return hasText(language, id) ? t(id) : word;
}

/** What somebody runs on: the rules, the language model, an agent; the user's own by the name they gave it. */
export function runnerOf(t: Translate, language: Language, word: string): string {
  const id = `runner-${word}`;
  return hasText(language, id) ? t(id) : word;
}

/** What a persona looks at: in our words for one that ships, else as its file says; empty where nobody says. */
export function personaText(t: Translate, language: Language, persona: PersonaOption): string {
  const id = `persona-${persona.name}`;
  return persona.title ?? (hasText(language, id) ? t(id) : "");
}

/** A value in one line; empty where a line cannot hold it. */
export function valueText(t: Translate, language: Language, field: SettingField, value: unknown): string {
  switch (field.kind.type) {
    case "toggle":
      return t(value === true ? "settings-on" : "settings-off");
    case "number":
    case "fraction":
    case "decimal":
      return typeof value === "number" ? formatNumber(language, value) : String(value ?? t("settings-default-none"));
    case "choice":
      return typeof value === "string" ? choiceOf(t, language, field.key, value) : t("settings-default-none");
    case "runner":
      return typeof value === "string" ? runnerOf(t, language, value) : t("settings-default-none");
    case "program":
      return Array.isArray(value) && value.length > 0 ? lineOf(value.map(String)) : t("settings-default-none");
    case "duration":
    case "text":
      return typeof value === "string" && value !== "" ? value : t("settings-default-none");
    case "logins":
    case "texts":
    case "model_names":
      return Array.isArray(value) && value.length > 0 ? value.join(", ") : t("settings-default-none");
    case "headers":
    case "models":
    case "stages":
    case "authors":
    case "personas":
    case "agents":
    case "mcp_servers":
    case "bots":
    case "repositories":
      return "";
  }
}

/** The field that a problem is about: `stages.reviewers` is about `stages`. */
export function fieldOf(view: SettingsView, key: string): SettingField | undefined {
  return view.fields.find((field) => field.key === key || key.startsWith(`${field.key}.`) || key.startsWith(`${field.key}[`));
}
