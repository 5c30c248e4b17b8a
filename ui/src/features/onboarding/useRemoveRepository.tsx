import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { ConfirmDialog } from "../../components";
import { useAct } from "../../data";
import { useText } from "../../i18n";

/**
 * Asks before a repository leaves the sidebar: `dialog` belongs beside the list, since the line that asks goes. Then `returnTo` says where the focus
 * goes, by the place that the line had.
 */
export function useRemoveRepository(
  names: string[],
  returnTo: (place: number) => HTMLElement | null | undefined,
): { ask: (name: string) => void; dialog: ReactNode } {
  const t = useText();
  const act = useAct();
  const cache = useQueryClient();
  const [asked, setAsked] = useState<{ name: string; place: number } | null>(null);
  // The words stay while the dialog goes.
  const [open, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    act.reset();
  };
  const remove = async (repo: string) => {
    await act.run({ command: "remove_repository", args: { repo } });
    await Promise.all(["repositories", "settings"].map((topic) => cache.invalidateQueries({ queryKey: [topic] })));
    close();
  };
  const dialog = (
    <ConfirmDialog
      title={t("remove-repository-title", { repo: asked?.name ?? "" })}
      text={t("remove-repository-text")}
      confirm={t("remove-repository-confirm")}
      danger
      open={open}
      busy={act.pending}
      problem={act.problem}
      onConfirm={() => asked && void remove(asked.name).catch(() => undefined)}
      onClose={close}
      returnTo={() => asked && returnTo(Math.min(asked.place, names.length - 1))}
    />
  );
  const ask = (name: string) => {
    setAsked({ name, place: names.indexOf(name) });
    setOpen(true);
  };
  return { ask, dialog };
}
