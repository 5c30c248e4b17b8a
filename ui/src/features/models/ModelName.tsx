import { useId, useState } from "react";
import { Combobox, TextWithCode } from "../../components";
import { useAnswer } from "../../data";
import type { ListedModelView } from "../../generated/wire";
import { formatNumber, useLanguage, useText } from "../../i18n";
import { serviceOf, type ModelRef } from "./changes";

interface ModelNameProps {
  id?: string;
  label: string;
  value: string;
  onChange: (name: string) => void;
  /** Of which service models are listed; none while no provider is chosen. */
  model: ModelRef | null;
  placeholder?: string;
  disabled?: boolean;
  invalid?: boolean;
  bare?: boolean;
  describedBy?: string;
  className?: string;
}

/** The name of a model: typed, or chosen of those that the service lists, which is asked once the field is entered. */
export function ModelName({ id, label, value, onChange, model, placeholder, disabled, invalid, bare, describedBy, className }: ModelNameProps) {
  const t = useText();
  const language = useLanguage();
  const own = useId();
  const [asked, setAsked] = useState<ModelRef | null>(null);
  const service = model && serviceOf(model);
  // A list of another service is none of this one's.
  const current = asked !== null && service !== null && JSON.stringify(asked) === JSON.stringify(service) ? asked : null;
  const list = useAnswer({ command: "list_models", args: current ?? { table: "", changes: {} } }, { enabled: current !== null });
  const listed = current ? list.data : undefined;
  const optionOf = ({ name, title, context_tokens }: ListedModelView) => {
    const size = context_tokens === null ? null : t("models-name-context", { tokens: formatNumber(language, context_tokens) });
    const words = [title, size].filter((each) => each !== null);
    return words.length > 0 ? { value: name, label: words.join(" · ") } : { value: name };
  };
  const typed = value.trim();
  const known = typed === "" || listed?.some(({ name }) => name === typed);
  return (
    <div className={className}>
      <Combobox
        bare={bare}
        id={id}
        label={label}
        value={value}
        options={listed?.map(optionOf) ?? []}
        onChange={onChange}
        onFocus={() => setAsked(service)}
        placeholder={placeholder}
        disabled={disabled}
        aria-invalid={invalid || undefined}
        aria-busy={(current !== null && list.isFetching) || undefined}
        aria-describedby={[describedBy, `${own}-list`].filter(Boolean).join(" ")}
      />
      <p id={`${own}-list`} role="status" className="mt-1 text-sm text-pretty break-words text-faint empty:hidden">
        {current !== null && list.isFetching
          ? t("models-name-loading")
          : current !== null && list.error
            ? <TextWithCode text={t("models-name-unlistable", { reason: list.error.message })} />
            : listed
              ? t(listed.length === 0 ? "models-name-none" : known ? "models-name-listed" : "models-name-unlisted", { count: listed.length })
              : null}
      </p>
    </div>
  );
}
