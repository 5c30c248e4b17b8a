import { Button, Coded, ProblemBanner } from "../../components";
import { useAct, useSession } from "../../data";
import { useText } from "../../i18n";
import { useSignOut } from "../onboarding";
import { Mark } from "./Mark";

/** In place of everything, when the engine could not be started: why, and the ways out. */
export function Stopped() {
  const t = useText();
  const act = useAct();
  const open = useAct();
  const signOut = useSignOut();
  const { problem, account, version } = useSession();
  return (
    <main className="grid h-full place-items-center overflow-auto bg-bg p-6">
      <div className="w-full max-w-110 rounded-xl bg-panel p-6 shadow-float">
        <Mark className="size-8 text-text" />
        <h1 className="mt-4 text-lg font-semibold">{t("stopped-heading")}</h1>
        <p className="mt-1 break-words">{problem?.message ?? t("stopped-unknown")}</p>
        {problem && problem.hints.length > 0 && (
          <ul className="mt-2 list-disc pl-4 text-dim marker:text-faint">
            {problem.hints.map((hint) => (
              <li key={hint} className="break-words">
                <Coded text={hint} />
              </li>
            ))}
          </ul>
        )}
        <div className="mt-5 flex flex-wrap gap-2">
          <Button variant="primary" busy={act.pending} onClick={() => void act.run({ command: "try_again" })}>
            {t("try-again")}
          </Button>
          {account && (
            <Button disabled={act.pending} onClick={signOut.ask}>
              {t("sign-out")}
            </Button>
          )}
          <Button onClick={() => void open.run({ command: "open", args: { target: { what: "logs" } } })}>{t("stopped-logs")}</Button>
        </div>
        <div className="mt-3 flex flex-col gap-2 empty:hidden">
          {act.problem && act.problem.message !== problem?.message && <ProblemBanner problem={act.problem} />}
          {open.problem && <ProblemBanner problem={open.problem} />}
        </div>
        {signOut.dialog}
        <p className="mt-5 text-sm text-faint">{t("version", { version })}</p>
      </div>
    </main>
  );
}
