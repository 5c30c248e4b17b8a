import { Banner, Button, ProblemBanner } from "../../components";
import { useCommand, useSession } from "../../data";
import { useText } from "../../i18n";
import { OnboardingPage } from "./OnboardingPage";
import { useSignOut } from "./useSignOut";

/** Asks whether the account that signed in may start reviews (§9.1). */
export function AllowStep({ login, onLater }: { login: string; onLater: () => void }) {
  const t = useText();
  const command = useCommand();
  return (
    <OnboardingPage title={t("allow-title", { login })} text={t("allow-text", { login })} step={{ step: 3, steps: 4 }}>
      {command.problem && <ProblemBanner problem={command.problem} />}
      <div className="flex gap-2">
        <Button variant="primary" busy={command.pending} onClick={() => void command.run({ command: "allow_me" })}>
          {t("allow-button", { login })}
        </Button>
        <Button disabled={command.pending} onClick={onLater}>
          {t("allow-later")}
        </Button>
      </div>
    </OnboardingPage>
  );
}

/** Says that the account may not start reviews yet, with the way out; nothing when it may. */
export function AllowBanner() {
  const t = useText();
  const command = useCommand();
  const { account } = useSession();
  if (!account || account.allowed) return null;
  const login = account.login;
  return (
    <Banner
      tone="warn"
      title={t("allow-banner-title", { login })}
      actions={
        <Button size="small" busy={command.pending} onClick={() => void command.run({ command: "allow_me" })}>
          {t("allow-button", { login })}
        </Button>
      }
    >
      {command.problem ? [command.problem.message, ...command.problem.hints].join(" ") : t("allow-banner-text")}
    </Banner>
  );
}

/** Says which rights the token lacks, with the way out; nothing when it has all. */
export function ScopesBanner() {
  const t = useText();
  const command = useCommand();
  const signOut = useSignOut();
  const { account } = useSession();
  if (!account || account.missing_scopes.length === 0) return null;
  return (
    <Banner
      tone="warn"
      title={t("scopes-title", { scopes: account.missing_scopes.join(", ") })}
      actions={
        <>
          <Button size="small" onClick={() => void command.run({ command: "open", args: { target: { what: "new_token" } } })}>
            {t("scopes-new")}
          </Button>
          <Button size="small" onClick={signOut.ask}>
            {t("account-sign-in-again")}
          </Button>
          {signOut.dialog}
        </>
      }
    >
      {command.problem ? [command.problem.message, ...command.problem.hints].join(" ") : t("scopes-text")}
    </Banner>
  );
}
