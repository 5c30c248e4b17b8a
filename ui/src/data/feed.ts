import { notifyManager, type QueryClient } from "@tanstack/react-query";
import type { ActivityView, Command, LoopView, Update } from "../generated/wire";
import type { AnswerTo, Host } from "../platform";
import { LiveAnswer } from "./live-answer";

/** What belongs to no view: a person asked to see something, or should read something. */
export type HostEvent = Extract<Update, { type: "show" | "notice" }>;

/** The events of one type. */
export type HostEventOf<T extends HostEvent["type"]> = Extract<HostEvent, { type: T }>;

type Patch = Partial<LoopView>;

const HIDDEN_FLUSH_MS = 250;
/** So many events are kept for whoever comes to listen. */
const MAX_UNDELIVERED = 10;

function patchLoops(loops: LoopView[], patches: Map<string, Patch>): LoopView[] | null {
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
function replaceActivities(activities: ActivityView[], changes: Map<string, ActivityView>): ActivityView[] {
  const others = activities.filter(({ key }) => !changes.has(key));
  return [...others, ...changes.values()].filter(({ workers }) => workers.length > 0);
}

/** Whether updates change the answer in place: what did not change in it then stays the same objects by itself. */
export function isLive({ command }: Command): boolean {
  return command === "loops" || command === "activities";
}

/** Takes the host's updates in, and puts them into the cache once a frame. */
export class Feed {
  private readonly cache: QueryClient;
  private readonly loops = new LiveAnswer<LoopView, Patch>("loops", (before, patch) => ({ ...before, ...patch }), patchLoops);
  private readonly activities = new LiveAnswer<ActivityView, ActivityView>("activities", (_, activity) => activity, replaceActivities);
  private stale: string[][] = [];
  private scheduled = false;
  private readonly listeners = new Set<{ type: HostEvent["type"]; deliver: (event: HostEvent) => void }>();
  private undelivered: HostEvent[] = [];

  constructor(cache: QueryClient) {
    this.cache = cache;
  }

  /** Listens to the host until the answer is called. */
  connect(host: Host): () => void {
    return host.listen((batch) => this.receive(batch));
  }

  /** Listens for events of a type until the answer is called; those that came while nobody did come first. */
  onEvent<T extends HostEvent["type"]>(type: T, onEvent: (event: HostEventOf<T>) => void): () => void {
    const isMine = (event: HostEvent): event is HostEventOf<T> => event.type === type;
    const listener = { type, deliver: (event: HostEvent) => void (isMine(event) && onEvent(event)) };
    this.listeners.add(listener);
    const missed = this.undelivered.filter(isMine);
    this.undelivered = this.undelivered.filter((event) => !isMine(event));
    missed.forEach(onEvent);
    return () => this.listeners.delete(listener);
  }

  private dispatch(event: HostEvent): void {
    const interested = [...this.listeners].filter(({ type }) => type === event.type);
    for (const { deliver } of interested) deliver(event);
    if (interested.length === 0) this.undelivered = [...this.undelivered, event].slice(-MAX_UNDELIVERED);
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

  private receive(batch: Update[]): void {
    for (const update of batch) {
      switch (update.type) {
        case "loop":
          this.loops.add(update.key, update.changed);
          break;
        case "activity":
          this.activities.add(update.key, { key: update.key, workers: update.workers });
          break;
        case "stale":
          this.stale.push(...update.topics);
          break;
        case "show":
        case "notice":
          this.dispatch(update);
          break;
        default:
          update satisfies never;
      }
    }
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || !(this.loops.hasChanges || this.activities.hasChanges || this.stale.length > 0)) return;
    this.scheduled = true;
    // A hidden window is given no frames.
    if (document.hidden) setTimeout(() => this.flush(), HIDDEN_FLUSH_MS);
    else requestAnimationFrame(() => this.flush());
  }

  private flush(): void {
    this.scheduled = false;
    const { stale } = this;
    this.stale = [];
    notifyManager.batch(() => {
      if (!this.loops.flush(this.cache)) stale.push(["loops"]);
      if (!this.activities.flush(this.cache)) stale.push(["activities"]);
      const all = stale.some((topic) => topic.length === 0);
      const topics = all ? [[]] : [...new Map(stale.map((topic) => [topic.join("\n"), topic])).values()];
      for (const topic of topics) this.invalidate(topic);
    });
  }

  /**
   * Has what is shown of a topic read anew. React Query leaves a first reading that is under way alone and takes its answer for fresh, though
   * it may be of before: what is read so is read once more.
   */
  private invalidate(topic: string[]): void {
    const first = this.cache.getQueryCache().findAll({ queryKey: topic, fetchStatus: "fetching", predicate: ({ state }) => state.data === undefined });
    void this.cache.invalidateQueries({ queryKey: topic });
    for (const { promise, queryKey } of first) {
      const again = () => void this.cache.invalidateQueries({ queryKey, exact: true });
      promise?.then(again, again);
    }
  }
}
