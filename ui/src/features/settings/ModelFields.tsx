import { useId, type ReactNode } from "react";
import { Button, Select } from "../../components";
import type { HeaderSetting } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import { ModelKey, ModelTest, type ModelRef } from "../models";
import { commandOf, lineOf } from "./command";
import { stringsOf } from "./editing";
import { FieldGrid, FieldRow as Row, Line } from "./FieldRows";
import { HeadersEditor } from "./HeadersEditor";
import { inheritedOf, type ModelFieldValues } from "./inherited";
import { choiceOf } from "./labels";
import { asText, parseNumber, TagsEditor, writeNumber } from "./ValueEditors";

interface ModelFieldsProps {
  /** Whose model it is, for those who hear the labels. */
  name: string;
  model: ModelRef;
  values: ModelFieldValues;
  onChange: (values: ModelFieldValues) => void;
  providers: string[];
  efforts: string[];
  /** What can take over; none where nothing can. */
  modelNames?: string[];
  /** The model for all, of which a persona's has what is left out; none for a model of its own. */
  all?: ModelFieldValues;
  disabled: boolean;
  /** Keys with something wrong, in full. */
  wrong: string[];
  /** Shown before everything else. */
  children?: ReactNode;
}

/** The options of one model, with its key and its test. */
export function ModelFields({ name, model, values, onChange, providers, efforts, modelNames, all, disabled, wrong, children }: ModelFieldsProps) {
  const t = useText();
  const language = useLanguage();
  const id = useId();
  const put = <K extends keyof ModelFieldValues>(key: K, value: ModelFieldValues[K]) => {
    const next = { ...values };
    const silent = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
    if (silent) delete next[key];
    else next[key] = value;
    onChange(next);
  };
  const inherited = all && inheritedOf(all, values);
  const write = writeNumber(language);
  /** What holds where nothing is said: that of the model for all, else the provider's own. */
  const silence = (key: keyof ModelFieldValues, otherwise: string, shown: (value: unknown) => string = asText) => {
    const value = inherited?.[key];
    return value === undefined ? otherwise : t("models-same-as", { value: shown(value) });
  };
  const usual = t("models-usual");
  const names = (value: unknown) => stringsOf(value).join(", ");
  const of = (key: string) => t("models-field-of", { field: t(`setting-llm-${key}`), name });
  const isWrong = (key: string) => wrong.includes(`${model.table}.${key}`);
  const choice = (key: "provider" | "effort", words: string[]) => (
    <Row label={t(`setting-llm-${key}`)}>
      <Select
        bare
        label={of(key)}
        value={values[key] ?? ""}
        options={[{ value: "", label: silence(key, t("settings-none"), (word) => choiceOf(t, language, `llm.${key}`, asText(word))) }, ...words.map((word) => ({ value: word, label: choiceOf(t, language, `llm.${key}`, word) }))]}
        onChange={(word) => put(key, word === "" ? undefined : word)}
        disabled={disabled}
        invalid={isWrong(key)}
      />
    </Row>
  );
  const line = (key: "url" | "key_variable") => (
    <Row label={t(`setting-llm-${key}`)}>
      <Line label={of(key)} value={values[key]} placeholder={silence(key, usual)} disabled={disabled} invalid={isWrong(key)} onChange={(text) => put(key, text as string | undefined)} parse={(text) => text.trim()} write={asText} />
    </Row>
  );
  const number = (key: "temperature" | "max_tokens" | "context_tokens") => (
    <Row label={t(`setting-llm-${key}`)}>
      <Line label={of(key)} value={values[key]} placeholder={silence(key, usual, write)} disabled={disabled} invalid={isWrong(key)} onChange={(text) => put(key, text as number | string | undefined)} parse={parseNumber} write={write} />
    </Row>
  );
  return (
    <div className="flex flex-col gap-3 border-t border-line bg-bg/50 px-3 py-3">
      <FieldGrid>
        {choice("provider", providers)}
        <Row label={t("models-key")} top>
          <ModelKey model={model} />
        </Row>
        {children}
        {line("url")}
        {choice("effort", efforts)}
        {number("temperature")}
        {number("max_tokens")}
        {number("context_tokens")}
        {line("key_variable")}
        <Row label={t("setting-llm-key_command")}>
          <Line
            label={of("key_command")}
            value={values.key_command ?? []}
            placeholder={silence("key_command", usual, (words) => lineOf(stringsOf(words)))}
            disabled={disabled}
            invalid={isWrong("key_command")}
            onChange={(words) => put("key_command", stringsOf(words))}
            parse={commandOf}
            write={(words) => lineOf(stringsOf(words))}
          />
        </Row>
        {modelNames && (
          <Row label={t("setting-llm-fallback")} top>
            <TagsEditor
              id={`${id}-fallback`}
              label={of("fallback")}
              value={values.fallback ?? []}
              suggestions={modelNames}
              emptyText={values.fallback === undefined ? silence("fallback", t("entries-empty"), names) : t("models-fallback-nobody")}
              onChange={(words) => put("fallback", stringsOf(words))}
              disabled={disabled}
              invalid={isWrong("fallback")}
              describedBy={undefined}
            />
            {!disabled && values.fallback === undefined && inherited?.fallback !== undefined && (
              <Button size="small" className="mt-1.5" onClick={() => onChange({ ...values, fallback: [] })}>
                {t("setting-llm-fallback-drop")}
              </Button>
            )}
            {!disabled && values.fallback?.length === 0 && (
              <Button size="small" className="mt-1.5" onClick={() => put("fallback", undefined)}>
                {t("setting-llm-fallback-keep")}
              </Button>
            )}
          </Row>
        )}
        <Row label={t("setting-llm-headers")} top>
          <HeadersEditor
            id={`${id}-headers`}
            label={of("headers")}
            value={values.headers ?? []}
            emptyText={inherited?.headers && silence("headers", "", (rows) => (rows as HeaderSetting[]).map((header) => header.name).join(", "))}
            onChange={(rows) => put("headers", rows as unknown as HeaderSetting[])}
            disabled={disabled}
            invalid={isWrong("headers")}
            describedBy={undefined}
          />
        </Row>
      </FieldGrid>
      <ModelTest model={model} />
    </div>
  );
}
