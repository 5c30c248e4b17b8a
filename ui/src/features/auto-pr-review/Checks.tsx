import { useState } from "react";
import { Section } from "../../components";
import type { CheckLine, LoopView } from "../../generated/wire";
import { useText, type Translate } from "../../i18n";
import { checkWord, outcomeOf, type CheckOutcome } from "./lifecycle";
import { Line, Mark, type MarkShape } from "./Marks";
import { Unfold } from "./Unfold";
import type { Tone } from "../../components";

const SHOWN = 6;
/** So few are all told of by name beside one that is not passed. */
const FEW = 3;
/** So many that passed are named. */
const NAMED = 4;
const marks: Record<CheckOutcome, { shape: MarkShape; tone: Tone }> = {
  failed: { shape: "failed", tone: "bad" },
  running: { shape: "running", tone: "run" },
  passed: { shape: "done", tone: "ok" },
};
const order: CheckOutcome[] = ["failed", "running", "passed"];

/** The checks of the head: what failed and what runs by name, what passed as a number. */
export function Checks({ loop, onOpen }: { loop: LoopView; onOpen: (name: string) => void }) {
  const t = useText();
  const [all, setAll] = useState(false);
  const { ci } = loop;
  const sorted = order.flatMap((outcome) => ci.checks.filter((check) => outcomeOf(check) === outcome));
  const urgent = sorted.filter((check) => outcomeOf(check) !== "passed");
  const few = urgent.length > 0 && sorted.length <= FEW;
  const shown = all || few ? sorted : urgent.slice(0, SHOWN);
  // What passed is told of in one line; all of them are told of when that line names each.
  const told = shown.length + (urgent.length === 0 && sorted.length <= NAMED ? sorted.length : 0);
  return (
    <Section title={t("review-checks")} aside={counts(t, loop)}>
      {ci.checks.length === 0 ? (
        <p className="text-dim">{t("review-checks-none")}</p>
      ) : (
        <ul>
          {shown.map((check, index) => (
            // Two workflows may have a check of one name.
            <Check key={`${check.name} ${index}`} check={check} onOpen={onOpen} />
          ))}
          {!all && !few && ci.passed > 0 && (
            <Line mark={<Mark shape="done" tone="ok" />}>
              {urgent.length > 0 ? t("review-checks-all-passed", { count: ci.passed }) : passedNames(t, sorted)}
            </Line>
          )}
        </ul>
      )}
      <Unfold open={all} count={sorted.length - told} total={sorted.length} onToggle={() => setAll(!all)} />
    </Section>
  );
}

/** The first few of those that passed by name, the others as a number. */
function passedNames(t: Translate, checks: CheckLine[]): string {
  const names = checks.filter((check) => outcomeOf(check) === "passed").map((check) => check.name);
  if (names.length > NAMED) return t("list-more", { first: names.slice(0, NAMED - 1).join(", "), count: names.length - NAMED + 1 });
  const last = names.pop() ?? "";
  return names.length === 0 ? last : t("list-and", { first: names.join(", "), last });
}

function counts(t: Translate, { ci }: LoopView): string {
  const parts: string[] = [];
  if (ci.failed > 0) parts.push(t("review-checks-failed", { count: ci.failed }));
  if (ci.running > 0) parts.push(t("review-checks-running", { count: ci.running }));
  if (ci.passed > 0) parts.push(t("review-checks-passed", { count: ci.passed }));
  return parts.join(" · ");
}

function Check({ check, onOpen }: { check: CheckLine; onOpen: (name: string) => void }) {
  const t = useText();
  const outcome = outcomeOf(check);
  const said = checkWord(check);
  const asks = check.conclusion === "action_required";
  const mark = asks ? <Mark shape="alert" tone="warn" /> : <Mark {...marks[outcome]} />;
  return (
    <Line mark={mark} aside={"key" in said ? t(said.key) : said.word}>
      {check.url === null ? (
        check.name
      ) : (
        <button
          type="button"
          aria-label={t("review-check-open", { name: check.name })}
          className="rounded-sm text-left underline decoration-line decoration-1 underline-offset-3 hover:decoration-current"
          onClick={() => onOpen(check.name)}
        >
          {check.name}
        </button>
      )}
    </Line>
  );
}
