import { useCallback, useRef, useState } from "react";
import { useCommand } from "../../data";
import { useNotify } from "./Notices";

/** Starts loops from a list; says whose start is not answered yet. */
export function useStart(): { starting: ReadonlySet<string>; start: (key: string) => void } {
  const { run } = useCommand();
  const notify = useNotify();
  const underWay = useRef(new Set<string>());
  const [starting, setStarting] = useState<ReadonlySet<string>>(new Set());
  const start = useCallback(
    (key: string) => {
      if (underWay.current.has(key)) return;
      underWay.current.add(key);
      setStarting(new Set(underWay.current));
      run({ command: "start", args: { key } })
        .catch(notify)
        .finally(() => {
          underWay.current.delete(key);
          setStarting(new Set(underWay.current));
        });
    },
    [run, notify],
  );
  return { starting, start };
}
