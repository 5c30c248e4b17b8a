import { useState } from "react";
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

/** What is told as a hint, as buttons: of a run that stopped for a person. */
export function WhatYouCanDo({ loop, review }: { loop: LoopView; review: AutoPRReview }) {
  const t = useText();
  const [asked, setAsked] = useState<Asked>(null);
  const ask = (next: Asked) => {
    review.reset();
    setAsked(next);
  };
  const { own_machine } = useRights();
  const mayWrite = useMayWrite(repoOf(loop.key));
  if (loop.state !== "needs_human" && loop.state !== "failed") return null;
  if (!mayWrite) return null;
  const standing = loop.findings.filter((finding) => finding.can_dismiss && isOpen(finding));
  const [first, ...others] = standing;
  const close = () => setAsked(null);
  return (
    <>
      <div role="group" aria-label={t("review-todo")} className="mt-2.5 flex flex-wrap gap-1.5">
        {first && loop.can_resume && (
          <Button size="small" onClick={() => ask(others.length > 0 ? { what: "choose" } : { what: "dismiss", finding: first })}>
            {t("todo-dismiss-resume")}
          </Button>
        )}
        {loop.can_resume && (
          <Button size="small" onClick={() => ask({ what: "note" })}>
            {t("todo-note")}
          </Button>
        )}
        {loop.can_resume && loop.error?.code === "iterations_spent" && (
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
