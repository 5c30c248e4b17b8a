import { useState } from "react";
import { Section } from "../../components";
import type { CheckLine, CheckOutcome, LoopView } from "../../generated/wire";
import { useText, type Translate } from "../../i18n";
import { checkText } from "./lifecycle";
import { ShowMore } from "./ShowMore";
import { StatusIcon, StatusLine, type StatusShape } from "../../components/StatusLine";
import type { Tone } from "../../components";

const MAX_SHOWN = 6;
/** So few are all told of by name beside one that is not passed. */
const MAX_ALL_NAMED = 3;
/** So many that passed are named. */
const MAX_PASSED_NAMED = 4;
const marks: Record<CheckOutcome, { shape: StatusShape; tone: Tone }> = {
  failed: { shape: "failed", tone: "bad" },
  running: { shape: "running", tone: "run" },
  needs_action: { shape: "alert", tone: "warn" },
  passed: { shape: "done", tone: "ok" },
};
/** What comes first; checks of one rank stay as they are listed. */
const ranks: Record<CheckOutcome, number> = { failed: 0, running: 1, needs_action: 1, passed: 2 };

/** The checks of the head: what failed and what runs by name, what passed as a number. */
export function Checks({ loop, onOpen }: { loop: LoopView; onOpen: (name: string) => void }) {
  const t = useText();
  const [all, setAll] = useState(false);
  const { ci } = loop;
  const sorted = ci.checks.toSorted((one, other) => ranks[one.outcome] - ranks[other.outcome]);
  const urgent = sorted.filter((check) => check.outcome !== "passed");
  const few = urgent.length > 0 && sorted.length <= MAX_ALL_NAMED;
  const shown = all || few ? sorted : urgent.slice(0, MAX_SHOWN);
  // What passed is told of in one line; all of them are told of when that line names each.
  const listed = shown.length + (urgent.length === 0 && sorted.length <= MAX_PASSED_NAMED ? sorted.length : 0);
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
            <StatusLine icon={<StatusIcon shape="done" tone="ok" />}>
              {urgent.length > 0 ? t("review-checks-all-passed", { count: ci.passed }) : passedNames(t, sorted)}
            </StatusLine>
          )}
        </ul>
      )}
      {ci.workflow_files && <p className="wrap-anywhere text-warn">{t("review-checks-workflows", { names: ci.workflow_files.join(", ") })}</p>}
      <ShowMore open={all} count={sorted.length - listed} total={sorted.length} onToggle={() => setAll(!all)} />
    </Section>
  );
}

/** The first few of those that passed by name, the others as a number. */
function passedNames(t: Translate, checks: CheckLine[]): string {
  const names = checks.filter((check) => check.outcome === "passed").map((check) => check.name);
  if (names.length > MAX_PASSED_NAMED) return t("list-more", { first: names.slice(0, MAX_PASSED_NAMED - 1).join(", "), count: names.length - MAX_PASSED_NAMED + 1 });
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

/** How it stands, and where it failed by another’s fault, whose. */
function outcomeText(t: Translate, check: CheckLine): string {
  const conclusion = t(checkText(check));
  if (check.cause === undefined || check.cause === "regression") return conclusion;
  return t("review-check-cause", { conclusion, cause: t(`failure-cause-${check.cause}`) });
}

function Check({ check, onOpen }: { check: CheckLine; onOpen: (name: string) => void }) {
  const t = useText();
  return (
    <StatusLine icon={<StatusIcon {...marks[check.outcome]} />} aside={outcomeText(t, check)}>
      {check.url === null ? (
        check.name
      ) : (
        <button
          type="button"
          aria-label={t("review-check-open", { name: check.name })}
          className="rounded-sm text-start underline decoration-line decoration-1 underline-offset-3 hover:decoration-current"
          onClick={() => onOpen(check.name)}
        >
          {check.name}
        </button>
      )}
    </StatusLine>
  );
}
