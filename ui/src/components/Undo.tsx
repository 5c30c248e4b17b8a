import { createContext, useCallback, useContext, useEffect, useRef, useState, type ReactNode } from "react";
import { useText } from "../i18n";
import { Button } from "./Button";

/** How long something can be taken back. */
export const UNDO_MS = 5_000;

interface Undoable {
  /** What it is done to; asked for once more, it is done once. */
  id: string;
  /** Says what is done. */
  text: string;
  commit: () => void;
}

interface Waiting extends Undoable {
  timer: ReturnType<typeof setTimeout>;
}

const UndoContext = createContext<(undoable: Undoable) => void>(({ commit }) => commit());

/**
 * Around the frame: what is given to `useUndo` is done after five seconds, or when the window goes, unless it is taken back before. Nothing has to be
 * undone on GitHub then.
 */
export function UndoProvider({ children }: { children: ReactNode }) {
  const t = useText();
  const waiting = useRef(new Map<string, Waiting>());
  const [shown, setShown] = useState<Undoable[]>([]);
  const settle = useCallback((id: string, commits: boolean) => {
    const one = waiting.current.get(id);
    if (!one) return;
    clearTimeout(one.timer);
    waiting.current.delete(id);
    setShown([...waiting.current.values()]);
    if (commits) one.commit();
  }, []);
  const offer = useCallback(
    (undoable: Undoable) => {
      if (waiting.current.has(undoable.id)) return;
      waiting.current.set(undoable.id, { ...undoable, timer: setTimeout(() => settle(undoable.id, true), UNDO_MS) });
      setShown([...waiting.current.values()]);
    },
    [settle],
  );
  useEffect(() => {
    const all = waiting.current;
    const flush = () => [...all.keys()].forEach((id) => settle(id, true));
    window.addEventListener("pagehide", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      flush();
    };
  }, [settle]);
  return (
    <UndoContext value={offer}>
      {children}
      <div role="status" className="pointer-events-none fixed inset-x-4 bottom-[4.5rem] z-30 flex flex-col items-center gap-2">
        {shown.map(({ id, text }) => (
          <div key={id} className="appear pointer-events-auto flex w-full max-w-120 items-center gap-3 rounded-lg bg-panel py-2 pe-2 ps-3 shadow-float">
            <p className="min-w-0 flex-1 break-words">{text}</p>
            <Button size="small" onClick={() => settle(id, false)}>
              {t("undo")}
            </Button>
          </div>
        ))}
      </div>
    </UndoContext>
  );
}

/** Gives the function that does something in a moment, so that it can be taken back until then; without a provider it is done at once. */
export const useUndo = (): ((undoable: Undoable) => void) => useContext(UndoContext);
