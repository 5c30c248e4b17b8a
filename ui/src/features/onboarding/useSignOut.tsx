import { useState, type ReactNode } from "react";
import { Checkbox, ConfirmDialog } from "../../components";
import { useCommand, useSession } from "../../data";
import { useText } from "../../i18n";

/** Asks before the account is signed out: `dialog` belongs beside what asks. On a server it may be signed out on every browser. */
export function useSignOut(): { ask: () => void; dialog: ReactNode } {
  const t = useText();
  const command = useCommand();
  const { account, server } = useSession();
  const [asking, setAsking] = useState(false);
  const [everywhere, setEverywhere] = useState(false);
  const close = () => {
    setAsking(false);
    setEverywhere(false);
    command.reset();
  };
  const kept = account?.source === "keychain" ? t("sign-out-text-keychain") : t("sign-out-text");
  const dialog = (
    <ConfirmDialog
      title={account?.login ? t("sign-out-title", { login: account.login }) : t("sign-out-title-unknown")}
      text={server ? t("sign-out-text-server") : kept}
      confirm={t("sign-out-confirm")}
      danger
      open={asking}
      busy={command.pending}
      problem={command.problem}
      onConfirm={() => void command.run({ command: everywhere ? "sign_out_everywhere" : "sign_out" }).then(close, () => undefined)}
      onClose={close}
    >
      {server && <Checkbox label={t("sign-out-everywhere")} checked={everywhere} onChange={setEverywhere} />}
    </ConfirmDialog>
  );
  return { ask: () => setAsking(true), dialog };
}
