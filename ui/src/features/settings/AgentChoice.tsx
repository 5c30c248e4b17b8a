import { Select } from "../../components";
import { useLanguage, useText } from "../../i18n";
import { Line } from "./FieldRows";
import { choiceOf } from "./labels";
import { asText } from "./ValueEditors";

interface ChoiceProps {
  label: string;
  value: string | undefined;
  /** What holds where nothing is said; none where the agent chooses itself. */
  inherited?: string | undefined;
  disabled: boolean;
  invalid: boolean;
  onChange: (value: string | undefined) => void;
}

/** The model that an agent is told, as it calls it itself. What it offers, it says when it runs. */
export function AgentModel({ label, value, inherited, disabled, invalid, onChange }: ChoiceProps) {
  const t = useText();
  return (
    <Line
      label={label}
      value={value}
      // The name alone: the field is narrow.
      placeholder={inherited ?? t("settings-agent-own-choice")}
      disabled={disabled}
      invalid={invalid}
      onChange={(text) => onChange(text as string | undefined)}
      parse={(text) => text.trim()}
      write={asText}
    />
  );
}

/** How much an agent is told to think. */
export function AgentEffort({ label, value, inherited, efforts, disabled, invalid, onChange }: ChoiceProps & { efforts: string[] }) {
  const t = useText();
  const language = useLanguage();
  const nameOf = (word: string) => choiceOf(t, language, "llm.effort", word);
  const silence = inherited === undefined ? t("settings-agent-own-choice") : t("models-same-as", { value: nameOf(inherited) });
  return (
    <Select
      bare
      label={label}
      value={value ?? ""}
      options={[{ value: "", label: silence }, ...efforts.map((word) => ({ value: word, label: nameOf(word) }))]}
      onChange={(word) => onChange(word === "" ? undefined : word)}
      disabled={disabled}
      invalid={invalid}
    />
  );
}
