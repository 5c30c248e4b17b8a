import { Section } from "../../components";
import type { LoopView, ReviewerView } from "../../generated/wire";
import { useText, type Translate } from "../../i18n";
import { hasEnded } from "../../loop-state";
import { LinterRuns } from "./LinterRuns";
import { escalatedBy, reviewerName, reviewerTone, verdictText } from "./lifecycle";
import { StatusIcon, StatusLine, type StatusShape } from "../../components/StatusLine";

/** The panel: who looks, what each concluded, on which head, and who asked whom in. */
export function Reviewers({ loop }: { loop: LoopView }) {
  const t = useText();
  const several = loop.stages.length > 1;
  const panel = loop.stages.flatMap((stage) => stage.reviewers);
  const kind = panel.every((reviewer) => reviewer.kind === "rules") ? "rules" : null;
  const findings = panel.reduce((sum, reviewer) => sum + reviewer.findings, 0);
  const verdict = loop.consensus === null ? undefined : verdictText(t, { kind, verdict: loop.consensus, findings });
  return (
    <Section title={t("review-reviewers")} aside={verdict}>
      {loop.people.length > 0 && <People loop={loop} />}
      {loop.stages.length === 0 && <p className="text-dim">{t("review-reviewers-none")}</p>}
      {loop.stages.map((stage, index) => {
        const now = index === loop.current_stage && !hasEnded(loop.state);
        return (
          // Stages are known by their place alone.
          <div key={index}>
            {several && (
              <h4 className={`mt-1 text-sm ${now ? "text-text" : "text-faint"}`}>
                {t(now ? "review-stage-now" : "review-stage", { number: index + 1 })}
              </h4>
            )}
            <ul>
              {stage.reviewers.map((reviewer) => (
                <Reviewer key={reviewer.name} loop={loop} reviewer={reviewer} />
              ))}
            </ul>
          </div>
        );
      })}
    </Section>
  );
}

/** People beside the panel whose word counts: who asked for changes is waited for. */
function People({ loop }: { loop: LoopView }) {
  const t = useText();
  return (
    <ul>
      {loop.people.map((person) => {
        const approves = person.verdict === "approve";
        const verdict = t(`verdict-${person.verdict}`);
        const head = person.head_sha?.slice(0, 7);
        const outdated = !approves && person.head_sha !== loop.head_sha;
        return (
          <StatusLine
            key={person.login}
            icon={<StatusIcon shape={approves ? "done" : "alert"} tone={approves ? "ok" : "warn"} />}
            aside={head ? t(outdated ? "review-reviewer-outdated" : "review-reviewer-at", { verdict, head }) : verdict}
          >
            {approves || hasEnded(loop.state) ? `@${person.login}` : t("review-person-awaited", { login: person.login })}
          </StatusLine>
        );
      })}
    </ul>
  );
}

function Reviewer({ loop, reviewer }: { loop: LoopView; reviewer: ReviewerView }) {
  const t = useText();
  const requesters = escalatedBy(loop, reviewer.name).map((name) => reviewerName(t, name));
  return (
    <>
      <StatusLine icon={<StatusIcon shape={shapeOf(reviewer)} tone={reviewerTone(reviewer)} />} aside={statusText(t, reviewer)}>
        {reviewerName(t, reviewer.name, reviewer.kind)}
        {requesters.length > 0 && <span className="text-faint"> {t("review-reviewer-asked-in", { names: requesters.join(", ") })}</span>}
      </StatusLine>
      <LinterRuns runs={reviewer.linters} />
    </>
  );
}

function shapeOf(reviewer: ReviewerView): StatusShape {
  switch (reviewer.status) {
    case "waiting":
      return reviewer.kind === "human" ? "clock" : "todo";
    case "reviewing":
      return "running";
    case "failed":
      return "failed";
    case "reviewed":
    case "outdated":
      return reviewer.verdict === "approve" ? "done" : reviewer.verdict === null ? "none" : "alert";
  }
}

function statusText(t: Translate, reviewer: ReviewerView): string {
  const verdict = verdictText(t, reviewer);
  const head = reviewer.head_sha?.slice(0, 7);
  switch (reviewer.status) {
    case "waiting":
      return t(reviewer.kind === "human" ? "review-reviewer-awaited" : "review-reviewer-waiting");
    case "reviewing":
      return t("review-reviewer-reviewing");
    case "failed":
      return t("review-reviewer-failed");
    case "reviewed":
      return head ? t("review-reviewer-at", { verdict, head }) : verdict;
    case "outdated":
      return head ? t("review-reviewer-outdated", { verdict, head }) : verdict;
  }
}
