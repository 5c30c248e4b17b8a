import { Button, Logo, ProblemBanner, TextWithCode } from "../../components";
import { useCommand, useSession } from "../../data";
import { useText } from "../../i18n";
import { useSignOut } from "../onboarding";

/** In place of everything, when the engine could not be started: why, and the ways out. */
export function Stopped() {
  const t = useText();
  const command = useCommand();
  const open = useCommand();
  const signOut = useSignOut();
  const { problem, account, version } = useSession();
  return (
    <main className="grid h-full place-items-center overflow-auto bg-bg p-6">
      <div className="w-full max-w-110 rounded-xl bg-panel p-6 shadow-float">
        <Logo className="size-8 text-text" />
        <h1 className="mt-4 text-lg font-semibold">{t("stopped-heading")}</h1>
        <p className="mt-1 break-words">{problem?.message ?? t("stopped-unknown")}</p>
        {problem && problem.hints.length > 0 && (
          <ul className="mt-2 list-disc ps-4 text-dim marker:text-faint">
            {problem.hints.map((hint) => (
              <li key={hint} className="break-words">
                <TextWithCode text={hint} />
              </li>
            ))}
          </ul>
        )}
        <div className="mt-5 flex flex-wrap gap-2">
          <Button variant="primary" busy={command.pending} onClick={() => void command.run({ command: "try_again" })}>
            {t("try-again")}
          </Button>
          {account && (
            <Button disabled={command.pending} onClick={signOut.ask}>
              {t("sign-out")}
            </Button>
          )}
          <Button onClick={() => void open.run({ command: "open", args: { target: { what: "logs" } } })}>{t("stopped-logs")}</Button>
        </div>
        <div className="mt-3 flex flex-col gap-2 empty:hidden">
          {command.problem && command.problem.message !== problem?.message && <ProblemBanner problem={command.problem} />}
          {open.problem && <ProblemBanner problem={open.problem} />}
        </div>
        {signOut.dialog}
        <p className="mt-5 text-sm text-faint">{t("version", { version })}</p>
      </div>
    </main>
  );
}
