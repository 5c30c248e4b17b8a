import { X } from "lucide-react";
import { createContext, useCallback, useContext, useState, type ReactNode } from "react";
import { Coded, IconButton } from "../../components";
import { useNews } from "../../data";
import { useText } from "../../i18n";

interface Notice {
  turn: number;
  message: string;
  hints: string[];
}

const NotifyContext = createContext<(said: { message: string; hints: string[] }) => void>(() => undefined);

/** Around the frame: shows, at the foot of the window, what went wrong with something that has no place of its own. */
export function Notices({ children }: { children: ReactNode }) {
  const t = useText();
  const [notices, setNotices] = useState<Notice[]>([]);
  const notify = useCallback(({ message, hints }: { message: string; hints: string[] }) => {
    setNotices((before) => {
      const turn = (before.at(-1)?.turn ?? 0) + 1;
      return [...before.filter((other) => other.message !== message), { turn, message, hints }].slice(-3);
    });
  }, []);
  useNews("say", ({ text }) => notify({ message: text, hints: [] }));
  return (
    <NotifyContext value={notify}>
      {children}
      <div role="alert" className="pointer-events-none fixed inset-x-4 bottom-4 z-30 flex flex-col items-center gap-2">
        {notices.map(({ turn, message, hints }) => (
          <div key={turn} className="appear pointer-events-auto flex w-full max-w-120 items-start gap-2 rounded-lg bg-panel py-2 pr-1.5 pl-3 shadow-float">
            <div className="min-w-0 flex-1 py-1 break-words">
              <p>
                <Coded text={message} />
              </p>
              {hints.map((hint) => (
                <p key={hint} className="text-sm text-dim">
                  <Coded text={hint} />
                </p>
              ))}
            </div>
            <IconButton label={t("close")} onClick={() => setNotices((before) => before.filter((other) => other.turn !== turn))}>
              <X aria-hidden className="size-4" />
            </IconButton>
          </div>
        ))}
      </div>
    </NotifyContext>
  );
}

/** Gives the function that shows a problem at the foot of the window. */
export const useNotify = (): ((said: { message: string; hints: string[] }) => void) => useContext(NotifyContext);
