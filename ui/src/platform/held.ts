import type { Update } from "../generated/wire";

/** Batches of updates on their way to whoever listens; those that come before anybody does are kept. */
export interface Held {
  take(batch: Update[]): void;
  listen(onUpdates: (batch: Update[]) => void): () => void;
}

/** Holds batches until somebody listens: a host listens before the window asks it anything, so that no change falls in between. */
export function held(): Held {
  const hearers = new Set<(batch: Update[]) => void>();
  let unheard: Update[][] = [];
  return {
    take(batch) {
      if (hearers.size === 0) unheard.push(batch);
      for (const hear of hearers) hear(batch);
    },
    listen(onUpdates) {
      hearers.add(onUpdates);
      const missed = unheard;
      unheard = [];
      missed.forEach(onUpdates);
      return () => hearers.delete(onUpdates);
    },
  };
}
