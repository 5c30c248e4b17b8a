import { useState, type ReactNode } from "react";
import { Button, Dialog, ProblemBanner, TextArea, TextWithCode } from "../../components";
import type { FindingView } from "../../generated/wire";
import { useText } from "../../i18n";
import type { AutoPRReview } from "./useAutoPRReview";

/** As long as words for a report may be. */
const MAX_CHARS = 2000;

/** Has a person say why a finding does not matter; where the run has stopped, it goes on at once if they want. */
export function DismissDialog(props: { finding: FindingView; canResume: boolean; review: AutoPRReview; onClose: () => void }) {
  const { finding, canResume, review, onClose } = props;
  const t = useText();
  const dismiss = (reason: string) => review.dismiss(finding.fingerprint, reason);
  return (
    <WordsDialog
      title={t("dismiss-title")}
      text={t(finding.source.type === "agent" ? "dismiss-text" : "dismiss-text-here")}
      label={t("dismiss-reason")}
      confirm={t("dismiss-confirm")}
      also={canResume ? t("dismiss-resume") : undefined}
      review={review}
      onConfirm={dismiss}
      onAlso={(reason) => dismiss(reason).then(() => review.resume())}
      onClose={onClose}
    >
      <p className="mb-2 font-medium wrap-anywhere">
        <TextWithCode text={finding.title} />
      </p>
    </WordsDialog>
  );
}

/** Has a person tell the fixer something, of a finding or of the change as a whole. */
export function NoteDialog(props: { finding: FindingView | null; review: AutoPRReview; onClose: () => void }) {
  const { finding, review, onClose } = props;
  const t = useText();
  return (
    <WordsDialog
      title={t("note-title")}
      text={t(finding?.status === "stuck" || finding?.status === "rejected" ? "note-text-again" : "note-text")}
      label={t("note-label")}
      confirm={t("note-confirm")}
      review={review}
      onConfirm={(text) => review.note(finding?.fingerprint ?? null, text)}
      onClose={onClose}
    >
      {finding && (
        <p className="mb-2 font-medium wrap-anywhere">
          <TextWithCode text={finding.title} />
        </p>
      )}
    </WordsDialog>
  );
}

function WordsDialog(props: {
  title: string;
  text: string;
  label: string;
  confirm: string;
  /** A second way to confirm, which does more. */
  also?: string | undefined;
  review: AutoPRReview;
  onConfirm: (words: string) => Promise<unknown>;
  onAlso?: (words: string) => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}) {
  const { title, text, label, confirm, also, review, onConfirm, onAlso, onClose, children } = props;
  const t = useText();
  const [words, setWords] = useState("");
  const empty = words.trim() === "";
  const send = (run: (words: string) => Promise<unknown>) => () => void run(words.trim()).then(onClose, () => undefined);
  return (
    <Dialog
      title={title}
      text={text}
      open
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("back")}</Button>
          {also !== undefined && onAlso ? (
            <>
              <Button disabled={empty || review.pending} onClick={send(onConfirm)}>
                {confirm}
              </Button>
              <Button variant="primary" disabled={empty} busy={review.pending} onClick={send(onAlso)}>
                {also}
              </Button>
            </>
          ) : (
            <Button variant="primary" disabled={empty} busy={review.pending} onClick={send(onConfirm)}>
              {confirm}
            </Button>
          )}
        </>
      }
    >
      {children}
      <TextArea label={label} value={words} onChange={setWords} maxLength={MAX_CHARS} required />
      {review.problem && (
        <div className="mt-3">
          <ProblemBanner problem={review.problem} />
        </div>
      )}
    </Dialog>
  );
}
