import type { ReactNode } from "react";
import { Button } from "../../components";
import { useSession } from "../../data";
import { useText } from "../../i18n";
import { AllowBanner, ScopesBanner, useLeaveDemo, useSignOut } from "../onboarding";

/** Who is signed in, by which token, what it may do, and the way out. */
export function Account() {
  const t = useText();
  const { account } = useSession();
  if (!account) return <p className="py-3 text-dim">{t("settings-account-none")}</p>;
  return (
    <div className="flex flex-col gap-3 py-3">
      <AllowBanner />
      <ScopesBanner />
      <div className="rounded-lg border border-line bg-panel px-4 py-3">
        <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-6 gap-y-1">
          <Line name={t("settings-account-signed-in")}>
            {account.login ? <span className="font-medium">@{account.login}</span> : <span className="text-faint">{t("settings-account-unknown")}</span>}
          </Line>
          <Line name={t("settings-account-host")}>{account.host}</Line>
          <Line name={t("settings-account-source")}>{t(`settings-account-source-${account.source}`)}</Line>
          <Line name={t("settings-account-rights")}>
            {account.missing_scopes.length > 0
              ? t("settings-account-rights-missing", { scopes: account.missing_scopes.join(", ") })
              : t("settings-account-rights-ok")}
          </Line>
          <Line name={t("settings-account-allowed")}>
            {t(account.allowed ? "settings-account-allowed-yes" : "settings-account-allowed-no")}
          </Line>
        </dl>
        <div className="mt-3">{account.source === "demo" ? <LeaveDemo /> : <SignOut />}</div>
      </div>
    </div>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-dim">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

function SignOut() {
  const t = useText();
  const { ask, dialog } = useSignOut();
  return (
    <>
      <Button variant="danger" onClick={ask}>
        {t("sign-out")}
      </Button>
      {dialog}
    </>
  );
}

function LeaveDemo() {
  const t = useText();
  const { ask, dialog } = useLeaveDemo();
  return (
    <>
      <Button variant="danger" onClick={ask}>
        {t("demo-leave")}
      </Button>
      {dialog}
    </>
  );
}
