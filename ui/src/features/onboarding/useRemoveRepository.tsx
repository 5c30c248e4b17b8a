import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { ConfirmDialog } from "../../components";
import { cacheKey, useCommand } from "../../data";
import { useText } from "../../i18n";

/**
 * Asks before a repository leaves the sidebar: `dialog` belongs beside the list, since the line that asks goes. Then `returnTo` says where the focus
 * goes, by the place that the line had.
 */
export function useRemoveRepository(
  names: string[],
  returnTo: (index: number) => HTMLElement | null | undefined,
): { ask: (name: string) => void; dialog: ReactNode } {
  const t = useText();
  const command = useCommand();
  const cache = useQueryClient();
  const [removal, setRemoval] = useState<{ name: string; index: number } | null>(null);
  // The words stay while the dialog goes.
  const [open, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    command.reset();
  };
  const remove = async (repo: string) => {
    await command.run({ command: "remove_repository", args: { repo } });
    const stale = [cacheKey({ command: "repositories" }), cacheKey({ command: "settings" })];
    await Promise.all(stale.map((queryKey) => cache.invalidateQueries({ queryKey })));
    close();
  };
  const dialog = (
    <ConfirmDialog
      title={t("remove-repository-title", { repo: removal?.name ?? "" })}
      text={t("remove-repository-text")}
      confirm={t("remove-repository-confirm")}
      danger
      open={open}
      busy={command.pending}
      problem={command.problem}
      onConfirm={() => removal && void remove(removal.name).catch(() => undefined)}
      onClose={close}
      returnTo={() => removal && returnTo(Math.min(removal.index, names.length - 1))}
    />
  );
  const ask = (name: string) => {
    setRemoval({ name, index: names.indexOf(name) });
    setOpen(true);
  };
  return { ask, dialog };
}
