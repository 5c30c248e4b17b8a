import { useSession } from "../../data";
import { useText } from "../../i18n";
import { DeviceSignIn } from "./DeviceSignIn";
import { OnboardingPage } from "./OnboardingPage";
import { TokenForm } from "./TokenForm";

/** The way in to a server that others set up: a code that is typed on GitHub's page, where the server has an app for it, or a person's own token. */
export function ServerSignIn() {
  const t = useText();
  const { device_sign_in: byCode } = useSession();
  return (
    <OnboardingPage title={t("server-title")} text={t("server-text")}>
      {byCode && (
        <div className="mb-3 rounded-xl border border-line bg-panel px-5 py-4 shadow-raise">
          <DeviceSignIn />
        </div>
      )}
      <div className="rounded-xl border border-line bg-panel px-5 py-4 shadow-raise">
        {byCode && <h2 className="text-sm text-dim">{t("server-token-instead")}</h2>}
        <TokenForm server keychain={false} starting={false} />
      </div>
    </OnboardingPage>
  );
}
