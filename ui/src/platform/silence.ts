import type { Silence } from "./host";

/** A break this short is none for people: a proxy ends streams now and then, and a browser opens them again. */
const SHORT_MS = 4000;

/** Silence that who hears the host tells of. */
export interface SilenceSignal extends Silence {
  /** Something came, or nothing is expected. */
  heard(): void;
  /** The way to the host broke. */
  broken(): void;
}

/** Takes a break for silence once it has lasted. */
export function silenceSignal(): SilenceSignal {
  const listeners = new Set<() => void>();
  let since: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const change = (to: number | null) => {
    if (to === since) return;
    since = to;
    for (const listener of listeners) listener();
  };
  return {
    since: () => since,
    listen: (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    heard: () => {
      clearTimeout(timer);
      timer = undefined;
      change(null);
    },
    broken: () => {
      const brokeAt = Date.now();
      timer ??= setTimeout(() => change(brokeAt), SHORT_MS);
    },
  };
}
