import { useState, type ReactNode } from "react";
import { ConfirmDialog } from "../../components";
import { useCommand, useSession } from "../../data";
import { useText } from "../../i18n";

/** Asks before the account is signed out: `dialog` belongs beside what asks. */
export function useSignOut(): { ask: () => void; dialog: ReactNode } {
  const t = useText();
  const command = useCommand();
  const { account } = useSession();
  const [asking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
    command.reset();
  };
  const dialog = (
    <ConfirmDialog
      title={account?.login ? t("sign-out-title", { login: account.login }) : t("sign-out-title-unknown")}
      text={t(account?.source === "keychain" ? "sign-out-text-keychain" : "sign-out-text")}
      confirm={t("sign-out-confirm")}
      danger
      open={asking}
      busy={command.pending}
      problem={command.problem}
      onConfirm={() => void command.run({ command: "sign_out" }).then(close, () => undefined)}
      onClose={close}
    />
  );
  return { ask: () => setAsking(true), dialog };
}
