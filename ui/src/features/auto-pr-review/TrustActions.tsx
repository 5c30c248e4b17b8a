import { useState } from "react";
import { Button, ConfirmDialog, TextWithCode } from "../../components";
import { useAnswer, useRights } from "../../data";
import type { LoopView, RepositorySetting } from "../../generated/wire";
import { useText } from "../../i18n";
import { repoOf } from "../../routes";
import { choicesOf, decisionOf, trustQuestion, visibleCommand, type TrustChoice, type TrustQuestion } from "./trust";
import type { AutoPRReview } from "./useAutoPRReview";

/** What a person can say to a loop that waits for their word: may the repository's commands run, may the author be fixed. */
export function TrustActions({ loop, review, onClosed }: { loop: LoopView; review: AutoPRReview; onClosed: () => void }) {
  const t = useText();
  // What is asked while the dialog is open is what was asked when it was opened: a person decides about what they see.
  const [asked, setAsked] = useState<{ question: TrustQuestion; choice: TrustChoice } | null>(null);
  const question = trustQuestion(loop);
  const { operate } = useRights();
  const close = () => {
    setAsked(null);
    onClosed();
  };
  if (question && !operate) return <p className="w-full text-sm text-dim">{t("rights-operator-only")}</p>;
  return (
    <>
      {question &&
        choicesOf(question).map((choice, index) => (
          <Button
            key={choice}
            variant={index === 0 ? "primary" : "plain"}
            onClick={() => {
              review.reset();
              setAsked({ question, choice });
            }}
          >
            {t(`review-trust-${choice}`)}
          </Button>
        ))}
      {asked && <TrustDialog repo={repoOf(loop.key)} asked={asked} review={review} onClose={close} />}
    </>
  );
}

function TrustDialog(props: { repo: string; asked: { question: TrustQuestion; choice: TrustChoice }; review: AutoPRReview; onClose: () => void }) {
  const { repo, asked, review, onClose } = props;
  const { question, choice } = asked;
  const t = useText();
  // The number is a name here: it is not written as the language writes numbers.
  const args: Record<string, string | number> =
    question.about === "commands" ? { repo, count: question.commands.length } : { repo, login: question.login ?? "", number: String(question.number) };
  const confirm = () => {
    const decision = decisionOf(question, choice);
    if (decision) void review.decideTrust(decision).then(onClose, () => undefined);
  };
  return (
    <ConfirmDialog
      title={t(`review-trust-${choice}-title`, args)}
      text={t(`review-trust-${choice}-text`, args)}
      confirm={t(`review-trust-${choice}-confirm`)}
      open
      busy={review.pending}
      problem={review.problem}
      onConfirm={confirm}
      onClose={onClose}
    >
      {question.about === "commands" ? <Commands commands={question.commands} /> : <p className="text-dim">{t("review-trust-author-what")}</p>}
      {choice === "trust" && <Where repo={repo} />}
    </ConfirmDialog>
  );
}

/** Where the commands will run: as the repository is set, or both ways while that is not known. */
function Where({ repo }: { repo: string }) {
  const t = useText();
  const { data } = useAnswer({ command: "settings" });
  const field = data?.fields.find(({ kind }) => kind.type === "repositories");
  const listed = (field?.value ?? []) as RepositorySetting[];
  const unsandboxed = listed.some(({ name, unsandboxed }) => unsandboxed && name.toLowerCase() === repo.toLowerCase());
  const text = t(field === undefined ? "review-trust-where" : unsandboxed ? "review-trust-where-unsandboxed" : "review-trust-where-sandboxed");
  return (
    <p className="mt-2 text-dim">
      <TextWithCode text={text} />
    </p>
  );
}

/** Each command exactly as it would run. */
function Commands({ commands }: { commands: string[] }) {
  const t = useText();
  return (
    <ol aria-label={t("review-trust-commands")} className="list-decimal ps-5 marker:text-faint">
      {commands.map((command, index) => (
        // A command may stand there twice.
        <li key={index} className="py-0.5">
          <code className="font-mono wrap-anywhere whitespace-pre-wrap">{visibleCommand(command)}</code>
        </li>
      ))}
    </ol>
  );
}
