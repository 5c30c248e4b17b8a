import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { Section, TextWithCode } from "../../components";
import type { LoopView, ProofView } from "../../generated/wire";
import { formatDuration, useLanguage, useText, type Translate } from "../../i18n";
import { ChangesSummary } from "../changes";
import { UnseenFiles } from "./Coverage";
import { Disclosure } from "./Disclosure";
import { FindingList, countsText } from "./Findings";
import { countFindings } from "./findings";
import { LinterRuns } from "./LinterRuns";
import { conclusionTexts, reviewerName, verdictText } from "./lifecycle";
import { MergeLines } from "./MergeLines";
import { agreementText, approvers, isOfBot, leftOf, passedChecks, unprovenOf, unusualChecks, type Unproven } from "./ready";
import { RoundsBody, spentText } from "./Rounds";
import { StatusIcon, StatusLine } from "../../components/StatusLine";
import { visibleCommand as visible } from "./trust";
import type { AutoPRReview } from "./useAutoPRReview";

/** What a person who merges wants to know: what is not proven, and the evidence for the rest. */
export function ReadyPage(props: { loop: LoopView; proof: ProofView; review: AutoPRReview; target: string | null; onShowChanges: () => void }) {
  const { loop, proof, review, target, onShowChanges } = props;
  return (
    <>
      <NotProven loop={loop} proof={proof} />
      <Evidence loop={loop} proof={proof} review={review} target={target} onShowChanges={onShowChanges} />
    </>
  );
}

function NotProven({ loop, proof }: { loop: LoopView; proof: ProofView }) {
  const t = useText();
  const unproven = unprovenOf(proof, loop);
  if (unproven.length === 0) return null;
  return (
    <Section title={t("ready-unproven")}>
      <ul>
        {unproven.map((one) => (
          <UnprovenLine key={one.code} one={one} proof={proof} />
        ))}
      </ul>
    </Section>
  );
}

/** One line; what it is about opens. */
function UnprovenLine({ one, proof }: { one: Unproven; proof: ProofView }) {
  const t = useText();
  const icon = <StatusIcon shape="alert" tone="warn" />;
  const text = t(`ready-unproven-${one.code}`, { count: one.count, names: one.names.join(", ") });
  const details = unprovenDetails(t, one, proof);
  return details === null ? (
    <StatusLine icon={icon}>{text}</StatusLine>
  ) : (
    <Disclosure icon={icon} title={text}>
      {details}
    </Disclosure>
  );
}

/** Nothing where the line says it all. */
function unprovenDetails(t: Translate, one: Unproven, proof: ProofView): ReactNode {
  switch (one.code) {
    case "unseen":
      return (
        <>
          <UnseenFiles files={proof.coverage?.unseen ?? []} />
          {proof.coverage && proof.coverage.seen_by !== null && <p className="mt-1 text-dim">{t("review-seen-by", { login: proof.coverage.seen_by })}</p>}
        </>
      );
    case "rules-only":
    case "workflows":
    case "unverified":
      return (
        <ul>
          {one.names.map((name) => (
            <li key={name} className="py-0.5 font-mono text-sm wrap-anywhere">
              {visible(name)}
            </li>
          ))}
        </ul>
      );
    case "dismissed":
      return (
        <ul>
          {proof.dismissed?.map((line, index) => (
            // Two findings may bear one title.
            <li key={index} className="py-1">
              <TextWithCode text={line.title} />
              <p className="text-sm wrap-anywhere text-dim">{t("review-finding-dismissed", { login: line.by, reason: line.reason })}</p>
            </li>
          ))}
        </ul>
      );
    case "declined":
    case "stuck":
      return (
        <ul>
          {leftOf(proof)[one.code].map((line, index) => (
            // Two findings may bear one title.
            <li key={index} className="py-1">
              <TextWithCode text={line.title} />
              <p className="text-sm wrap-anywhere text-dim">{line.declined === null ? t("review-status-stuck") : t("ready-left-declined", { reason: line.declined })}</p>
            </li>
          ))}
        </ul>
      );
    case "unread":
    case "no-checks":
    case "not-run":
    case "flaky":
    case "lost-lines":
    case "bots":
      return null;
  }
}

/** Checks, verdicts, findings, threads and changes, each behind the line that sums it up. */
function Evidence(props: { loop: LoopView; proof: ProofView; review: AutoPRReview; target: string | null; onShowChanges: () => void }) {
  const { loop, proof, review, target, onShowChanges } = props;
  const t = useText();
  const language = useLanguage();
  const settled = proof.threads.filter((thread) => thread.settled !== "outsider").length;
  const spent = proof.usage.input_tokens + proof.usage.output_tokens > 0 ? spentText(t, language, proof) : undefined;
  const done = <StatusIcon shape="done" tone="ok" />;
  return (
    <Section title={t("ready-evidence")}>
      <ul className="divide-y divide-line border-y border-line">
        {proof.checks.length > 0 && (
          <Disclosure icon={done} title={t("review-checks")} aside={checksAside(t, proof)}>
            <CheckList loop={loop} proof={proof} review={review} />
          </Disclosure>
        )}
        <Disclosure icon={done} title={t("ready-verdicts")} aside={approvers(t, language, loop, proof)}>
          <Verdicts loop={loop} proof={proof} review={review} />
        </Disclosure>
        {loop.findings.length > 0 && (
          // Whoever is led to one sees it.
          <Disclosure key={target} icon={<FindingsIcon loop={loop} proof={proof} />} title={t("review-findings")} aside={countsText(t, loop)} defaultOpen={target !== null}>
            <FindingList loop={loop} target={target} review={review} />
          </Disclosure>
        )}
        {proof.threads.length > 0 && (
          <Disclosure icon={done} title={t("ready-threads")} aside={t("review-proof-threads", { count: settled })}>
            <Threads proof={proof} onOpen={review.openOnGitHub} />
          </Disclosure>
        )}
        <Disclosure icon={<StatusIcon shape="clock" tone="none" />} title={t("ready-effort", { count: proof.iterations, time: formatDuration(language, proof.elapsed_ms) })} aside={spent}>
          <RoundsBody loop={loop} />
        </Disclosure>
      </ul>
      <div className="mt-2">
        <ChangesSummary loop={loop} onShow={onShowChanges} />
      </div>
      <MergesAndEjections proof={proof} />
    </Section>
  );
}

/** What is only suggested may be left open: that is not done, and what was declined or stands is less than that. */
function FindingsIcon({ loop, proof }: { loop: LoopView; proof: ProofView }) {
  if (proof.left && proof.left.length > 0) return <StatusIcon shape="alert" tone="warn" />;
  return countFindings(loop.findings).open > 0 ? <StatusIcon shape="todo" tone="none" /> : <StatusIcon shape="done" tone="ok" />;
}

function checksAside(t: Translate, proof: ProofView): string {
  const passed = passedChecks(proof);
  return [t("review-checks-passed", { count: passed }), unusualChecks(t, proof)].filter(Boolean).join(" · ");
}

function CheckList({ loop, proof, review }: { loop: LoopView; proof: ProofView; review: AutoPRReview }) {
  const t = useText();
  const pages = new Set(loop.ci.checks.filter((check) => check.url !== null).map((check) => check.name));
  return (
    <>
      <ul>
        {proof.checks.map((check, index) => {
          const passed = check.conclusion === "success";
          return (
            <StatusLine
              // Two workflows may have a check of one name.
              key={`${check.name} ${index}`}
              icon={<StatusIcon shape={passed ? "done" : "skipped"} tone={passed ? "ok" : "none"} />}
              aside={t(conclusionTexts[check.conclusion])}
            >
              {pages.has(check.name) ? (
                <LinkButton label={t("review-check-open", { name: check.name })} onClick={() => void review.openCheck(check.name)}>
                  {check.name}
                </LinkButton>
              ) : (
                check.name
              )}
            </StatusLine>
          );
        })}
      </ul>
      <OpenLine text={t("ready-open-checks")} onClick={() => void review.openChecks()} />
    </>
  );
}

function Verdicts({ loop, proof, review }: { loop: LoopView; proof: ProofView; review: AutoPRReview }) {
  const t = useText();
  const linters = loop.stages.flatMap((stage) => stage.reviewers).flatMap((reviewer) => reviewer.linters);
  const people = loop.people.map((person) => ({ name: person.login, kind: "human" as const, verdict: person.verdict, head_sha: person.head_sha, findings: 0 }));
  const lines = [...proof.verdicts, ...people];
  return (
    <>
      <ul>
        {lines.map((line, index) => {
          const approves = line.verdict === "approve" || isOfBot(line);
          const verdict = isOfBot(line) ? t("review-bot-reviewed") : verdictText(t, line);
          const elsewhere = line.head_sha !== null && line.head_sha !== proof.head_sha;
          return (
            <StatusLine
              // A reviewer and a bot may bear one name.
              key={index}
              icon={<StatusIcon shape={approves ? "done" : "alert"} tone={approves ? "ok" : "warn"} />}
              aside={elsewhere && line.head_sha !== null ? t("review-reviewer-at", { verdict, head: line.head_sha.slice(0, 7) }) : verdict}
            >
              {reviewerName(t, line.name, line.kind)}
            </StatusLine>
          );
        })}
        <LinterRuns runs={linters} />
        {proof.agreements?.map((agreement) => (
          <StatusLine key={agreement.title} icon={<StatusIcon shape="done" tone="ok" />}>
            {agreementText(t, agreement)}
          </StatusLine>
        ))}
      </ul>
      <OpenLine text={t("review-open")} onClick={() => void review.openOnGitHub()} />
    </>
  );
}

function Threads({ proof, onOpen }: { proof: ProofView; onOpen: () => void }) {
  const t = useText();
  return (
    <>
      <ul>
        {proof.threads.map((thread, index) => {
          const outsider = thread.settled === "outsider";
          return (
            <StatusLine
              // One file may have several.
              key={index}
              icon={<StatusIcon shape={outsider ? "alert" : "done"} tone={outsider ? "none" : "ok"} />}
              aside={t(`ready-thread-${outsider ? "outsider" : thread.settled === "answered" ? "answered" : "resolved"}`)}
            >
              <code className="font-mono">{thread.file === "" ? t("review-finding-everywhere") : visible(thread.file)}</code>
            </StatusLine>
          );
        })}
      </ul>
      <OpenLine text={t("review-open")} onClick={onOpen} />
    </>
  );
}

/** Bases that were merged in, and stays in the merge queue. */
function MergesAndEjections({ proof }: { proof: ProofView }) {
  if (!proof.merges && !proof.ejections) return null;
  return (
    <ul className="mt-1">
      <MergeLines proof={proof} />
    </ul>
  );
}

function OpenLine({ text, onClick }: { text: string; onClick: () => void }) {
  return (
    <p className="mt-1 text-sm">
      <button type="button" className="inline-flex items-center gap-1.5 rounded text-accent underline-offset-2 hover:underline" onClick={onClick}>
        {text}
        <ExternalLink aria-hidden className="size-3" />
      </button>
    </p>
  );
}

function LinkButton({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={label}
      className="rounded-sm text-start underline decoration-line decoration-1 underline-offset-3 hover:decoration-current"
      onClick={onClick}
    >
      {children}
    </button>
  );
}
