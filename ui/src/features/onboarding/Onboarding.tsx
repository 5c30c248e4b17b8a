import { useEffect, useState } from "react";
import { Button } from "../../components";
import { useAnswer, useSession } from "../../data";
import { useText } from "../../i18n";
import { AllowStep, ScopesBanner } from "./Allow";
import { ChooseRepositories } from "./ChooseRepositories";
import { DemoScenarios } from "./DemoScenarios";
import { ModelStep } from "./ModelStep";
import { OnboardingPage } from "./OnboardingPage";
import { SignIn } from "./SignIn";

type Step = "sign_in" | "allow" | "model" | "repositories" | "demo" | "done";

/** From the first start to the first pull request (§13.5): signing in, then what is still missing. */
export function Onboarding({ onDone }: { onDone: () => void }) {
  const t = useText();
  const session = useSession();
  const signedIn = session.phase === "running" || session.phase === "following";
  const repositories = useAnswer({ command: "repositories" }, { enabled: signedIn });
  const [later, setLater] = useState(false);
  const [chosen, setChosen] = useState(false);
  const [modelAsked, setModelAsked] = useState(false);
  const settings = useAnswer({ command: "settings" }, { enabled: signedIn && session.demo === null });
  const provider = settings.data?.fields.find(({ key }) => key === "llm.provider");
  const { account } = session;

  const step = ((): Step | null => {
    // The sign-in stays while what it started comes up.
    if (session.phase === "onboarding" || session.phase === "starting") return "sign_in";
    if (session.demo) return chosen ? "done" : "demo";
    // Who it is GitHub says a moment later; without an answer there is nothing to ask.
    if (!account?.login) return session.connection.status === "ok" ? "sign_in" : "done";
    if (!account.allowed && !later) return "allow";
    if (chosen) return "done";
    if (repositories.isPending) return null;
    if (repositories.data?.some((each) => each.chosen)) return "done";
    if (settings.isPending) return null;
    return !modelAsked && provider?.value === null ? "model" : "repositories";
  })();

  useEffect(() => {
    if (step === "done") onDone();
  }, [step, onDone]);

  switch (step) {
    case "sign_in":
      return <SignIn />;
    case "allow":
      return account && <AllowStep login={account.login} onLater={() => setLater(true)} />;
    case "model":
      return provider && <ModelStep field={provider} onDone={() => setModelAsked(true)} />;
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
