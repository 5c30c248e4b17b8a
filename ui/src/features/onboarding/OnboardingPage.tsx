import { useEffect, useRef, type ReactNode } from "react";
import { classNames, Logo, Select } from "../../components";
import { useCommand, useSession } from "../../data";
import { LANGUAGES, useLanguage, useText } from "../../i18n";

/** The calm page of the onboarding: one column, the name above, language and version below. */
export function OnboardingPage({ title, text, step, wide, children }: OnboardingPageProps) {
  const t = useText();
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that led here is gone, and the focus with it.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, []);
  const width = wide ? "max-w-184" : "max-w-126";
  return (
    <div className="flex h-full flex-col overflow-auto bg-bg">
      <main className={classNames("mx-auto w-full flex-1 px-6 pb-8", width, wide ? "pt-8" : "pt-[max(1.5rem,8vh)]")}>
        <div className="flex items-center gap-3 text-sm text-faint">
          <Logo className="size-8" />
          {step && t("welcome-step", step)}
        </div>
        <h1 ref={heading} tabIndex={-1} className="mt-4 text-xl font-semibold text-balance outline-none">{title}</h1>
        <p className="mt-1 text-balance text-dim">{text}</p>
        <div className="mt-5 flex flex-col gap-3">{children}</div>
      </main>
      <Footer width={width} />
    </div>
  );
}

interface OnboardingPageProps {
  title: string;
  text: string;
  step?: { step: number; steps: number };
  wide?: boolean;
  children: ReactNode;
}

function Footer({ width }: { width: string }) {
  const t = useText();
  const language = useLanguage();
  const { version, phase } = useSession();
  const command = useCommand();
  return (
    <footer className={classNames("mx-auto flex w-full items-center gap-3 px-6 pb-4 text-sm text-faint", width)}>
      <span className="flex-1">{t("version", { version })}</span>
      {command.problem && <span role="alert">{command.problem.message}</span>}
      {/* A server speaks the language that whoever runs it chose. */}
      {phase !== "sign_in" && (
        <Select
          bare
          label={t("welcome-language")}
          value={language}
          disabled={command.pending}
          options={LANGUAGES.map((each) => ({ value: each, label: t(`setting-language-${each}`) }))}
          onChange={(chosen) => void command.run({ command: "save_settings", args: { changes: { language: chosen } } })}
          className="w-30"
        />
      )}
    </footer>
  );
}
