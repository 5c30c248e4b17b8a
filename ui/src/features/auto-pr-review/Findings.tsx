import { useId, useState } from "react";
import { Section } from "../../components";
import type { LoopView } from "../../generated/wire";
import { useText, type Translate } from "../../i18n";
import { hasEnded } from "../../loop-state";
import { Finding } from "./Finding";
import type { AutoPRReview } from "./useAutoPRReview";
import { countFindings, groupFindings, isOpen, openFirst, type FindingGroup, type Grouping } from "./findings";

/** Up to so many findings are read at a glance: nothing is folded, and no headings are needed. */
const MAX_UNGROUPED = 8;

/** What was found. */
export function Findings(props: { loop: LoopView; target: string | null; review: AutoPRReview }) {
  const t = useText();
  return (
    <Section title={t("review-findings")} aside={countsText(t, props.loop)}>
      <FindingList {...props} />
    </Section>
  );
}

/** Findings, the most urgent first, or round by round. */
export function FindingList({ loop, target, review }: { loop: LoopView; target: string | null; review: AutoPRReview }) {
  const t = useText();
  const [grouping, setGrouping] = useState<Grouping>("priority");
  const { findings } = loop;
  // Whoever is led to one sees it, also where it would be folded away.
  const [settled, setSettled] = useState(() => findings.some((one) => one.fingerprint === target && !isOpen(one)));
  const many = findings.length > MAX_UNGROUPED;
  const hidden = many && !settled ? findings.filter((one) => !isOpen(one)).length : 0;
  const shown = hidden > 0 ? findings.filter(isOpen) : findings;
  const rounds = new Set(findings.map((one) => one.first_round)).size;
  const headed = (grouping === "round" && rounds > 1) || many;
  const sorted = groupFindings(shown, grouping);
  const groups = headed || shown.length === 0 ? sorted : [{ key: "", findings: openFirst(sorted.flatMap((group) => group.findings)) }];
  return (
    <>
      {findings.length === 0 && (
        <p className="text-dim">{t(hasEnded(loop.state) || loop.proof ? "review-findings-none" : "review-findings-none-yet")}</p>
      )}
      {rounds > 1 && <GroupBy value={grouping} onChange={setGrouping} />}
      {findings.length > 0 && shown.length === 0 && <p className="text-dim">{t("review-findings-none-open")}</p>}
      {groups.map((group) => (
        <Group key={group.key} loop={loop} group={group} grouping={grouping} headed={headed} target={target} review={review} />
      ))}
      {many && (hidden > 0 || settled) && (
        <button
          type="button"
          aria-expanded={settled}
          className="mt-1 rounded py-1 text-sm text-dim hover:text-text"
          onClick={() => setSettled(!settled)}
        >
          {settled ? t("review-findings-hide-settled") : t("review-findings-show-settled", { count: hidden })}
        </button>
      )}
    </>
  );
}

function Group(props: {
  loop: LoopView;
  group: FindingGroup;
  grouping: Grouping;
  headed: boolean;
  target: string | null;
  review: AutoPRReview;
}) {
  const t = useText();
  const { loop, group, grouping, headed, target, review } = props;
  return (
    <div>
      {headed && (
        <h4 className="mt-2 flex items-baseline gap-2 pb-1 text-sm text-dim">
          {grouping === "priority" ? t(`review-priority-${group.key.toLowerCase()}`) : t("review-findings-round", { round: group.key })}
          <span className="text-faint">{group.findings.length}</span>
        </h4>
      )}
      <ul className="divide-y divide-line border-y border-line">
        {group.findings.map((finding) => (
          <Finding key={finding.fingerprint} loop={loop} finding={finding} target={finding.fingerprint === target} review={review} />
        ))}
      </ul>
    </div>
  );
}

/** Two ways of putting the findings together; one holds. */
function GroupBy({ value, onChange }: { value: Grouping; onChange: (value: Grouping) => void }) {
  const t = useText();
  const name = useId();
  return (
    <fieldset className="mb-1.5 inline-flex rounded-md bg-chip p-0.5">
      <legend className="sr-only">{t("review-findings-group")}</legend>
      {(["priority", "round"] as const).map((option) => (
        <label
          key={option}
          className="rounded-[5px] px-2 text-sm text-dim has-checked:bg-panel has-checked:text-text has-checked:shadow-raise has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            value={option}
            checked={value === option}
            onChange={() => onChange(option)}
            className="sr-only"
          />
          {t(`review-findings-by-${option}`)}
        </label>
      ))}
    </fieldset>
  );
}

/** `2 open · 1 fixed` */
export function countsText(t: Translate, loop: LoopView): string | undefined {
  const { open, fixed, dismissed, settled } = countFindings(loop.findings);
  const parts: string[] = [];
  if (open > 0) parts.push(t("review-findings-open", { count: open }));
  if (fixed > 0) parts.push(t("review-findings-fixed", { count: fixed }));
  if (dismissed > 0) parts.push(t("review-findings-dismissed", { count: dismissed }));
  if (settled > 0) parts.push(t("review-findings-settled", { count: settled }));
  return parts.length > 0 ? parts.join(" · ") : undefined;
}
