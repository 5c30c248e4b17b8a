import { Select, TextField } from "../../components";
import type { SettingField, SettingProblem } from "../../generated/wire";
import { useText } from "../../i18n";
import { ModelKey, ModelName, ModelTest, type ModelRef } from "../models";
import { advance, type Progress } from "./progress";

interface ModelChoiceProps {
  field: SettingField;
  typed: Progress;
  model: ModelRef;
  refused: SettingProblem[];
  onEdit: () => void;
}

/** Sets up a language model, with its key, which goes to the keychain, and a test; none is a choice too. */
export function ModelChoice({ field, typed, model, refused, onEdit }: ModelChoiceProps) {
  const t = useText();
  const providers = field.kind.type === "choice" ? field.kind.options : [];
  const options = [{ value: "", label: t("model-step-none") }, ...providers.map((word) => ({ value: word, label: t(`setting-llm-provider-${word}`) }))];
  const edit = (key: "provider" | "model" | "address") => (value: string) => {
    advance({ [key]: value });
    onEdit();
  };
  return (
    <div className="flex flex-col gap-3">
      <Select label={t("setting-llm-provider")} value={typed.provider} options={options} onChange={edit("provider")} className="w-60 max-w-full" />
      {typed.provider !== "" && (
        <>
          <TextField
            label={t("setting-llm-url")}
            type="url"
            placeholder={t("model-step-address")}
            value={typed.address}
            onChange={edit("address")}
            problem={refused.find(({ key }) => key === "llm.url")?.message ?? null}
          />
          <section aria-label={t("models-key")} className="flex flex-col gap-1">
            <h3 className="font-medium">{t("models-key")}</h3>
            <ModelKey model={model} />
          </section>
          <ModelName
            label={t("setting-llm-model")}
            value={typed.model}
            onChange={edit("model")}
            model={model}
            invalid={refused.some(({ key }) => key === "llm.model")}
          />
          <ModelTest model={model} />
        </>
      )}
    </div>
  );
}
