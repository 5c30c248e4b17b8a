import { keepPreviousData, notifyManager, QueryClient, QueryClientProvider, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { createContext, useCallback, useContext, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import type { ActivityView, Command, LoopView, RightsView, SessionView, WorkerView } from "../generated/wire";
import { asProblem, type AnswerTo, type Host, type Problem } from "../platform";
import { Feed, isLive, type HostEvent, type HostEventOf } from "./feed";

export { Problem } from "../platform";

// What one batch of updates changes is then shown by one render, however many look at it.
notifyManager.setScheduler(queueMicrotask);

const HostContext = createContext<{ host: Host; feed: Feed } | null>(null);

/** A cache that is told by the host what is stale, and so never asks by itself. */
export function newCache(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: Infinity, retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false, networkMode: "always" },
    },
  });
}

/** Gives everything below the host's answers, kept true by its updates. */
export function DataProvider({ host, cache, children }: { host: Host; cache: QueryClient; children: ReactNode }) {
  const [value, setValue] = useState(() => ({ host, feed: new Feed(cache) }));
  if (value.host !== host) setValue({ host, feed: new Feed(cache) });
  useEffect(() => value.feed.connect(value.host), [value]);
  return (
    <HostContext value={value}>
      <QueryClientProvider client={cache}>{children}</QueryClientProvider>
    </HostContext>
  );
}

function useHostAndFeed(): { host: Host; feed: Feed } {
  const value = useContext(HostContext);
  if (!value) throw new Error("DataProvider is missing");
  return value;
}

/** The process behind the window. Most code wants `useAnswer` and `useAct`. */
export const useHost = (): Host => useHostAndFeed().host;

/** The key of an answer in the cache: `Topic` in Rust, then whatever else was asked. */
export function cacheKey(command: Command): unknown[] {
  if (!("args" in command)) return [command.command];
  const { key, repo, ...others } = command.args as Record<string, unknown>;
  const subject = key ?? repo;
  const more = Object.values(others);
  return subject === undefined ? [command.command, ...more] : [command.command, subject, ...more];
}

/** What the host answers to a reading command; read anew when the host says that it is stale. */
export function useAnswer<C extends Command>(
  command: C,
  { keepPrevious, ...options }: { enabled?: boolean; /** Shows the answer to what was asked before until this one's is there. */ keepPrevious?: boolean } = {},
): UseQueryResult<AnswerTo<C>, Problem> {
  const { host, feed } = useHostAndFeed();
  return useQuery<AnswerTo<C>, Problem>({
    queryKey: cacheKey(command),
    queryFn: () => feed.read(host, command),
    // Comparing 50 loops deep on each update is not needed.
    structuralSharing: !isLive(command),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
    ...options,
  });
}

/** Carries out what a person asked for. */
export interface CommandRunner {
  /**
   * Rejects with the problem, which is kept in `problem` too; a rejection nobody handles is no error in the console, one of a promise made from
   * it (`.then(…)`) is.
   */
  run<C extends Command>(command: C): Promise<AnswerTo<C>>;
  pending: boolean;
  problem: Problem | null;
  reset(): void;
}

/** Carries out what a person asked for, and says how it goes. */
export function useCommand(): CommandRunner {
  const { host } = useHostAndFeed();
  const [pendingCount, setPendingCount] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const run = useCallback(
    <C extends Command>(command: C): Promise<AnswerTo<C>> => {
      setPendingCount((count) => count + 1);
      setProblem(null);
      const answer = host
        .rpc(command)
        .catch((thrown: unknown) => {
          const rejection = asProblem(thrown);
          setProblem(rejection);
          throw rejection;
        })
        .finally(() => setPendingCount((count) => count - 1));
      answer.catch(() => undefined);
      return answer;
    },
    [host],
  );
  const reset = useCallback(() => setProblem(null), []);
  return { run, pending: pendingCount > 0, problem, reset };
}

const NO_LOOPS: LoopView[] = [];

/** Every loop; empty while they are being read. */
export function useLoops(): LoopView[] {
  return useAnswer({ command: "loops" }).data ?? NO_LOOPS;
}

/** One loop; renders again only when that one changed. */
export function useLoop(key: string): LoopView | undefined {
  const { host, feed } = useHostAndFeed();
  return useQuery<LoopView[], Problem, LoopView | undefined>({
    queryKey: ["loops"],
    queryFn: () => feed.read(host, { command: "loops" }),
    structuralSharing: false,
    select: (loops) => loops.find((loop) => loop.key === key),
  }).data;
}

const NO_WORKERS: WorkerView[] = [];

/** Looks at who is at work on a loop; renders again only when what is seen there changed. */
function useWorkers<T>(key: string, select: (workers: WorkerView[]) => T): T {
  const { host, feed } = useHostAndFeed();
  const selected = useQuery<ActivityView[], Problem, T>({
    queryKey: ["activities"],
    queryFn: () => feed.read(host, { command: "activities" }),
    structuralSharing: false,
    select: (activities) => select(activities.find((activity) => activity.key === key)?.workers ?? NO_WORKERS),
  }).data;
  return selected ?? select(NO_WORKERS);
}

const identity = (workers: WorkerView[]) => workers;
const namesOf = (workers: WorkerView[]) => workers.map(({ name: who }) => who).join("\n");

/** Who is at work on a loop, and at what; nobody while that is not known. */
export const useActivity = (key: string): WorkerView[] => useWorkers(key, identity);

/** Who is at work on a loop, a name a line; renders again only when somebody begins or ends. */
export const useWorkerNames = (key: string): string => useWorkers(key, namesOf);

/** Where the app stands. Only below `SessionGate`. */
export function useSession(): SessionView {
  const session = useAnswer({ command: "session" }).data;
  if (!session) throw new Error("the session is not known here");
  return session;
}

/** Since when nothing has come from the host, in milliseconds since 1970; null while it is heard. */
export function useSilence(): number | null {
  const { silence } = useHost();
  return useSyncExternalStore(silence?.listen ?? neverChanges, () => silence?.since() ?? null);
}

const neverChanges = () => () => undefined;

/** What the person may decide about all of it; what is not theirs is not offered, or says why. */
export const useRights = (): RightsView => useSession().rights;

/** In which repositories the person may act. Until that is known they may on their own machine, and not on a server. */
export function useMayWriteTo(): (repo: string) => boolean {
  const { own_machine: ownMachine } = useRights();
  const { data } = useAnswer({ command: "repositories" });
  return useCallback((repo) => data?.find(({ name }) => name.toLowerCase() === repo.toLowerCase())?.may_write ?? ownMachine, [data, ownMachine]);
}

/** Whether the person may act in a repository: see `useMayWriteTo`. */
export const useMayWrite = (repo: string): boolean => useMayWriteTo()(repo);

/** Hears of what belongs to no view. What came while nothing that hears of it was shown comes first. */
export function useHostEvent<T extends HostEvent["type"]>(type: T, listener: (event: HostEventOf<T>) => void): void {
  const { feed } = useHostAndFeed();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => feed.onEvent(type, (event) => latest.current(event)), [feed, type]);
}

interface Clock {
  now: number;
  listeners: Set<() => void>;
  timer: ReturnType<typeof setInterval> | undefined;
}
const clocks = new Map<number, Clock>();

function clockOf(everyMs: number): Clock {
  let clock = clocks.get(everyMs);
  if (!clock) {
    clock = { now: Date.now(), listeners: new Set(), timer: undefined };
    clocks.set(everyMs, clock);
  }
  return clock;
}

/** The time, in milliseconds, renewed every so often; all that share a period tick together. */
export function useNow(everyMs: number): number {
  const subscribe = useCallback(
    (onTick: () => void) => {
      const clock = clockOf(everyMs);
      clock.listeners.add(onTick);
      if (clock.timer === undefined) {
        clock.now = Date.now();
        clock.timer = setInterval(() => {
          clock.now = Date.now();
          for (const each of clock.listeners) each();
        }, everyMs);
      }
      return () => {
        clock.listeners.delete(onTick);
        if (clock.listeners.size > 0) return;
        clearInterval(clock.timer);
        clock.timer = undefined;
      };
    },
    [everyMs],
  );
  return useSyncExternalStore(subscribe, () => {
    const clock = clockOf(everyMs);
    if (clock.timer === undefined && Date.now() - clock.now >= everyMs) clock.now = Date.now();
    return clock.now;
  });
}
