import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";
import { Button, Pill, ProblemBanner } from "../../components";
import { useCommand, useLoop, useSession } from "../../data";
import type { DemoScenario } from "../../generated/wire";
import { useText } from "../../i18n";
import { hasEnded, statePillOf } from "../../loop-state";
import { hrefOf, repoOf } from "../../routes";

/** The demo's pull requests: what each shows, how far it is, and its start. */
export function DemoScenarios({ action }: { action?: ReactNode }) {
  const t = useText();
  const command = useCommand();
  const { demo } = useSession();
  if (!demo) return null;
  const waiting = demo.scenarios.filter((scenario) => !scenario.started);
  const startAll = async () => {
    for (const { name } of waiting) await command.run({ command: "play_scenario", args: { scenario: name } });
  };
  return (
    <section aria-label={t("demo-heading")} className="flex flex-col gap-3">
      <div className="flex gap-2">
        <Button
          variant={waiting.length === demo.scenarios.length ? "primary" : "plain"}
          busy={command.pending}
          disabled={waiting.length === 0}
          onClick={() => void startAll().catch(() => undefined)}
        >
          {t("demo-start-all")}
        </Button>
        {action}
      </div>
      {command.problem && <ProblemBanner problem={command.problem} />}
      <ul className="@container divide-y divide-line rounded-xl border border-line bg-panel shadow-raise">
        {demo.scenarios.map((scenario) => (
          <ScenarioRow key={scenario.name} scenario={scenario} />
        ))}
      </ul>
    </section>
  );
}

function ScenarioRow({ scenario }: { scenario: DemoScenario }) {
  const t = useText();
  const command = useCommand();
  const loop = useLoop(scenario.key);
  const state = loop ? statePillOf({ loop }, t) : { tone: "run" as const, text: t("demo-started") };
  const again = scenario.started && loop !== undefined && hasEnded(loop.state);
  const title = t(`scenario-${scenario.name}`);
  return (
    <li className="flex items-center gap-x-4 gap-y-1.5 px-4 py-2 @max-[34rem]:flex-wrap">
      <div className="min-w-0 flex-1 @max-[34rem]:basis-full">
        <h2 className="font-medium">{title}</h2>
        <p className="text-sm text-dim text-pretty">{command.problem ? command.problem.message : t(`scenario-${scenario.name}-story`)}</p>
      </div>
      <div className="flex min-w-24 shrink-0 items-center justify-end gap-2 @max-[34rem]:min-w-0">
        {scenario.started && <Pill tone={state.tone}>{state.text}</Pill>}
        {(!scenario.started || again) && (
          <Button
            size="small"
            busy={command.pending}
            aria-label={t(again ? "demo-again-one" : "demo-start-one", { title })}
            onClick={() => void command.run({ command: "play_scenario", args: { scenario: scenario.name } })}
          >
            {t(again ? "demo-again" : "demo-start")}
          </Button>
        )}
        {scenario.started && (
          <a
            href={hrefOf({ page: "repo", repo: repoOf(scenario.key) }, scenario.key)}
            aria-label={t("demo-watch-one", { title })}
            className="rounded p-1 text-faint hover:text-text"
          >
            <ArrowRight aria-hidden className="size-4" />
          </a>
        )}
      </div>
    </li>
  );
}
