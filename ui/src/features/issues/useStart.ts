import { useCallback, useState } from "react";
import { useAct } from "../../data";
import { useNotify } from "./Notices";

/** Starts loops from a list; says whose start is not answered yet. */
export function useStart(): { starting: ReadonlySet<string>; start: (key: string) => void } {
  const { run } = useAct();
  const notify = useNotify();
  const [starting, setStarting] = useState<ReadonlySet<string>>(new Set());
  const start = useCallback(
    (key: string) => {
      setStarting((before) => new Set(before).add(key));
      run({ command: "start", args: { key } })
        .catch(notify)
        .finally(() =>
          setStarting((before) => {
            const after = new Set(before);
            after.delete(key);
            return after;
          }),
        );
    },
    [run, notify],
  );
  return { starting, start };
}
