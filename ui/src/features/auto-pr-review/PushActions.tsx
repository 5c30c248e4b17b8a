import { useId, useState } from "react";
import { Button, ConfirmDialog } from "../../components";
import { useCommand } from "../../data";
import type { HeldPushView, LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { useRouteAction } from "../../routes";

interface PushActionsProps {
  loop: LoopView;
  onShowChanges: () => void;
  onClosed: () => void;
}

/** Approve or reject for a commit that waits to be pushed (§13.7): of the commit that was there when the person was asked. */
export function PushActions({ loop, onShowChanges, onClosed }: PushActionsProps) {
  const t = useText();
  const command = useCommand();
  const [asked, setAsked] = useState<{ push: HeldPushView; approve: boolean } | null>(null);
  const [note, setNote] = useState("");
  const push = loop.held_push;
  const waits = push !== null && push.can_approve;
  const ask = (approve: boolean) => {
    if (!push) return;
    command.reset();
    setNote("");
    setAsked({ push, approve });
  };
  useRouteAction(loop.key, (action) => {
    if (waits && (action === "approve" || action === "reject")) ask(action === "approve");
  });
  const close = () => {
    setAsked(null);
    onClosed();
  };
  const confirm = () => {
    if (!asked) return;
    const args = { key: loop.key, commit: asked.push.commit };
    const sent = asked.approve ? command.run({ command: "approve_push", args }) : command.run({ command: "reject_push", args: { ...args, note } });
    void sent.then(close, () => undefined);
  };
  return (
    <>
      {waits && (
        <>
          <Button variant="primary" onClick={() => ask(true)}>
            {t("review-approve")}
          </Button>
          <Button onClick={() => ask(false)}>{t("review-reject")}</Button>
        </>
      )}
      {asked && (
        <ConfirmDialog
          title={t(asked.approve ? "review-approve-title" : "review-reject-title", { commit: asked.push.commit.slice(0, 7) })}
          text={t(asked.approve ? "review-approve-text" : "review-reject-text", { head: asked.push.head.slice(0, 7) })}
          confirm={t(asked.approve ? "review-approve-confirm" : "review-reject-confirm")}
          open
          busy={command.pending}
          problem={command.problem}
          onConfirm={confirm}
          onClose={close}
        >
          <ul aria-label={t("review-approve-files")} className="mb-2 flex flex-col">
            {asked.push.files.map((file) => (
              <li key={file}>
                <code className="font-mono text-sm wrap-anywhere">{file}</code>
              </li>
            ))}
          </ul>
          {asked.approve ? (
            <button
              type="button"
              onClick={() => {
                close();
                onShowChanges();
              }}
              className="underline underline-offset-2"
            >
              {t("review-held-show")}
            </button>
          ) : (
            <Note note={note} onChange={setNote} />
          )}
        </ConfirmDialog>
      )}
    </>
  );
}

function Note({ note, onChange }: { note: string; onChange: (note: string) => void }) {
  const t = useText();
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {t("review-reject-note")}
      </label>
      <textarea
        id={id}
        value={note}
        rows={4}
        onChange={(event) => onChange(event.target.value)}
        aria-describedby={`${id}-help`}
        className="w-full min-w-0 rounded-md border border-control bg-panel px-2.5 py-1.5"
      />
      <p id={`${id}-help`} className="text-sm text-faint">
        {t("review-reject-note-help")}
      </p>
    </div>
  );
}
