import { notifyManager, type QueryClient } from "@tanstack/react-query";
import type { LoopView, Update } from "../generated/wire";
import type { Host } from "../platform";

/** What belongs to no view: a person asked to see something, or should read something. */
export type News = Extract<Update, { type: "show" | "say" }>;

/** News of one type. */
export type NewsOf<T extends News["type"]> = Extract<News, { type: T }>;

type Patch = Partial<LoopView>;

const HIDDEN_MS = 250;
/** So many news are kept for whoever comes to hear them. */
const KEPT = 10;

/** Puts patches onto the loops; loops that did not change stay the same objects. Null when a patch fits nothing. */
function patched(loops: LoopView[], patches: Map<string, Patch>): LoopView[] | null {
  const left = new Map(patches);
  const next = loops.map((loop) => {
    const patch = left.get(loop.key);
    if (!patch) return loop;
    left.delete(loop.key);
    return { ...loop, ...patch };
  });
  for (const patch of left.values()) {
    if (!isWhole(patch)) return null;
    next.push(patch);
  }
  return next;
}

/** A new loop comes with all of its fields. */
function isWhole(patch: Patch): patch is LoopView {
  return patch.key !== undefined && patch.state !== undefined && patch.findings !== undefined && patch.ci !== undefined;
}

/**
 * Takes the host's updates in, and puts them into the cache once a frame.
 *
 * Patches hold absolute values and come in order, so those that arrive while the loops are being read are simply put on top of the answer.
 */
export class Feed {
  private readonly client: QueryClient;
  private patches = new Map<string, Patch>();
  private stale: string[][] = [];
  private duringRead: Map<string, Patch>[] = [];
  private scheduled = false;
  private readonly hearers = new Set<{ type: News["type"]; hear: (news: News) => void }>();
  private unheard: News[] = [];

  constructor(client: QueryClient) {
    this.client = client;
  }

  /** Listens to the host until the answer is called. */
  connect(host: Host): () => void {
    return host.listen((batch) => this.take(batch));
  }

  /** Hears of news until the answer is called, and first of those that came while nobody heard of them. */
  onNews<T extends News["type"]>(type: T, hear: (news: NewsOf<T>) => void): () => void {
    const isMine = (news: News): news is NewsOf<T> => news.type === type;
    const hearer = { type, hear: (news: News) => void (isMine(news) && hear(news)) };
    this.hearers.add(hearer);
    const missed = this.unheard.filter(isMine);
    this.unheard = this.unheard.filter((news) => !isMine(news));
    missed.forEach(hear);
    return () => this.hearers.delete(hearer);
  }

  private tell(news: News): void {
    const hearers = [...this.hearers].filter(({ type }) => type === news.type);
    for (const { hear } of hearers) hear(news);
    if (hearers.length === 0) this.unheard = [...this.unheard, news].slice(-KEPT);
  }

  /** Reads the loops, and puts on top what changed meanwhile. */
  async readLoops(host: Host): Promise<LoopView[]> {
    const meanwhile = new Map<string, Patch>();
    this.duringRead.push(meanwhile);
    try {
      const loops = await host.rpc({ command: "loops" });
      return patched(loops, meanwhile) ?? loops;
    } finally {
      this.duringRead = this.duringRead.filter((other) => other !== meanwhile);
    }
  }

  private take(batch: Update[]): void {
    for (const update of batch) {
      switch (update.type) {
        case "loop":
          for (const into of [this.patches, ...this.duringRead]) {
            into.set(update.key, { ...into.get(update.key), ...update.changed });
          }
          break;
        case "stale":
          this.stale.push(...update.topics);
          break;
        case "show":
        case "say":
          this.tell(update);
          break;
      }
    }
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || (this.patches.size === 0 && this.stale.length === 0)) return;
    this.scheduled = true;
    // A hidden window is given no frames.
    if (document.hidden) setTimeout(() => this.flush(), HIDDEN_MS);
    else requestAnimationFrame(() => this.flush());
  }

  private flush(): void {
    this.scheduled = false;
    const { patches, stale } = this;
    this.patches = new Map();
    this.stale = [];
    notifyManager.batch(() => {
      const loops = this.client.getQueryData<LoopView[]>(["loops"]);
      if (loops && patches.size > 0) {
        const next = patched(loops, patches);
        if (next) this.client.setQueryData(["loops"], next);
        else stale.push(["loops"]);
      }
      const all = stale.some((topic) => topic.length === 0);
      const topics = all ? [[]] : [...new Map(stale.map((topic) => [topic.join("\n"), topic])).values()];
      for (const topic of topics) void this.client.invalidateQueries({ queryKey: topic });
    });
  }
}
