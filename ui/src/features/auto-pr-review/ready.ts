import type { CheckConclusion, LoopView, ProofLeft, ProofVerdict, ProofView } from "../../generated/wire";
import { formatList, type Language, type Translate } from "../../i18n";
import { reviewerName } from "./lifecycle";

/** Why something is not proven, as the end of the Fluent key `ready-unproven-…`. */
export type UnprovenCode = "unread" | "no-checks" | "not-run" | "flaky" | "workflows" | "unverified" | "unseen" | "rules-only" | "lost-lines" | "bots" | "dismissed" | "declined" | "stuck";

/** Something that the proof of ready does not say, with what it is about. */
export interface Unproven {
  code: UnprovenCode;
  count: number;
  /** Checks, files, commands or bots; may be empty. */
  names: string[];
}

/** What nobody has shown of a head that is ready: a person who merges should know. */
export function unprovenOf(proof: ProofView, loop: Pick<LoopView, "bots">): Unproven[] {
  const notRun = proof.checks.filter((check) => check.conclusion !== "success").map((check) => check.name);
  const found: Unproven[] = [
    { code: "unread", count: proof.unread ? 1 : 0, names: [] },
    { code: "no-checks", count: proof.checks.length === 0 ? 1 : 0, names: [] },
    { code: "not-run", count: notRun.length, names: notRun },
    { code: "flaky", count: proof.flaky?.length ?? 0, names: proof.flaky ?? [] },
    { code: "workflows", count: proof.workflow_files?.length ?? 0, names: proof.workflow_files ?? [] },
    { code: "unverified", count: proof.unverified?.length ?? 0, names: proof.unverified ?? [] },
    { code: "unseen", count: proof.coverage?.unseen.length ?? 0, names: proof.coverage?.unseen.map((file) => file.path) ?? [] },
    { code: "rules-only", count: proof.coverage?.rules_only.length ?? 0, names: proof.coverage?.rules_only ?? [] },
    { code: "lost-lines", count: (proof.merges ?? []).reduce((sum, merge) => sum + merge.lost_lines, 0), names: [] },
    ...botsOf(loop),
    { code: "dismissed", count: proof.dismissed?.length ?? 0, names: [] },
    { code: "declined", count: leftOf(proof).declined.length, names: [] },
    { code: "stuck", count: leftOf(proof).stuck.length, names: [] },
  ];
  return found.filter(({ count }) => count > 0);
}

/** What stays open at a head that is ready: what the fixer declined, and what stands after every fix. */
export function leftOf({ left = [] }: ProofView): { declined: ProofLeft[]; stuck: ProofLeft[] } {
  return { declined: left.filter((line) => line.declined !== null), stuck: left.filter((line) => line.declined === null) };
}

/** Bots that were waited for, and did not review. */
function botsOf({ bots }: Pick<LoopView, "bots">): Unproven[] {
  const absent = bots.filter((bot) => bot.verified && (bot.status === "out_of_quota" || bot.status === "timed_out"));
  return [{ code: "bots", count: absent.length, names: absent.map((bot) => bot.login) }];
}

/** `Ready at 7bd64c5: 2 checks passed, Quinn and the rules approved, 1 finding fixed` */
export function readySentence(t: Translate, language: Language, loop: LoopView, proof: ProofView): string {
  const passed = passedChecks(proof);
  const parts = [passed > 0 ? t("review-checks-all-passed", { count: passed }) : t("ready-no-checks"), approvalText(t, language, loop, proof)];
  if (proof.fixed.length > 0) parts.push(t("review-proof-fixed", { count: proof.fixed.length }));
  if (proof.dismissed) parts.push(t("ready-dismissed", { count: proof.dismissed.length }));
  return t("ready-at", { head: proof.head_sha.slice(0, 7), parts: parts.join(", ") });
}

/** `Quinn and the rules`; nothing where nobody approved. */
export function approvers(t: Translate, language: Language, loop: LoopView, proof: ProofView): string {
  const { readers, rules } = approvalsOf(t, loop, proof);
  return formatList(language, rules ? [...readers, t("ready-the-rules")] : readers);
}

function approvalsOf(t: Translate, loop: LoopView, proof: ProofView): { readers: string[]; rules: boolean } {
  const approved = proof.verdicts.filter((line) => line.verdict === "approve");
  const rules = approved.some((line) => line.kind === "rules");
  const seated = approved.filter((line) => line.kind !== "rules").map((line) => reviewerName(t, line.name, line.kind));
  const people = loop.people.filter((person) => person.verdict === "approve").map((person) => `@${person.login}`);
  return { readers: [...new Set([...seated, ...people])], rules };
}

/** Who approved. Rules approve nothing by themselves: they found nothing that they know. */
function approvalText(t: Translate, language: Language, loop: LoopView, proof: ProofView): string {
  const { readers, rules } = approvalsOf(t, loop, proof);
  if (readers.length === 0) return t(rules ? "ready-rules-alone" : "ready-nobody");
  return t("ready-approved", { names: approvers(t, language, loop, proof), count: readers.length + (rules ? 1 : 0) });
}

/** How many checks passed: one that was skipped did not run. */
export function passedChecks(proof: ProofView): number {
  return proof.checks.filter((check) => check.conclusion === "success").length;
}

/** `7 checks passed`; where none did, that none ran or none passed. */
export function checksText(t: Translate, proof: ProofView): string {
  const passed = passedChecks(proof);
  if (passed > 0) return t("review-checks-all-passed", { count: passed });
  return t(proof.checks.length > 0 ? "review-proof-no-check-passed" : "review-proof-no-checks");
}

/** How checks ended that are no plain success: `1 skipped`. */
export function unusualChecks(t: Translate, proof: ProofView): string {
  const counts = new Map<CheckConclusion, number>();
  for (const { conclusion } of proof.checks) {
    if (conclusion !== "success") counts.set(conclusion, (counts.get(conclusion) ?? 0) + 1);
  }
  return [...counts].map(([conclusion, count]) => t("review-proof-of-them", { count, conclusion })).join(", ");
}

/** `Cache key leaves out the region: found by Quinn, CodeRabbit` */
export function agreementText(t: Translate, { title, found_by }: NonNullable<ProofView["agreements"]>[number]): string {
  return t("review-proof-agreement", { title, names: found_by.map((name) => reviewerName(t, name)).join(", ") });
}

/** Whether a verdict is a bot's, which reviews and concludes nothing. */
export const isOfBot = (line: ProofVerdict): boolean => line.kind === null;
