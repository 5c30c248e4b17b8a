import { useId, useState, type ReactNode, type SubmitEvent } from "react";
import { Button, Dot, ProblemBanner, Skeleton, TextField, TextWithCode, useAnnounce, type Tone } from "../../components";
import { useAnswer, useCommand, useRights } from "../../data";
import type { ModelKeySource, ModelKeyView } from "../../generated/wire";
import { useText } from "../../i18n";
import { useSettled, type ModelRef } from "./changes";

const TONES: Record<ModelKeySource, Tone> = { keychain: "ok", variable: "ok", command: "ok", file: "ok", missing: "bad", unneeded: "none" };

/** Where the key of a model is, and a field to type one, which goes to the keychain. A key is never shown, wherever it is. */
export function ModelKey({ model }: { model: ModelRef }) {
  const { own_machine } = useRights();
  return own_machine ? <OwnKey model={model} /> : null;
}

function OwnKey({ model }: { model: ModelRef }) {
  const t = useText();
  const settled = useSettled(model);
  const answer = useAnswer({ command: "model_key", args: settled }, { keepPrevious: true });
  const key = answer.data;
  if (answer.error) {
    return (
      <p role="status" className="text-sm text-dim">
        <TextWithCode text={answer.error.message} />
      </p>
    );
  }
  if (!key) return <Skeleton className="h-8 w-60" />;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <p className="flex items-baseline gap-2">
        <Dot tone={TONES[key.source]} />
        <span className="min-w-0 break-words">{t(`models-key-${key.source}`, { name: key.name ?? "" })}</span>
      </p>
      <Notes modelKey={key} />
      {key.editable && !key.problem?.is_absent && <KeyForm key={`${key.provider} ${key.host} ${key.stored}`} model={settled} modelKey={key} />}
    </div>
  );
}

/** What else is good to know of where a key is. */
function Notes({ modelKey }: { modelKey: ModelKeyView }) {
  const t = useText();
  const { source, stored, problem, editable, variables, name } = modelKey;
  const notes: ReactNode[] = [];
  if (stored && source === "variable") notes.push(t("models-key-shadowed", { name: name ?? "" }));
  if (!editable && source === "missing") notes.push(t("models-key-variable-unset", { variables: variables.join(", ") }));
  if (problem) notes.push(<TextWithCode text={[problem.message, ...problem.hints].join(" ")} />);
  if (problem?.is_absent) notes.push(t("models-key-variables", { variables: variables.join(", ") }));
  if (notes.length === 0) return null;
  return (
    <div className="flex flex-col gap-1 text-sm text-pretty text-dim">
      {notes.map((note, at) => (
        <p key={at}>{note}</p>
      ))}
    </div>
  );
}

/** Types a key, another one in place of it, or takes it out. */
function KeyForm({ model, modelKey }: { model: ModelRef; modelKey: ModelKeyView }) {
  const t = useText();
  const id = useId();
  const announce = useAnnounce();
  const save = useCommand();
  const remove = useCommand();
  const [typed, setTyped] = useState("");
  const [empty, setEmpty] = useState(false);
  const [replacing, setReplacing] = useState(false);
  const { stored, host, provider } = modelKey;
  const problem = save.problem ?? remove.problem;

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (save.pending) return;
    setEmpty(typed.trim() === "");
    if (typed.trim() === "") return;
    void save.run({ command: "set_model_key", args: { ...model, secret: typed } }).then(
      () => {
        setTyped("");
        setReplacing(false);
        announce(t("models-key-saved"));
      },
      () => undefined,
    );
  };
  const takeOut = () => void remove.run({ command: "remove_model_key", args: model }).then(() => announce(t("models-key-removed")), () => undefined);

  if (stored && !replacing) {
    return (
      <div className="flex flex-col gap-2">
        <div className="flex flex-wrap gap-2">
          <Button size="small" disabled={remove.pending} onClick={() => setReplacing(true)}>
            {t("models-key-replace")}
          </Button>
          <Button size="small" variant="danger" busy={remove.pending} onClick={takeOut}>
            {t("models-key-remove")}
          </Button>
        </div>
        {problem && <ProblemBanner problem={problem} />}
      </div>
    );
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-start gap-2">
        <TextField
          bare
          label={t("models-key-field")}
          placeholder={t("models-key-placeholder")}
          type="password"
          value={typed}
          onChange={(text) => {
            setTyped(text);
            setEmpty(false);
            save.reset();
          }}
          disabled={save.pending}
          autoFocus={replacing}
          autoComplete="new-password"
          aria-invalid={empty || save.problem !== null || undefined}
          aria-describedby={`${id}-note`}
          className="min-w-40 flex-1 [&_input]:font-mono"
        />
        <Button type="submit" busy={save.pending}>
          {t("models-key-save")}
        </Button>
        {replacing && (
          <Button disabled={save.pending} onClick={() => setReplacing(false)}>
            {t("models-key-cancel")}
          </Button>
        )}
      </div>
      <div id={`${id}-note`} className="flex flex-col gap-1 text-sm text-pretty text-faint">
        <div role="alert" className="empty:hidden">
          {(empty || problem) && <p className="text-bad">{empty ? t("models-key-empty") : problem?.message}</p>}
          {!empty &&
            problem?.hints.map((hint) => (
              <p key={hint} className="text-text">
                <TextWithCode text={hint} />
              </p>
            ))}
        </div>
        <p>{host ? t("models-key-help-host", { host }) : t("models-key-help", { provider: t(`setting-llm-provider-${provider}`) })}</p>
      </div>
    </form>
  );
}
