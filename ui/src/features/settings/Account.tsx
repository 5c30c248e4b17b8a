import { useState, type ReactNode } from "react";
import { Button, Checkbox, ConfirmDialog } from "../../components";
import { useAct, useSession } from "../../data";
import type { AccountView } from "../../generated/wire";
import { useText } from "../../i18n";
import { AllowBanner, ScopesBanner } from "../onboarding";

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
        <div className="mt-3">{account.source === "demo" ? <LeaveDemo /> : <SignOut account={account} />}</div>
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

function SignOut({ account: { login, source } }: { account: AccountView }) {
  const t = useText();
  const act = useAct();
  const [asking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
    act.reset();
  };
  return (
    <>
      <Button variant="danger" onClick={() => setAsking(true)}>
        {t("settings-account-sign-out")}
      </Button>
      <ConfirmDialog
        title={t("settings-account-sign-out-title", { login })}
        text={t(source === "keychain" ? "settings-account-sign-out-text-keychain" : "settings-account-sign-out-text")}
        confirm={t("settings-account-sign-out-confirm")}
        danger
        open={asking}
        busy={act.pending}
        problem={act.problem}
        onConfirm={() => void act.run({ command: "sign_out" }).then(close, () => undefined)}
        onClose={close}
      />
    </>
  );
}

function LeaveDemo() {
  const t = useText();
  const act = useAct();
  const [asking, setAsking] = useState(false);
  const [forget, setForget] = useState(false);
  const close = () => {
    setAsking(false);
    act.reset();
  };
  return (
    <>
      <Button onClick={() => setAsking(true)}>{t("settings-account-leave-demo")}</Button>
      <ConfirmDialog
        title={t("settings-account-leave-demo-title")}
        text={t("settings-account-leave-demo-text")}
        confirm={t("settings-account-leave-demo-confirm")}
        danger={forget}
        open={asking}
        busy={act.pending}
        problem={act.problem}
        onConfirm={() => void act.run({ command: "leave_demo", args: { forget } }).then(close, () => undefined)}
        onClose={close}
      >
        <Checkbox label={t("settings-account-leave-demo-forget")} checked={forget} onChange={setForget} />
      </ConfirmDialog>
    </>
  );
}
