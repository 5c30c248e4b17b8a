import { X } from "lucide-react";
import { useState } from "react";
import { Button, ConfirmDialog, IconButton, TextWithCode } from "../../components";
import { useCommand, useMayWriteTo } from "../../data";
import { useText } from "../../i18n";
import { repoOf } from "../../routes";
import { useNotify } from "./Notices";
import { BULK_ACTIONS, fitting, losesWork, useSelection, type BulkAction, type Choosable } from "./selection";
import { useCancel } from "./useCancel";

/** So many titles are named; of more their number is said. */
const MAX_NAMED = 8;

/** What is done to those of the chosen lines that the person may act on, after a summary wherever that costs or loses something. */
export function useBulk(lines: readonly Choosable[]) {
  const selection = useSelection();
  const command = useCommand();
  const notify = useNotify();
  const cancel = useCancel();
  const mayWriteTo = useMayWriteTo();
  const selected = lines.filter(({ key }) => selection.keys.has(key));
  const chosen = selected.filter(({ key }) => mayWriteTo(repoOf(key)));
  const [asked, setAsked] = useState<{ action: BulkAction; lines: Choosable[]; others: number } | null>(null);
  const ask = (action: BulkAction, of: readonly Choosable[] = chosen) => {
    const some = fitting(action, of);
    if (some.length === 0) return;
    if (action === "cancel" && cancel(some.flatMap(({ loop }) => loop ?? []))) return selection.clear();
    command.reset();
    setAsked({ action, lines: some, others: of.length - some.length });
  };
  const confirm = async () => {
    if (!asked) return;
    // One after the other: a refusal of one keeps none of the others from being done.
    for (const { key } of asked.lines) await command.run({ command: asked.action, args: { key } }).catch(notify);
    setAsked(null);
    selection.clear();
  };
  const dialog = <BulkDialog asked={asked} busy={command.pending} onConfirm={() => void confirm()} onClose={() => setAsked(null)} />;
  return { selected, chosen, ask, dialog };
}

interface BulkDialogProps {
  asked: { action: BulkAction; lines: Choosable[]; others: number } | null;
  busy: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Says what happens to which of the chosen before it happens. */
function BulkDialog({ asked, busy, onConfirm, onClose }: BulkDialogProps) {
  const t = useText();
  const action = asked?.action ?? "start";
  const lines = asked?.lines ?? [];
  const atWork = lines.filter(({ loop }) => loop !== undefined && losesWork(loop)).length;
  return (
    <ConfirmDialog
      title={t(`bulk-${action}-title`, { count: lines.length })}
      text={t(`bulk-${action}-text`, { count: lines.length })}
      confirm={t(`bulk-${action}-confirm`, { count: lines.length })}
      danger={action === "cancel"}
      open={asked !== null}
      busy={busy}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {action === "cancel" && <p className="mb-2 text-bad">{t("bulk-cancel-work", { count: atWork })}</p>}
      <ul className="rounded-lg border border-line">
        {lines.slice(0, MAX_NAMED).map(({ key, title }) => (
          <li key={key} className="flex gap-2 border-line px-3 py-1 not-first:border-t">
            <span className="min-w-0 flex-1 truncate">
              <TextWithCode text={title} />
            </span>
            <span className="shrink-0 text-sm text-dim">{key}</span>
          </li>
        ))}
      </ul>
      {lines.length > MAX_NAMED && <p className="mt-1 text-sm text-dim">{t("bulk-more", { count: lines.length - MAX_NAMED })}</p>}
      {asked !== null && asked.others > 0 && <p className="mt-2 text-dim">{t(`bulk-${action}-others`, { count: asked.others })}</p>}
    </ConfirmDialog>
  );
}

/** How many lines are chosen, and what can be done to them; nothing while none is. */
export function BulkBar({ lines }: { lines: readonly Choosable[] }) {
  const t = useText();
  const selection = useSelection();
  const { selected, chosen, ask, dialog } = useBulk(lines);
  if (selected.length === 0) return dialog;
  return (
    <div role="toolbar" aria-label={t("bulk")} className="flex shrink-0 flex-wrap items-center gap-2 border-t border-line bg-panel px-5 py-2">
      <span className="font-medium">{t("bulk-count", { count: selected.length })}</span>
      {BULK_ACTIONS.map((action) => {
        const count = fitting(action, chosen).length;
        return count === 0 ? null : (
          <Button key={action} size="small" variant={action === "cancel" ? "danger" : "plain"} onClick={() => ask(action)}>
            {t(`bulk-${action}`, { count })}
          </Button>
        );
      })}
      <IconButton label={t("bulk-clear")} className="ms-auto" onClick={selection.clear}>
        <X aria-hidden className="size-4" />
      </IconButton>
      {dialog}
    </div>
  );
}
