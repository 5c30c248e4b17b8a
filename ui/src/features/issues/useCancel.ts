import { useCallback } from "react";
import { useUndo } from "../../components";
import { useCommand } from "../../data";
import type { LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { useNotify } from "./Notices";
import { losesWork } from "./selection";

/** Cancels loops that lose nothing by it, with five seconds to take that back; false where something would be lost, which has to be asked first. */
export function useCancel(): (loops: readonly LoopView[]) => boolean {
  const t = useText();
  const undo = useUndo();
  const notify = useNotify();
  const { run } = useCommand();
  return useCallback(
    (loops) => {
      const [first] = loops;
      if (!first || loops.some(losesWork)) return false;
      undo({
        id: loops.map(({ key }) => `cancel ${key}`).join("\n"),
        text: loops.length === 1 ? t("cancelling-one", { key: first.key }) : t("cancelling-many", { count: loops.length }),
        commit: () => loops.forEach(({ key }) => void run({ command: "cancel", args: { key } }).catch(notify)),
      });
      return true;
    },
    [t, undo, notify, run],
  );
}
