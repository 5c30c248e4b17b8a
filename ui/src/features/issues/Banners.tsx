import { Banner, Button, ProblemBanner } from "../../components";
import { useCommand, useNow, useRights, useSession, useSilence } from "../../data";
import type { ConnectionView, PauseView } from "../../generated/wire";
import { formatRelativeTime, formatMoment, useLanguage, useText } from "../../i18n";
import { AllowBanner, ScopesBanner, useSignOut } from "../onboarding";

/** What stands in the way of everything, above the list; nothing when all is well. */
export function Banners() {
  const session = useSession();
  const { run, pending } = useCommand();
  const unauthorized = session.connection.status === "unauthorized";
  return (
    <div className="flex shrink-0 flex-col gap-2 px-5 not-empty:pt-3">
      {session.problem && !unauthorized && (
        <ProblemBanner problem={session.problem} busy={pending} onRetry={session.rights.own_machine ? () => void run({ command: "try_again" }) : undefined} />
      )}
      <HostSilent />
      <Connection {...session.connection} />
      {session.phase === "following" && <Following process={session.engine?.process ?? null} />}
      {session.pause && <Paused {...session.pause} />}
      <AllowBanner />
      <ScopesBanner />
    </div>
  );
}

/** Nothing comes from the server: what is shown is of then. */
function HostSilent() {
  const t = useText();
  const language = useLanguage();
  const since = useSilence();
  if (since === null) return null;
  return (
    <Banner tone="bad" title={t("host-silent")}>
      {t("host-silent-since", { at: formatMoment(language, since) })}
    </Banner>
  );
}

function Connection({ status, until }: ConnectionView) {
  const t = useText();
  const language = useLanguage();
  const at = until === null ? null : formatMoment(language, until);
  switch (status) {
    case "ok":
      return null;
    case "unreachable":
      return (
        <Banner tone="warn" title={t("connection-unreachable")}>
          {at === null ? t("connection-unreachable-text") : t("connection-unreachable-until", { at })}
        </Banner>
      );
    case "rate_limited":
      return (
        <Banner tone="warn" title={t("connection-rate-limited")}>
          {at === null ? t("connection-rate-limited-text") : t("connection-rate-limited-until", { at })}
        </Banner>
      );
    case "unauthorized":
      return (
        <Banner tone="bad" title={t("connection-unauthorized")} actions={<SignInAgain />}>
          {t("connection-unauthorized-text")}
        </Banner>
      );
  }
}

function SignInAgain() {
  const t = useText();
  const { ask, dialog } = useSignOut();
  // The token that GitHub refuses is the server's own.
  if (!useRights().own_machine) return null;
  return (
    <>
      <Button size="small" onClick={ask}>
        {t("account-sign-in-again")}
      </Button>
      {dialog}
    </>
  );
}

/** Everything is paused: said once, with the way on. */
function Paused({ by, since }: PauseView) {
  const t = useText();
  const language = useLanguage();
  const now = useNow(15_000);
  const { run, pending, problem } = useCommand();
  const { operate } = useRights();
  const actions = operate && (
    <Button size="small" disabled={pending} onClick={() => void run({ command: "set_paused", args: { paused: false } })}>
      {t("pause-end")}
    </Button>
  );
  return (
    <>
      <Banner tone="warn" title={t("pause-title")} actions={actions}>
        {t("pause-text", { login: by, at: formatRelativeTime(language, since, now) })}
      </Banner>
      {problem && <ProblemBanner problem={problem} />}
    </>
  );
}

function Following({ process }: { process: number | null }) {
  const t = useText();
  return (
    <Banner tone="none" title={process === null ? t("following") : t("following-process", { process: String(process) })}>
      {t("following-text")}
    </Banner>
  );
}
