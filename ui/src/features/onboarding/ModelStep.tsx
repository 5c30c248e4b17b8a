import { useMemo, useState } from "react";
import { Button, ProblemBanner, Select, TextField, TextWithCode } from "../../components";
import { useCommand } from "../../data";
import type { JsonValue, SettingField, SettingProblem } from "../../generated/wire";
import { useText } from "../../i18n";
import { ModelKey, ModelName, ModelTest, type ModelRef } from "../models";
import { OnboardingPage } from "./OnboardingPage";

/** Sets up a language model that reviews, with its key and a test; the rules review without one. */
export function ModelStep({ field, onDone }: { field: SettingField; onDone: () => void }) {
  const t = useText();
  const save = useCommand();
  const [provider, setProvider] = useState("");
  const [name, setName] = useState("");
  const [address, setAddress] = useState("");
  const [refused, setRefused] = useState<SettingProblem[]>([]);
  const providers = field.kind.type === "choice" ? field.kind.options : [];
  const model = useMemo((): ModelRef => {
    const changes: Record<string, JsonValue> = { "llm.provider": provider };
    if (name.trim() !== "") changes["llm.model"] = name.trim();
    if (address.trim() !== "") changes["llm.url"] = address.trim();
    return { table: "llm", changes };
  }, [provider, name, address]);
  const edit = (set: (value: string) => void) => (value: string) => {
    set(value);
    setRefused([]);
    save.reset();
  };
  const use = () =>
    void save.run({ command: "save_settings", args: { changes: model.changes } }).then(
      (problems) => (problems.length === 0 ? onDone() : setRefused(problems)),
      () => undefined,
    );
  const options = [{ value: "", label: t("model-step-none") }, ...providers.map((word) => ({ value: word, label: t(`setting-llm-provider-${word}`) }))];
  return (
    <OnboardingPage title={t("model-step-title")} text={t("model-step-text")} step={{ step: 3, steps: 4 }}>
      <Select label={t("setting-llm-provider")} value={provider} options={options} onChange={edit(setProvider)} className="w-60" />
      {provider !== "" && (
        <>
          <TextField
            label={t("setting-llm-url")}
            type="url"
            placeholder={t("model-step-address")}
            value={address}
            onChange={edit(setAddress)}
            problem={refused.find(({ key }) => key === "llm.url")?.message ?? null}
          />
          <section aria-label={t("models-key")} className="flex flex-col gap-1">
            <h2 className="font-medium">{t("models-key")}</h2>
            <ModelKey model={model} />
          </section>
          <ModelName label={t("setting-llm-model")} value={name} onChange={edit(setName)} model={model} />
          <ModelTest model={model} />
        </>
      )}
      {save.problem && <ProblemBanner problem={save.problem} />}
      {refused.length > 0 && (
        <ul role="alert" className="text-bad">
          {refused.map((problem) => (
            <li key={`${problem.key} ${problem.message}`}>
              <TextWithCode text={problem.message} />
            </li>
          ))}
        </ul>
      )}
      <div className="flex gap-2">
        <Button variant="primary" disabled={provider === "" || name.trim() === ""} busy={save.pending} onClick={use}>
          {t("model-step-use")}
        </Button>
        <Button disabled={save.pending} onClick={onDone}>
          {t("model-step-later")}
        </Button>
      </div>
    </OnboardingPage>
  );
}
