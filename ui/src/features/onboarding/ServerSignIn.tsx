import { useText } from "../../i18n";
import { OnboardingPage } from "./OnboardingPage";
import { TokenForm } from "./TokenForm";

/** The way in to a server that others set up: a person's own token. */
export function ServerSignIn() {
  const t = useText();
  return (
    <OnboardingPage title={t("server-title")} text={t("server-text")}>
      <div className="rounded-xl border border-line bg-panel px-5 py-4 shadow-raise">
        <TokenForm server keychain={false} starting={false} />
      </div>
    </OnboardingPage>
  );
}
