import { notifyManager, type QueryClient } from "@tanstack/react-query";
import type { ActivityView, Command, LoopView, Update } from "../generated/wire";
import type { AnswerTo, Host } from "../platform";
import { Live } from "./live";

/** What belongs to no view: a person asked to see something, or should read something. */
export type News = Extract<Update, { type: "show" | "say" }>;

/** News of one type. */
export type NewsOf<T extends News["type"]> = Extract<News, { type: T }>;

type Patch = Partial<LoopView>;

const HIDDEN_MS = 250;
/** So many news are kept for whoever comes to hear them. */
const KEPT = 10;

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

/** Where somebody is at work, after changes that each name all who are. */
function atWork(activities: ActivityView[], changes: Map<string, ActivityView>): ActivityView[] {
  const others = activities.filter(({ key }) => !changes.has(key));
  return [...others, ...changes.values()].filter(({ workers }) => workers.length > 0);
}

/** Whether updates change the answer in place: what did not change in it then stays the same objects by itself. */
export function isLive({ command }: Command): boolean {
  return command === "loops" || command === "activities";
}

/** Takes the host's updates in, and puts them into the cache once a frame. */
export class Feed {
  private readonly client: QueryClient;
  private readonly loops = new Live<LoopView, Patch>("loops", (before, patch) => ({ ...before, ...patch }), patched);
  private readonly activities = new Live<ActivityView, ActivityView>("activities", (_, activity) => activity, atWork);
  private stale: string[][] = [];
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

  /** Asks the host; what updates change meanwhile is put on top of its answer. */
  read<C extends Command>(host: Host, command: C): Promise<AnswerTo<C>> {
    switch (command.command) {
      case "loops":
        return this.loops.read(() => host.rpc({ command: "loops" })) as Promise<AnswerTo<C>>;
      case "activities":
        return this.activities.read(() => host.rpc({ command: "activities" })) as Promise<AnswerTo<C>>;
      default:
        return host.rpc(command);
    }
  }

  private take(batch: Update[]): void {
    for (const update of batch) {
      switch (update.type) {
        case "loop":
          this.loops.take(update.key, update.changed);
          break;
        case "activity":
          this.activities.take(update.key, { key: update.key, workers: update.workers });
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
    if (this.scheduled || !(this.loops.waits || this.activities.waits || this.stale.length > 0)) return;
    this.scheduled = true;
    // A hidden window is given no frames.
    if (document.hidden) setTimeout(() => this.flush(), HIDDEN_MS);
    else requestAnimationFrame(() => this.flush());
  }

  private flush(): void {
    this.scheduled = false;
    const { stale } = this;
    this.stale = [];
    notifyManager.batch(() => {
      if (!this.loops.flush(this.client)) stale.push(["loops"]);
      if (!this.activities.flush(this.client)) stale.push(["activities"]);
      const all = stale.some((topic) => topic.length === 0);
      const topics = all ? [[]] : [...new Map(stale.map((topic) => [topic.join("\n"), topic])).values()];
      for (const topic of topics) void this.client.invalidateQueries({ queryKey: topic });
    });
  }
}
