import { useSyncExternalStore } from "react";

/** Something that this window keeps for its next start, as other preferences of the page are. Whoever looks at it sees it change. */
export interface Kept<T> {
  get(): T;
  set(next: T): void;
  subscribe(listener: () => void): () => void;
}

/**
 * Keeps a value in the page's storage. `read` makes a value of whatever is stored there, also of nothing and of what an older or newer page
 * wrote; without storage the value holds until the window closes.
 */
export function kept<T>(name: string, read: (stored: unknown) => T): Kept<T> {
  let text: string | null = null;
  let value = read(undefined);
  /** What storage did not take. */
  let unkept: string | null = null;
  const listeners = new Set<() => void>();
  const stored = (): string | null => {
    if (unkept !== null) return unkept;
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  const get = (): T => {
    const now = stored();
    // The same object as long as nothing was written, here or by another window.
    if (now !== text) {
      text = now;
      value = read(parsed(now));
    }
    return value;
  };
  const tell = () => listeners.forEach((listener) => listener());
  return {
    get,
    set(next) {
      const text = JSON.stringify(next);
      try {
        localStorage.setItem(name, text);
        unkept = null;
      } catch {
        unkept = text;
      }
      tell();
    },
    subscribe(listener) {
      const other = (event: StorageEvent) => {
        if (event.key === name || event.key === null) listener();
      };
      listeners.add(listener);
      window.addEventListener("storage", other);
      return () => {
        listeners.delete(listener);
        window.removeEventListener("storage", other);
      };
    },
  };
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Looks at something kept. */
export function useKept<T>(store: Kept<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** An object of what was stored; null when it is none. */
export function storedObject(stored: unknown): Record<string, unknown> | null {
  return typeof stored === "object" && stored !== null && !Array.isArray(stored) ? (stored as Record<string, unknown>) : null;
}

/** The texts of a list that was stored. */
export function storedTexts(stored: unknown): string[] {
  return Array.isArray(stored) ? stored.filter((each) => typeof each === "string") : [];
}

/** One of some words; the first where something else was stored. */
export function storedWord<W extends string>(stored: unknown, words: readonly [W, ...W[]]): W {
  return words.find((word) => word === stored) ?? words[0];
}
