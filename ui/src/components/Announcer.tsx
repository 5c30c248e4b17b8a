import { createContext, useCallback, useContext, useState, type ReactNode } from "react";

const AnnounceContext = createContext<(text: string) => void>(() => undefined);

/** So many sentences stay: what is said in one breath is all read out. */
const MAX_ANNOUNCEMENTS = 4;

interface Announcement {
  id: number;
  text: string;
}

/** Around the app: reads out what `useAnnounce` is given, when nothing else is being said. */
export function Announcer({ children }: { children: ReactNode }) {
  const [announcements, setAnnouncements] = useState<Announcement[]>([]);
  const announce = useCallback(
    (text: string) => setAnnouncements((before) => [...before, { id: (before.at(-1)?.id ?? 0) + 1, text }].slice(-MAX_ANNOUNCEMENTS)),
    [],
  );
  return (
    <AnnounceContext value={announce}>
      {children}
      <div role="status" aria-live="polite" aria-atomic="false" className="sr-only">
        {/* A new element is read out even when the words are the same, and those before it are not read out again. */}
        {announcements.map(({ id, text }) => (
          <p key={id}>{text}</p>
        ))}
      </div>
    </AnnounceContext>
  );
}

/** Gives the function that reads a sentence out. */
export const useAnnounce = (): ((text: string) => void) => useContext(AnnounceContext);
