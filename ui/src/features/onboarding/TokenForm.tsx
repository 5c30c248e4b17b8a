import { Eye, EyeOff, ExternalLink } from "lucide-react";
import { useEffect, useId, useRef, useState, type ReactNode, type SubmitEvent } from "react";
import { Button, IconButton, TextField, TextWithCode } from "../../components";
import { useCommand } from "../../data";
import { useText } from "../../i18n";
import type { Problem } from "../../platform";

/** What goes wrong because of the address, not the token. */
const ADDRESS_CODES: readonly Problem["code"][] = ["not_github", "unreachable", "bad_url"];

interface TokenFormProps {
  keychain: boolean;
  starting: boolean;
  /** It is for a server, which has an address of GitHub already, and acts as the person alone. */
  server?: boolean;
  onClose?: () => void;
}

/** A token typed or pasted, checked with GitHub before it is kept. */
export function TokenForm({ keychain, starting, server = false, onClose }: TokenFormProps) {
  const t = useText();
  const id = useId();
  const command = useCommand();
  const form = useRef<HTMLFormElement>(null);
  const [token, setToken] = useState("");
  const [address, setAddress] = useState("");
  const [visible, setVisible] = useState(false);
  const [empty, setEmpty] = useState(false);
  const [enterprise, setEnterprise] = useState(false);

  const { problem } = command;
  const isAddressProblem = problem !== null && enterprise && ADDRESS_CODES.includes(problem.code);
  const invalidField = problem === null ? null : isAddressProblem ? "api_url" : "token";
  useEffect(() => {
    if (invalidField) form.current?.querySelector<HTMLInputElement>(`[name=${invalidField}]`)?.focus();
  }, [invalidField, problem]);

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const typed = token.trim();
    setEmpty(typed === "");
    if (typed === "") form.current?.querySelector<HTMLInputElement>("[name=token]")?.focus();
    else void command.run({ command: "sign_in", args: { token: typed, api_url: address.trim() || null } });
  };
  const change = (set: (value: string) => void) => (value: string) => {
    set(value);
    setEmpty(false);
    command.reset();
  };

  return (
    <form ref={form} noValidate onSubmit={submit} className="mt-3 flex flex-col gap-3">
      <div>
        <div className="flex items-end gap-1">
          <TextField
            label={t("signin-token-label")}
            name="token"
            type={visible ? "text" : "password"}
            value={token}
            onChange={change(setToken)}
            disabled={command.pending}
            aria-invalid={empty || invalidField === "token" || undefined}
            aria-describedby={`${id}-token`}
            className="flex-1 [&_input]:font-mono"
            autoFocus
          />
          <IconButton label={t(visible ? "signin-token-hide" : "signin-token-show")} onClick={() => setVisible(!visible)} className="size-8">
            {visible ? <EyeOff aria-hidden className="size-4" /> : <Eye aria-hidden className="size-4" />}
          </IconButton>
        </div>
        <FieldNotes id={`${id}-token`} problem={invalidField === "token" ? problem : null} empty={empty ? t("signin-token-empty") : null}>
          <p>
            {server ? t("server-token-note") : `${t("signin-token-scopes")} ${t(keychain ? "signin-token-keychain" : "signin-token-memory")}`}
          </p>
        </FieldNotes>
      </div>
      {!server && (
        <details open={enterprise} onToggle={(event) => setEnterprise(event.currentTarget.open)}>
          <summary className="w-fit rounded text-sm text-dim hover:text-text">{t("signin-enterprise")}</summary>
          <TextField
            label={t("signin-address-label")}
            name="api_url"
            type="url"
            value={address}
            onChange={change(setAddress)}
            disabled={command.pending}
            aria-invalid={invalidField === "api_url" || undefined}
            aria-describedby={`${id}-address`}
            className="mt-2"
          />
          <FieldNotes id={`${id}-address`} problem={invalidField === "api_url" ? problem : null} empty={null}>
            <p>{t("signin-address-help")}</p>
          </FieldNotes>
        </details>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" variant="primary" busy={command.pending} disabled={starting}>
          {t("signin-submit")}
        </Button>
        {onClose && (
          <Button disabled={command.pending || starting} onClick={onClose}>
            {t("back")}
          </Button>
        )}
        <NewToken />
      </div>
    </form>
  );
}

/** Below a field: what is wrong with it and what can be done, then what is good to know. */
function FieldNotes({ id, problem, empty, children }: { id: string; problem: Problem | null; empty: string | null; children: ReactNode }) {
  return (
    <div id={id} className="mt-1 flex flex-col gap-1 text-sm text-faint">
      <div role="alert" className="empty:hidden">
        {(problem || empty) && <p className="text-bad">{problem?.message ?? empty}</p>}
        {problem?.hints.map((hint) => (
          <p key={hint} className="text-text">
            <TextWithCode text={hint} />
          </p>
        ))}
      </div>
      {children}
    </div>
  );
}

function NewToken() {
  const t = useText();
  const command = useCommand();
  return (
    <span className="ms-auto flex flex-wrap items-center gap-2 text-sm">
      {command.problem && (
        <span role="alert" className="text-bad">
          {command.problem.message}
        </span>
      )}
      <button
        type="button"
        className="inline-flex items-center gap-1 rounded text-accent hover:underline"
        onClick={() => void command.run({ command: "open", args: { target: { what: "new_token" } } })}
      >
        {t("signin-token-new")}
        <ExternalLink aria-hidden className="size-3" />
      </button>
    </span>
  );
}
