import type { Update } from "../generated/wire";

/** Batches of updates on their way to whoever listens; those that come before anybody does are kept. */
export interface UpdateBuffer {
  push(batch: Update[]): void;
  listen(onUpdates: (batch: Update[]) => void): () => void;
}

/** Holds batches until somebody listens: a host listens before the window asks it anything, so that no change falls in between. */
export function updateBuffer(): UpdateBuffer {
  const listeners = new Set<(batch: Update[]) => void>();
  let undelivered: Update[][] = [];
  return {
    push(batch) {
      if (listeners.size === 0) undelivered.push(batch);
      for (const listener of listeners) listener(batch);
    },
    listen(onUpdates) {
      listeners.add(onUpdates);
      const missed = undelivered;
      undelivered = [];
      missed.forEach(onUpdates);
      return () => listeners.delete(onUpdates);
    },
  };
}
