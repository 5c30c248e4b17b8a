import { X } from "lucide-react";
import { createContext, useCallback, useContext, useState, type ReactNode } from "react";
import { IconButton, TextWithCode } from "../../components";
import { useHostEvent } from "../../data";
import { useText } from "../../i18n";

interface Notice {
  id: number;
  message: string;
  hints: string[];
}

const NotifyContext = createContext<(problem: { message: string; hints: string[] }) => void>(() => undefined);

/** Around the frame: shows, at the foot of the window, what went wrong with something that has no place of its own. */
export function Notices({ children }: { children: ReactNode }) {
  const t = useText();
  const [notices, setNotices] = useState<Notice[]>([]);
  const notify = useCallback(({ message, hints }: { message: string; hints: string[] }) => {
    setNotices((before) => {
      const id = (before.at(-1)?.id ?? 0) + 1;
      return [...before.filter((other) => other.message !== message), { id, message, hints }].slice(-3);
    });
  }, []);
  useHostEvent("notice", ({ text }) => notify({ message: text, hints: [] }));
  return (
    <NotifyContext value={notify}>
      {children}
      <div role="alert" className="pointer-events-none fixed inset-x-4 bottom-4 z-30 flex flex-col items-center gap-2">
        {notices.map(({ id, message, hints }) => (
          <div key={id} className="appear pointer-events-auto flex w-full max-w-120 items-start gap-2 rounded-lg bg-panel py-2 pe-1.5 ps-3 shadow-float">
            <div className="min-w-0 flex-1 py-1 break-words">
              <p>
                <TextWithCode text={message} />
              </p>
              {hints.map((hint) => (
                <p key={hint} className="text-sm text-dim">
                  <TextWithCode text={hint} />
                </p>
              ))}
            </div>
            <IconButton label={t("close")} onClick={() => setNotices((before) => before.filter((other) => other.id !== id))}>
              <X aria-hidden className="size-4" />
            </IconButton>
          </div>
        ))}
      </div>
    </NotifyContext>
  );
}

/** Gives the function that shows a problem at the foot of the window. */
export const useNotify = (): ((problem: { message: string; hints: string[] }) => void) => useContext(NotifyContext);
