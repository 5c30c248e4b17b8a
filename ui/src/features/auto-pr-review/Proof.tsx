import { Section, TextWithCode } from "../../components";
import type { LoopView, ProofVerdict, ProofView, Sha } from "../../generated/wire";
import { formatDuration, useLanguage, useText, type Translate } from "../../i18n";
import { ChangesSummary } from "../changes";
import { CoverageDetails } from "./Coverage";
import { reviewerName, verdictText } from "./lifecycle";
import { MergeLines } from "./MergeLines";
import { agreementText, checksText, isOfBot, leftOf, passedChecks, unusualChecks } from "./ready";
import { spentText } from "./Rounds";
import { ShowMore } from "./ShowMore";
import { StatusIcon, StatusLine } from "../../components/StatusLine";
import { useState, type ReactNode } from "react";

const MAX_SHOWN = 4;

/** What was seen at the head that was ready (§8.4). */
export function Proof({ loop, onOpenCommit, onShowChanges }: { loop: LoopView; onOpenCommit: (sha: Sha) => void; onShowChanges: () => void }) {
  const t = useText();
  const { proof } = loop;
  if (!proof) return null;
  const head = proof.head_sha.slice(0, 7);
  const holds = proof.head_sha === loop.head_sha;
  return (
    <Section title={t("review-proof")} aside={<ProofSpent proof={proof} />}>
      <p className="mb-1 text-dim">{t(holds ? "review-proof-lead" : "review-proof-stale", { head })}</p>
      <ProofSummary proof={proof} />
      <div className="mt-1.5">
        <ChangesSummary loop={loop} onShow={onShowChanges} />
      </div>
      <ProofDetails proof={proof} onOpenCommit={onOpenCommit} />
    </Section>
  );
}

/** What was fixed, and what was left. */
export function ProofDetails({ proof, onOpenCommit }: { proof: ProofView; onOpenCommit: (sha: Sha) => void }) {
  return (
    <>
      <Fixes proof={proof} onOpenCommit={onOpenCommit} />
      <Unverified commands={proof.unverified ?? []} />
      <Suggestions titles={proof.suggestions} />
    </>
  );
}

/** The proof in a few lines: checks, verdicts, threads, what it took. */
export function ProofSummary({ proof }: { proof: ProofView }) {
  const t = useText();
  const language = useLanguage();
  const head = proof.head_sha;
  const settled = proof.threads.filter((thread) => thread.settled !== "outsider").length;
  const passed = passedChecks(proof);
  const left = leftOf(proof);
  return (
    <ul>
      {proof.unread && <StatusLine icon={<StatusIcon shape="alert" tone="warn" />}>{t("review-proof-unread")}</StatusLine>}
      <StatusLine icon={<StatusIcon shape={passed > 0 ? "done" : "alert"} tone={passed > 0 ? "ok" : "warn"} />} aside={unusualChecks(t, proof)}>
        {checksText(t, proof)}
      </StatusLine>
      {proof.agreements?.map((agreement) => (
        <StatusLine key={agreement.title} icon={<StatusIcon shape="done" tone="ok" />}>
          {agreementText(t, agreement)}
        </StatusLine>
      ))}
      {proof.dismissed && (
        <StatusLine icon={<StatusIcon shape="alert" tone="warn" />}>{t("ready-unproven-dismissed", { count: proof.dismissed.length })}</StatusLine>
      )}
      {(["declined", "stuck"] as const).map(
        (code) =>
          left[code].length > 0 && (
            <StatusLine key={code} icon={<StatusIcon shape="alert" tone="warn" />}>
              {t(`ready-unproven-${code}`, { count: left[code].length })}
            </StatusLine>
          ),
      )}
      {proof.flaky && (
        <StatusLine icon={<StatusIcon shape="alert" tone="warn" />}>{t("review-proof-flaky", { names: proof.flaky.join(", ") })}</StatusLine>
      )}
      {proof.workflow_files && (
        <StatusLine icon={<StatusIcon shape="alert" tone="warn" />}>{t("review-checks-workflows", { names: proof.workflow_files.join(", ") })}</StatusLine>
      )}
      <MergeLines proof={proof} />
      {proof.verdicts.map((line, index) => (
        <StatusLine
          // A reviewer and a bot may bear one name.
          key={index}
          icon={<StatusIcon shape={line.verdict === "approve" || isOfBot(line) ? "done" : "alert"} tone={line.verdict === "approve" || isOfBot(line) ? "ok" : "warn"} />}
          aside={verdictAt(t, line, head)}
        >
          {reviewerName(t, line.name, line.kind)}
        </StatusLine>
      ))}
      {settled > 0 && <StatusLine icon={<StatusIcon shape="done" tone="ok" />}>{t("review-proof-threads", { count: settled })}</StatusLine>}
      {proof.threads.length > settled && (
        <StatusLine icon={<StatusIcon shape="alert" tone="none" />}>
          {t("review-proof-outsiders", { count: proof.threads.length - settled })}
        </StatusLine>
      )}
      <StatusLine icon={<StatusIcon shape="clock" tone="none" />}>
        {t("review-proof-spent", { iterations: proof.iterations, time: formatDuration(language, proof.elapsed_ms) })}
      </StatusLine>
      {proof.coverage && (
        <li>
          <CoverageDetails coverage={proof.coverage} />
        </li>
      )}
    </ul>
  );
}

/** What somebody concluded; on which head, where that is another one. */
function verdictAt(t: Translate, line: ProofVerdict, head: Sha): string {
  const verdict = isOfBot(line) ? t("review-bot-reviewed") : verdictText(t, line);
  if (line.head_sha === null || line.head_sha === head) return verdict;
  return t("review-reviewer-at", { verdict, head: line.head_sha.slice(0, 7) });
}

function ProofSpent({ proof }: { proof: ProofView }): ReactNode {
  const t = useText();
  const language = useLanguage();
  return proof.usage.input_tokens + proof.usage.output_tokens > 0 ? spentText(t, language, proof) : null;
}

function CommitButton({ commit, onOpen }: { commit: Sha; onOpen: (sha: Sha) => void }) {
  const t = useText();
  const short = commit.slice(0, 7);
  return (
    <button type="button" aria-label={t("review-finding-open-commit", { commit: short })} className="rounded font-mono hover:underline" onClick={() => onOpen(commit)}>
      {short}
    </button>
  );
}

function Fixes({ proof, onOpenCommit }: { proof: ProofView; onOpenCommit: (sha: Sha) => void }) {
  const t = useText();
  const [all, setAll] = useState(false);
  if (proof.fixed.length === 0) return null;
  const shown = all ? proof.fixed : proof.fixed.slice(0, MAX_SHOWN);
  return (
    <>
      <h4 className="mt-2 text-sm text-dim">{t("review-proof-fixed", { count: proof.fixed.length })}</h4>
      <ul>
        {shown.map((fix, index) => (
          <StatusLine
            // Two findings may bear one title.
            key={index}
            icon={<StatusIcon shape="done" tone="ok" />}
            aside={
              fix.commit === null ? t("review-proof-fixed-elsewhere") : <CommitButton commit={fix.commit} onOpen={onOpenCommit} />
            }
          >
            <TextWithCode text={fix.title} />
          </StatusLine>
        ))}
      </ul>
      <ShowMore open={all && proof.fixed.length > MAX_SHOWN} count={proof.fixed.length - shown.length} onToggle={() => setAll(!all)} />
    </>
  );
}

/** Commands that the user chose to leave out. */
function Unverified({ commands }: { commands: string[] }) {
  const t = useText();
  if (commands.length === 0) return null;
  return (
    <>
      <h4 className="mt-2 text-sm text-warn">{t("review-proof-unverified", { count: commands.length })}</h4>
      <ul>
        {commands.map((command) => (
          <StatusLine key={command} icon={<StatusIcon shape="none" tone="warn" />}>
            <code className="font-mono">{command}</code>
          </StatusLine>
        ))}
      </ul>
    </>
  );
}

function Suggestions({ titles }: { titles: string[] }) {
  const t = useText();
  const [all, setAll] = useState(false);
  if (titles.length === 0) return null;
  const shown = all ? titles : titles.slice(0, MAX_SHOWN);
  return (
    <>
      <h4 className="mt-2 text-sm text-dim">{t("review-proof-suggestions", { count: titles.length })}</h4>
      <ul>
        {shown.map((title, index) => (
          // Two suggestions may bear one title.
          <StatusLine key={index} icon={<StatusIcon shape="none" tone="none" />}>
            <TextWithCode text={title} />
          </StatusLine>
        ))}
      </ul>
      <ShowMore open={all && titles.length > MAX_SHOWN} count={titles.length - shown.length} onToggle={() => setAll(!all)} />
    </>
  );
}
