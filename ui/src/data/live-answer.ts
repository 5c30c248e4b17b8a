import type { QueryClient } from "@tanstack/react-query";

/**
 * An answer that updates change in place, a part by key.
 *
 * Updates hold absolute values and come in order, so those that arrive while the answer is being read are simply put on top of it.
 */
export class LiveAnswer<Item, Change> {
  private readonly name: string;
  /** A change, and one that comes on top of it. */
  private readonly merge: (before: Change | undefined, change: Change) => Change;
  /** The items with the changes; those without one stay the same objects. Null when a change fits none. */
  private readonly apply: (items: Item[], changes: Map<string, Change>) => Item[] | null;
  private changes = new Map<string, Change>();
  private duringRead: Map<string, Change>[] = [];

  constructor(
    name: string,
    merge: (before: Change | undefined, change: Change) => Change,
    apply: (items: Item[], changes: Map<string, Change>) => Item[] | null,
  ) {
    this.name = name;
    this.merge = merge;
    this.apply = apply;
  }

  /** Whether anything waits to be shown. */
  get hasChanges(): boolean {
    return this.changes.size > 0;
  }

  add(key: string, change: Change): void {
    for (const into of [this.changes, ...this.duringRead]) into.set(key, this.merge(into.get(key), change));
  }

  /** Asks for the answer, and puts on top what changed meanwhile. */
  async read(ask: () => Promise<Item[]>): Promise<Item[]> {
    const meanwhile = new Map<string, Change>();
    this.duringRead.push(meanwhile);
    try {
      const items = await ask();
      return this.apply(items, meanwhile) ?? items;
    } finally {
      this.duringRead = this.duringRead.filter((other) => other !== meanwhile);
    }
  }

  /** Shows what changed. False when the answer has to be read anew. */
  flush(cache: QueryClient): boolean {
    const { changes } = this;
    this.changes = new Map();
    const items = cache.getQueryData<Item[]>([this.name]);
    if (!items || changes.size === 0) return true;
    const next = this.apply(items, changes);
    if (next) cache.setQueryData([this.name], next);
    return next !== null;
  }
}
