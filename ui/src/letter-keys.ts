import { kept, useKept } from "./kept";

const store = kept("collie-letter-keys", (stored) => stored !== false);

/** Whether a single letter, digit or sign is a shortcut (WCAG 2.1.4). */
export const letterKeysOn = (): boolean => store.get();

/** The same, and how to change it. */
export function useLetterKeys(): [boolean, (on: boolean) => void] {
  return [useKept(store), store.set];
}
