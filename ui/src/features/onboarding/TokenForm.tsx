import { Eye, EyeOff, ExternalLink } from "lucide-react";
import { useEffect, useRef, useState, type SubmitEvent } from "react";
import { Button, IconButton, TextField } from "../../components";
import { useAct } from "../../data";
import { useText } from "../../i18n";
import type { Problem } from "../../platform";

/** What went wrong because of the address, not the token. */
const OF_ADDRESS = ["not_github", "unreachable"];

function isOfAddress(problem: Problem | null): boolean {
  return problem !== null && OF_ADDRESS.includes(problem.code);
}

/** A token typed or pasted, checked with GitHub before it is kept. */
export function TokenForm({ keychain, onClose }: { keychain: boolean; onClose: () => void }) {
  const t = useText();
  const act = useAct();
  const page = useAct();
  const form = useRef<HTMLFormElement>(null);
  const [token, setToken] = useState("");
  const [address, setAddress] = useState("");
  const [visible, setVisible] = useState(false);
  const [empty, setEmpty] = useState(false);
  const [enterprise, setEnterprise] = useState(false);

  const ofAddress = isOfAddress(act.problem) && enterprise;
  const field = act.problem ? (ofAddress ? "api_url" : "token") : null;
  useEffect(() => {
    if (field) form.current?.querySelector<HTMLInputElement>(`[name=${field}]`)?.focus();
  }, [field, act.problem]);

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const typed = token.trim();
    setEmpty(typed === "");
    if (typed === "") form.current?.querySelector<HTMLInputElement>("[name=token]")?.focus();
    else void act.run({ command: "sign_in", args: { token: typed, api_url: address.trim() || null } });
  };
  const change = (set: (value: string) => void) => (value: string) => {
    set(value);
    setEmpty(false);
    act.reset();
  };

  return (
    <form ref={form} noValidate onSubmit={submit} className="mt-3 flex flex-col gap-3">
      <div className="flex flex-col gap-1">
        <div className="flex items-start gap-2">
          <TextField
            label={t("signin-token-label")}
            name="token"
            type={visible ? "text" : "password"}
            value={token}
            onChange={change(setToken)}
            disabled={act.pending}
            problem={empty ? t("signin-token-empty") : field === "token" ? act.problem?.message : null}
            help={t("signin-token-scopes")}
            className="flex-1 [&_input]:font-mono"
            autoFocus
          />
          <IconButton
            label={t(visible ? "signin-token-hide" : "signin-token-show")}
            onClick={() => setVisible(!visible)}
            className="mt-6 size-8"
          >
            {visible ? <EyeOff aria-hidden className="size-4" /> : <Eye aria-hidden className="size-4" />}
          </IconButton>
        </div>
        {field === "token" && <Hints problem={act.problem} />}
        <p className="text-sm text-faint">{t(keychain ? "signin-token-keychain" : "signin-token-memory")}</p>
      </div>
      <details open={enterprise} onToggle={(event) => setEnterprise(event.currentTarget.open)} className="text-sm">
        <summary className="w-fit rounded text-dim hover:text-text">{t("signin-enterprise")}</summary>
        <TextField
          label={t("signin-address-label")}
          name="api_url"
          type="url"
          value={address}
          onChange={change(setAddress)}
          disabled={act.pending}
          problem={field === "api_url" ? act.problem?.message : null}
          help={t("signin-address-help")}
          className="mt-2"
        />
        {field === "api_url" && <Hints problem={act.problem} />}
      </details>
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" variant="primary" busy={act.pending}>
          {t("signin-submit")}
        </Button>
        <Button disabled={act.pending} onClick={onClose}>
          {t("back")}
        </Button>
        <button
          type="button"
          className="ml-auto inline-flex items-center gap-1 rounded text-sm text-accent hover:underline"
          onClick={() => void page.run({ command: "open", args: { target: { what: "new_token" } } })}
        >
          {t("signin-token-new")}
          <ExternalLink aria-hidden className="size-3" />
        </button>
      </div>
      {page.problem && (
        <p role="alert" className="text-sm text-bad">
          {page.problem.message}
        </p>
      )}
    </form>
  );
}

function Hints({ problem }: { problem: Problem | null }) {
  if (!problem || problem.hints.length === 0) return null;
  return (
    <div role="alert" className="text-sm text-dim">
      {problem.hints.map((hint) => (
        <p key={hint}>{hint}</p>
      ))}
    </div>
  );
}
