import { useState, type ReactNode } from "react";
import { Button, ProblemBanner } from "../../components";
import { useCommand, useSession } from "../../data";
import type { DetectedCredentials } from "../../generated/wire";
import { useText, type Translate } from "../../i18n";
import { OnboardingPage } from "./OnboardingPage";
import { TokenForm } from "./TokenForm";

/** Three ways in: the account that was found, a token typed in, the demo. */
export function SignIn() {
  const t = useText();
  const session = useSession();
  const detected = session.credentials.token !== null;
  const starting = session.phase !== "onboarding";
  const [typing, setTyping] = useState(false);
  return (
    <OnboardingPage title={t("welcome-title")} text={t("welcome-text")}>
      {session.problem && <ProblemBanner problem={session.problem} />}
      <ul className="divide-y divide-line rounded-xl border border-line bg-panel shadow-raise">
        <DetectedAccount credentials={session.credentials} starting={starting} />
        <li className="px-5 py-4">
          <SignInOption title={t("signin-token")} text={t("signin-token-text")}>
            {!typing && (
              <Button variant={detected ? "plain" : "primary"} disabled={starting} onClick={() => setTyping(true)}>
                {t("signin-token-enter")}
              </Button>
            )}
          </SignInOption>
          {typing && <TokenForm keychain={session.credentials.keychain} starting={starting} onClose={() => setTyping(false)} />}
        </li>
        <DemoOption starting={starting} />
      </ul>
    </OnboardingPage>
  );
}

/** One way in: what it is, and its button. */
function SignInOption({ title, text, dim, children }: { title: string; text: string; dim?: boolean; children?: ReactNode }) {
  return (
    <div className="flex items-center gap-4">
      <div className="min-w-0 flex-1">
        <h2 className={`font-semibold break-words ${dim ? "text-faint" : ""}`}>{title}</h2>
        <p className="text-sm text-dim text-pretty">{text}</p>
      </div>
      {children}
    </div>
  );
}

function detectedText(t: Translate, credentials: DetectedCredentials): { title: string; text: string } {
  switch (credentials.token) {
    case null:
      return { title: t("signin-found-none"), text: t(credentials.gh_installed ? "signin-gh-out" : "signin-gh-missing") };
    case "environment":
      return { title: accountTitle(t, credentials.login), text: t("signin-found-environment") };
    case "keychain":
      return { title: accountTitle(t, credentials.login), text: t("signin-found-keychain") };
    case "gh":
    case "memory":
    case "demo":
      return { title: accountTitle(t, credentials.login), text: t("signin-found-gh") };
  }
}

function accountTitle(t: Translate, login: string | null): string {
  return login === null ? t("signin-found-unknown") : t("signin-found", { login });
}

function DetectedAccount({ credentials, starting }: { credentials: DetectedCredentials; starting: boolean }) {
  const t = useText();
  const command = useCommand();
  const detecting = useCommand();
  const { title, text } = detectedText(t, credentials);
  const missing = credentials.token === null;
  return (
    <li className="flex flex-col gap-3 px-5 py-4">
      <SignInOption title={title} text={text} dim={missing}>
        {missing ? (
          <Button busy={detecting.pending} disabled={starting} onClick={() => void detecting.run({ command: "detect_credentials" })}>
            {t("signin-look-again")}
          </Button>
        ) : (
          <Button
            variant="primary"
            busy={command.pending}
            disabled={starting}
            onClick={() => void command.run({ command: "sign_in_detected" })}
          >
            {t("signin-continue")}
          </Button>
        )}
      </SignInOption>
      {command.problem && <ProblemBanner problem={command.problem} />}
    </li>
  );
}

function DemoOption({ starting }: { starting: boolean }) {
  const t = useText();
  const command = useCommand();
  return (
    <li className="flex flex-col gap-3 px-5 py-4">
      <SignInOption title={t("signin-demo")} text={t(command.pending ? "signin-demo-busy" : "signin-demo-text")}>
        <Button busy={command.pending} disabled={starting} onClick={() => void command.run({ command: "start_demo" })}>
          {t("signin-demo-open")}
        </Button>
      </SignInOption>
      {command.problem && <ProblemBanner problem={command.problem} />}
    </li>
  );
}
