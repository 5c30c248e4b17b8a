import { Check, X, type LucideIcon } from "lucide-react";
import { useId, useMemo, useState, type ReactNode } from "react";
import { Button, ProblemBanner, TextWithCode } from "../../components";
import { useCommand } from "../../data";
import type { JsonValue, SettingProblem, SettingsView } from "../../generated/wire";
import { useText } from "../../i18n";
import { useKept } from "../../kept";
import { LevelChoice } from "../autonomy";
import { ModelChecks, type ModelRef } from "../models";
import { Costs } from "./Costs";
import { ModelChoice } from "./ModelChoice";
import { OnboardingPage } from "./OnboardingPage";
import { advance, progress } from "./progress";

const DAY = "budget.per_day_usd";

/** What Collie may do, may never do and costs, with what was found here, and how far it goes: before anything starts (§13.5, §13.7). */
export function FirstMinutes({ login, settings }: { login: string; settings: SettingsView }) {
  const t = useText();
  const save = useCommand();
  const typed = useKept(progress);
  const [refused, setRefused] = useState<SettingProblem[]>([]);
  const field = (key: string) => settings.fields.find((each) => each.key === key);
  const provider = field("llm.provider");
  const budget = field(DAY)?.value;
  const day = typed.day ?? (typeof budget === "number" ? String(budget) : "");
  const { provider: service, model: name, address } = typed;
  const model = useMemo((): ModelRef => {
    const changes: Record<string, JsonValue> = {};
    if (service !== "") changes["llm.provider"] = service;
    if (service !== "" && name.trim() !== "") changes["llm.model"] = name.trim();
    if (service !== "" && address.trim() !== "") changes["llm.url"] = address.trim();
    return { table: "llm", changes };
  }, [service, name, address]);
  // What stands at its field is not said again.
  const elsewhere = refused.filter(({ key }) => key !== DAY && key !== "llm.url");
  const edited = () => {
    setRefused([]);
    save.reset();
  };
  const goOn = () => {
    if (service !== "" && name.trim() === "") return setRefused([{ key: "llm.model", line: null, message: t("first-model-missing") }]);
    const changes: Record<string, JsonValue> = { ...model.changes, "desktop.new_repositories": typed.level };
    if (typed.day !== null) changes[DAY] = amountOf(typed.day);
    void save.run({ command: "save_settings", args: { changes } }).then(
      (problems) => (problems.length === 0 ? advance({ told: true }) : setRefused(problems)),
      () => undefined,
    );
  };
  return (
    <OnboardingPage wide title={t("first-title")} text={t("first-text")} step={{ step: 2, steps: 4 }}>
      <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
        <Part title={t("first-may")}>
          <Points icon={Check} points={[t("first-may-read"), t("first-may-post", { login }), t("first-may-push"), t("first-may-run")]} />
        </Part>
        <Part title={t("first-never")}>
          <Points icon={X} points={[t("first-never-merge"), t("first-never-force"), t("first-never-weaken"), t("first-never-token")]} />
        </Part>
      </div>
      <Part title={t("first-found")}>
        <p className="text-pretty text-dim">{t("first-found-without")}</p>
        <ModelChecks />
        {provider?.value === null && <ModelChoice field={provider} typed={typed} model={model} refused={refused} onEdit={edited} />}
      </Part>
      <Part title={t("first-cost")}>
        <Costs
          model={model}
          day={day}
          problem={refused.find(({ key }) => key === DAY)?.message ?? null}
          onDay={(text) => {
            advance({ day: text });
            edited();
          }}
        />
      </Part>
      <Part>
        <LevelChoice
          label={t("first-level")}
          level={typed.level}
          onChange={(level) => advance({ level })}
          disabled={save.pending}
          note={(level) => t(`first-level-${level}`, { login })}
        />
      </Part>
      {save.problem && <ProblemBanner problem={save.problem} />}
      {elsewhere.length > 0 && (
        <ul role="alert" className="text-bad">
          {elsewhere.map((problem) => (
            <li key={`${problem.key} ${problem.message}`}>
              <TextWithCode text={problem.message} />
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" busy={save.pending} onClick={goOn}>
          {t("first-save", { level: t(`autonomy-${typed.level}`) })}
        </Button>
        <Button disabled={save.pending} onClick={() => advance({ told: true })} aria-describedby="first-skip-text">
          {t("first-skip")}
        </Button>
      </div>
      <p id="first-skip-text" className="text-sm text-pretty text-dim">{t("first-skip-text")}</p>
    </OnboardingPage>
  );
}

/** What was typed as dollars; none where the field is empty, and what is no number is left for Rust to refuse. */
function amountOf(typed: string): JsonValue {
  const text = typed.trim().replace(",", ".");
  if (text === "") return null;
  const amount = Number(text);
  return Number.isFinite(amount) ? amount : typed;
}

function Part({ title, children }: { title?: string; children: ReactNode }) {
  const id = useId();
  if (title === undefined) return <section className="flex flex-col gap-2 border-t border-line pt-4">{children}</section>;
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-2 border-t border-line pt-4">
      <h2 id={id} className="font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function Points({ icon: Icon, points }: { icon: LucideIcon; points: string[] }) {
  return (
    <ul className="flex flex-col gap-1.5">
      {points.map((point) => (
        <li key={point} className="flex items-start gap-2">
          <Icon aria-hidden className="mt-1 size-3.5 shrink-0 text-dim" />
          <span className="min-w-0 text-pretty">{point}</span>
        </li>
      ))}
    </ul>
  );
}
