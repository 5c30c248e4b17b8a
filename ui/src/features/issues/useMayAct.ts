import { useCallback } from "react";
import { useMayWriteTo } from "../../data";
import { useText } from "../../i18n";
import { repoOf } from "../../routes";
import { useNotify } from "./Notices";

/** Tells whether the person may act on a pull request, and them why where they may not: a key is pressed where no button is offered. */
export function useMayAct(): (key: string) => boolean {
  const t = useText();
  const notify = useNotify();
  const mayWriteTo = useMayWriteTo();
  return useCallback(
    (key) => {
      const repo = repoOf(key);
      if (mayWriteTo(repo)) return true;
      notify({ message: t("rights-look-only", { repo }), hints: [] });
      return false;
    },
    [mayWriteTo, notify, t],
  );
}
