import { createContext, useCallback, useContext, useState, type ReactNode } from "react";

const AnnounceContext = createContext<(text: string) => void>(() => undefined);

/** Around the app: reads out what `useAnnounce` is given, when nothing else is being said. */
export function Announcer({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState({ text: "", turn: 0 });
  const announce = useCallback((text: string) => setSaid(({ turn }) => ({ text, turn: turn + 1 })), []);
  return (
    <AnnounceContext value={announce}>
      {children}
      <div role="status" aria-live="polite" className="sr-only">
        {/* A new element is read out even when the words are the same. */}
        <span key={said.turn}>{said.text}</span>
      </div>
    </AnnounceContext>
  );
}

/** Gives the function that reads a sentence out. */
export const useAnnounce = (): ((text: string) => void) => useContext(AnnounceContext);
