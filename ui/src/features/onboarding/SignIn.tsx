import { useState, type ReactNode } from "react";
import { Button, ProblemBanner } from "../../components";
import { useAct, useSession } from "../../data";
import type { GhView } from "../../generated/wire";
import { useText, type Translate } from "../../i18n";
import { Page } from "./Page";
import { TokenForm } from "./TokenForm";

/** Three ways in: the account that was found, a token typed in, the demo. */
export function SignIn() {
  const t = useText();
  const session = useSession();
  const found = session.gh.token !== null;
  const starting = session.phase !== "onboarding";
  const [typing, setTyping] = useState(false);
  return (
    <Page title={t("welcome-title")} text={t("welcome-text")}>
      {session.problem && <ProblemBanner problem={session.problem} />}
      <ul className="divide-y divide-line rounded-xl border border-line bg-panel shadow-raise">
        <FoundAccount gh={session.gh} starting={starting} />
        <li className="px-5 py-4">
          <Way title={t("signin-token")} text={t("signin-token-text")}>
            {!typing && (
              <Button variant={found ? "plain" : "primary"} disabled={starting} onClick={() => setTyping(true)}>
                {t("signin-token-enter")}
              </Button>
            )}
          </Way>
          {typing && <TokenForm keychain={session.gh.keychain} starting={starting} onClose={() => setTyping(false)} />}
        </li>
        <Demo starting={starting} />
      </ul>
    </Page>
  );
}

/** One way in: what it is, and its button. */
function Way({ title, text, dim, children }: { title: string; text: string; dim?: boolean; children?: ReactNode }) {
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

function foundInWords(t: Translate, gh: GhView): { title: string; text: string } {
  switch (gh.token) {
    case null:
      return { title: t("signin-found-none"), text: t(gh.installed ? "signin-gh-out" : "signin-gh-missing") };
    case "environment":
      return { title: titled(t, gh.login), text: t("signin-found-environment") };
    case "keychain":
      return { title: titled(t, gh.login), text: t("signin-found-keychain") };
    case "gh":
    case "memory":
    case "demo":
      return { title: titled(t, gh.login), text: t("signin-found-gh") };
  }
}

function titled(t: Translate, login: string | null): string {
  return login === null ? t("signin-found-unknown") : t("signin-found", { login });
}

function FoundAccount({ gh, starting }: { gh: GhView; starting: boolean }) {
  const t = useText();
  const act = useAct();
  const looking = useAct();
  const { title, text } = foundInWords(t, gh);
  const missing = gh.token === null;
  return (
    <li className="flex flex-col gap-3 px-5 py-4">
      <Way title={title} text={text} dim={missing}>
        {missing ? (
          <Button busy={looking.pending} disabled={starting} onClick={() => void looking.run({ command: "look_around" })}>
            {t("signin-look-again")}
          </Button>
        ) : (
          <Button
            variant="primary"
            busy={act.pending}
            disabled={starting}
            onClick={() => void act.run({ command: "sign_in_found" })}
          >
            {t("signin-continue")}
          </Button>
        )}
      </Way>
      {act.problem && <ProblemBanner problem={act.problem} />}
    </li>
  );
}

function Demo({ starting }: { starting: boolean }) {
  const t = useText();
  const act = useAct();
  return (
    <li className="flex flex-col gap-3 px-5 py-4">
      <Way title={t("signin-demo")} text={t(act.pending ? "signin-demo-busy" : "signin-demo-text")}>
        <Button busy={act.pending} disabled={starting} onClick={() => void act.run({ command: "start_demo" })}>
          {t("signin-demo-open")}
        </Button>
      </Way>
      {act.problem && <ProblemBanner problem={act.problem} />}
    </li>
  );
}
