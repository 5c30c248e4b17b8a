import { useId, useState } from "react";
import { Button, ConfirmDialog, Dialog, TextWithCode } from "../../components";
import { useMayWrite, useRights } from "../../data";
import type { FindingView, LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { repoOf } from "../../routes";
import { isOpen } from "./findings";
import { DismissDialog, NoteDialog } from "./PersonsWord";
import type { AutoPRReview } from "./useAutoPRReview";

/** As many rounds more are offered where the limit stopped a run. */
const MORE_ROUNDS = 2;

type Asked = { what: "choose" } | { what: "dismiss"; finding: FindingView } | { what: "rounds" } | { what: "note" } | null;

/** What can be done about a run that stopped for a person: as a button where there is one, else in the words of a hint. */
export function WhatYouCanDo({ loop, hints, review }: { loop: LoopView; hints: readonly string[]; review: AutoPRReview }) {
  const t = useText();
  const heading = useId();
  const [asked, setAsked] = useState<Asked>(null);
  const ask = (next: Asked) => {
    review.reset();
    setAsked(next);
  };
  const { own_machine } = useRights();
  const mayWrite = useMayWrite(repoOf(loop.key));
  const standing = loop.findings.filter((finding) => finding.can_dismiss && isOpen(finding));
  const [first, ...others] = standing;
  const offers = mayWrite && (loop.state === "needs_human" || loop.state === "failed");
  const resumes = offers && loop.can_resume;
  const moreRounds = resumes && loop.error?.code === "iterations_spent";
  const dismisses = resumes && first !== undefined;
  // Hints are said by the host, in the same texts.
  const offered = [resumes && "hint-resume", dismisses && "hint-dismiss", moreRounds && "hint-more-iterations"].flatMap((key) => (key ? [t(key)] : []));
  const told = hints.filter((hint) => !offered.includes(hint));
  if (told.length === 0 && !offers) return null;
  const close = () => setAsked(null);
  return (
    <>
      <p id={heading} className="mt-2 text-sm font-semibold text-dim">
        {t("review-todo")}
      </p>
      {told.length > 0 && (
        <ul className="list-disc ps-4 text-dim marker:text-faint">
          {told.map((hint) => (
            <li key={hint}>
              <TextWithCode text={hint} />
            </li>
          ))}
        </ul>
      )}
      {offers && (
        <div role="group" aria-labelledby={heading} className="mt-1.5 flex flex-wrap gap-1.5">
          {dismisses && (
            <Button size="small" onClick={() => ask(others.length > 0 ? { what: "choose" } : { what: "dismiss", finding: first })}>
              {t("todo-dismiss-resume")}
            </Button>
          )}
          {resumes && (
            <Button size="small" onClick={() => ask({ what: "note" })}>
              {t("todo-note")}
            </Button>
          )}
          {moreRounds && (
            <Button size="small" onClick={() => ask({ what: "rounds" })}>
              {t("todo-rounds", { count: MORE_ROUNDS })}
            </Button>
          )}
          {own_machine && (
            <Button size="small" onClick={() => void review.openWorktree()}>
              {t("review-worktree")}
            </Button>
          )}
        </div>
      )}
      {asked?.what === "choose" && <ChooseFinding findings={standing} onChoose={(finding) => ask({ what: "dismiss", finding })} onClose={close} />}
      {asked?.what === "dismiss" && <DismissDialog finding={asked.finding} canResume={loop.can_resume} review={review} onClose={close} />}
      {asked?.what === "note" && <NoteDialog finding={null} review={review} onClose={close} />}
      {asked?.what === "rounds" && (
        <ConfirmDialog
          title={t("todo-rounds-title", { count: MORE_ROUNDS })}
          text={t("todo-rounds-text", { max: loop.max_iterations + MORE_ROUNDS })}
          confirm={t("review-resume-confirm")}
          open
          busy={review.pending}
          problem={review.problem}
          onConfirm={() => void review.resume(MORE_ROUNDS).then(close, () => undefined)}
          onClose={close}
        />
      )}
    </>
  );
}

/** Which of several findings is meant: each is dismissed with a reason of its own. */
function ChooseFinding({ findings, onChoose, onClose }: { findings: FindingView[]; onChoose: (finding: FindingView) => void; onClose: () => void }) {
  const t = useText();
  return (
    <Dialog title={t("todo-choose-title")} text={t("todo-choose-text")} open onClose={onClose} actions={<Button onClick={onClose}>{t("back")}</Button>}>
      <ul className="divide-y divide-line border-y border-line">
        {findings.map((finding) => (
          <li key={finding.fingerprint}>
            <button type="button" className="w-full rounded px-1 py-2 text-start wrap-anywhere hover:bg-hover" onClick={() => onChoose(finding)}>
              <span className="font-medium">{finding.priority}</span> <TextWithCode text={finding.title} />
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
