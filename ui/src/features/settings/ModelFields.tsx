import { useId, type ReactNode } from "react";
import { classNames, Select } from "../../components";
import type { HeaderSetting, ModelOptions } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import { ModelKey, ModelTest, type ModelRef } from "../models";
import { commandOf, lineOf } from "./command";
import { INPUT, stringsOf, useTyped } from "./editing";
import { HeadersEditor } from "./HeadersEditor";
import { choiceOf } from "./labels";
import { asText, parseNumber, TagsEditor, writeNumber } from "./ValueEditors";

/** What may be said of a model, and who may take over from it. */
export type ModelFieldValues = ModelOptions & { fallback?: string[] };

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
  /** Whether what is left out is as for all. */
  inherits: boolean;
  disabled: boolean;
  /** Keys with something wrong, in full. */
  wrong: string[];
  /** Shown before everything else. */
  children?: ReactNode;
}

/** The options of one model, with its key and its test. */
export function ModelFields({ name, model, values, onChange, providers, efforts, modelNames, inherits, disabled, wrong, children }: ModelFieldsProps) {
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
  const usual = t(inherits ? "models-same" : "models-usual");
  const of = (key: string) => t("models-field-of", { field: t(`setting-llm-${key}`), name });
  const isWrong = (key: string) => wrong.includes(`${model.table}.${key}`);
  const choice = (key: "provider" | "effort", words: string[]) => (
    <Row label={t(`setting-llm-${key}`)}>
      <Select
        bare
        label={of(key)}
        value={values[key] ?? ""}
        options={[{ value: "", label: inherits ? usual : t("settings-none") }, ...words.map((word) => ({ value: word, label: choiceOf(t, language, `llm.${key}`, word) }))]}
        onChange={(word) => put(key, word === "" ? undefined : word)}
        disabled={disabled}
        invalid={isWrong(key)}
      />
    </Row>
  );
  const line = (key: "url" | "key_variable") => (
    <Row label={t(`setting-llm-${key}`)}>
      <Line label={of(key)} value={values[key]} placeholder={usual} disabled={disabled} invalid={isWrong(key)} onChange={(text) => put(key, text as string | undefined)} parse={(text) => text.trim()} write={asText} />
    </Row>
  );
  const number = (key: "temperature" | "max_tokens" | "context_tokens") => (
    <Row label={t(`setting-llm-${key}`)}>
      <Line label={of(key)} value={values[key]} placeholder={usual} disabled={disabled} invalid={isWrong(key)} onChange={(text) => put(key, text as number | string | undefined)} parse={parseNumber} write={writeNumber(language)} />
    </Row>
  );
  return (
    <div className="flex flex-col gap-3 border-t border-line bg-bg/50 px-3 py-3">
      <div className="grid grid-cols-[minmax(0,128px)_minmax(0,1fr)] items-center gap-x-3 gap-y-1.5">
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
            placeholder={usual}
            disabled={disabled}
            invalid={isWrong("key_command")}
            onChange={(words) => put("key_command", stringsOf(words))}
            parse={commandOf}
            write={(words) => lineOf(stringsOf(words))}
          />
        </Row>
        {modelNames && (
          <Row label={t("setting-llm-fallback")}>
            <TagsEditor
              id={`${id}-fallback`}
              label={of("fallback")}
              value={values.fallback ?? []}
              suggestions={modelNames}
              onChange={(words) => put("fallback", stringsOf(words))}
              disabled={disabled}
              invalid={isWrong("fallback")}
              describedBy={undefined}
            />
          </Row>
        )}
        <Row label={t("setting-llm-headers")} top>
          <HeadersEditor
            id={`${id}-headers`}
            label={of("headers")}
            value={values.headers ?? []}
            onChange={(rows) => put("headers", rows as unknown as HeaderSetting[])}
            disabled={disabled}
            invalid={isWrong("headers")}
            describedBy={undefined}
          />
        </Row>
      </div>
      <ModelTest model={model} />
    </div>
  );
}

function Row({ label, top, children }: { label: string; top?: boolean; children: ReactNode }) {
  return (
    <>
      <span aria-hidden className={classNames("text-sm text-dim", top && "self-start pt-1.5")}>
        {label}
      </span>
      <div className="min-w-0">{children}</div>
    </>
  );
}

interface LineProps<T> {
  label: string;
  value: unknown;
  placeholder: string;
  disabled: boolean;
  invalid: boolean;
  onChange: (value: unknown) => void;
  parse: (text: string) => T;
  write: (value: unknown) => string;
}

/** One line. Nothing written is nothing said. */
function Line<T extends string | number | string[]>({ label, value, placeholder, disabled, invalid, onChange, parse, write }: LineProps<T>) {
  const [typed, read] = useTyped(value ?? null, (text) => (text.trim() === "" ? (Array.isArray(value) ? [] : null) : parse(text)), write);
  return (
    <input
      aria-label={label}
      aria-invalid={invalid || undefined}
      value={typed}
      placeholder={placeholder}
      disabled={disabled}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(read(event.target.value) ?? undefined)}
      className={`${INPUT} h-8 w-full`}
    />
  );
}
