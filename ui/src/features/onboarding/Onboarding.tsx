import { useEffect, useState } from "react";
import { Button } from "../../components";
import { useAnswer, useSession } from "../../data";
import { useText } from "../../i18n";
import { useKept } from "../../kept";
import { AllowStep, ScopesBanner } from "./Allow";
import { ChooseRepositories } from "./ChooseRepositories";
import { DemoScenarios } from "./DemoScenarios";
import { FirstMinutes } from "./FirstMinutes";
import { OnboardingPage } from "./OnboardingPage";
import { advance, progress } from "./progress";
import { SignIn } from "./SignIn";

type Step = "sign_in" | "first" | "allow" | "repositories" | "demo" | "done";

/** From the first start to the first pull request (§13.5): signing in, then what is still missing. */
export function Onboarding({ onDone }: { onDone: () => void }) {
  const t = useText();
  const session = useSession();
  const signedIn = session.phase === "running" || session.phase === "following";
  const repositories = useAnswer({ command: "repositories" }, { enabled: signedIn });
  const { told, later } = useKept(progress);
  const [chosen, setChosen] = useState(false);
  const settings = useAnswer({ command: "settings" }, { enabled: signedIn && session.demo === null });
  const { account } = session;

  const step = ((): Step | null => {
    // The sign-in stays while what it started comes up.
    if (session.phase === "onboarding" || session.phase === "starting") return "sign_in";
    if (session.demo) return chosen ? "done" : "demo";
    // Who it is GitHub says a moment later; without an answer there is nothing to ask.
    if (!account?.login) return session.connection.status === "ok" ? "sign_in" : "done";
    if (repositories.isPending || settings.isPending) return null;
    const known = repositories.data?.some((each) => each.chosen);
    if (!told && !known && settings.data) return "first";
    if (!account.allowed && !later) return "allow";
    return chosen || known ? "done" : "repositories";
  })();

  useEffect(() => {
    if (step === "done") onDone();
  }, [step, onDone]);

  switch (step) {
    case "sign_in":
      return <SignIn />;
    case "first":
      return account && settings.data && <FirstMinutes login={account.login} settings={settings.data} />;
    case "allow":
      return account && <AllowStep login={account.login} onLater={() => advance({ later: true })} />;
    case "repositories":
      return (
        <OnboardingPage title={t("choose-title")} text={t("choose-text")} step={{ step: 4, steps: 4 }}>
          <ScopesBanner />
          <ChooseRepositories onDone={() => setChosen(true)} skippable />
        </OnboardingPage>
      );
    case "demo":
      return (
        <OnboardingPage wide title={t("demo-heading")} text={t("demo-text")}>
          <DemoScenarios
            action={
              <Button variant={session.demo?.scenarios.some(({ started }) => started) ? "primary" : "plain"} onClick={() => setChosen(true)}>
                {t("demo-to-list")}
              </Button>
            }
          />
        </OnboardingPage>
      );
    case "done":
    case null:
      return null;
  }
}
