import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";
import { Button, Pill, ProblemBanner, type Tone } from "../../components";
import { useAct, useLoop, useSession } from "../../data";
import type { DemoScenario, State } from "../../generated/wire";
import { useText } from "../../i18n";

const TONES: Record<State, Tone> = {
  pr_created: "run",
  pr_awaiting_checks: "run",
  pr_reviewing: "run",
  pr_fixing: "run",
  pr_ready_to_merge: "ok",
  merged: "ok",
  closed: "none",
  cancelled: "none",
  needs_human: "warn",
  failed: "bad",
};

/** The demo's pull requests: what each shows, how far it is, and its start. */
export function DemoScenarios({ action }: { action?: ReactNode }) {
  const t = useText();
  const act = useAct();
  const { demo } = useSession();
  if (!demo) return null;
  const waiting = demo.scenarios.filter((scenario) => !scenario.started);
  const startAll = async () => {
    for (const { name } of waiting) await act.run({ command: "play_scenario", args: { scenario: name } });
  };
  return (
    <section aria-label={t("demo-heading")} className="flex flex-col gap-3">
      <div className="flex gap-2">
        <Button
          variant={waiting.length === demo.scenarios.length ? "primary" : "plain"}
          busy={act.pending}
          disabled={waiting.length === 0}
          onClick={() => void startAll().catch(() => undefined)}
        >
          {t("demo-start-all")}
        </Button>
        {action}
      </div>
      {act.problem && <ProblemBanner problem={act.problem} />}
      <ul className="divide-y divide-line rounded-xl border border-line bg-panel shadow-raise">
        {demo.scenarios.map((scenario) => (
          <ScenarioRow key={scenario.name} scenario={scenario} />
        ))}
      </ul>
    </section>
  );
}

/** Where the list shows a pull request. */
function addressOf(key: string): string {
  return `#/repo/${key.slice(0, key.lastIndexOf("#"))}?show=${encodeURIComponent(key)}`;
}

function ScenarioRow({ scenario }: { scenario: DemoScenario }) {
  const t = useText();
  const act = useAct();
  const loop = useLoop(scenario.key);
  const title = t(`scenario-${scenario.name}`);
  return (
    <li className="flex items-center gap-4 px-4 py-2">
      <div className="min-w-0 flex-1">
        <h2 className="font-medium">{title}</h2>
        <p className="text-sm text-dim text-pretty">{act.problem ? act.problem.message : t(`scenario-${scenario.name}-story`)}</p>
      </div>
      <div className="flex w-59 shrink-0 items-center justify-end gap-2">
        {scenario.started ? (
          <>
            <Pill tone={loop ? TONES[loop.state] : "run"}>{t(loop ? `state-${loop.state}` : "demo-started")}</Pill>
            <a href={addressOf(scenario.key)} aria-label={t("demo-watch-one", { title })} className="rounded p-1 text-faint hover:text-text">
              <ArrowRight aria-hidden className="size-4" />
            </a>
          </>
        ) : (
          <Button
            size="small"
            busy={act.pending}
            aria-label={t("demo-start-one", { title })}
            onClick={() => void act.run({ command: "play_scenario", args: { scenario: scenario.name } })}
          >
            {t("demo-start")}
          </Button>
        )}
      </div>
    </li>
  );
}
