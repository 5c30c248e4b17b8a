import type { QueryClient } from "@tanstack/react-query";
import type { ActivityView, LoopView, RepositoryView, SessionView } from "../generated/wire";
import type { FakeHost } from "./host";

/**
 * Puts into a cache what a window that has been open for a while would know: the session, and what is given as plain values of loops, who is at work
 * and repositories.
 */
export function seed(cache: QueryClient, host: FakeHost, session: SessionView): void {
  const { loops, repositories, activities } = host.answers;
  cache.setQueryData(["session"], session);
  if (Array.isArray(loops)) cache.setQueryData<LoopView[]>(["loops"], loops);
  if (Array.isArray(activities)) cache.setQueryData<ActivityView[]>(["activities"], activities);
  if (Array.isArray(repositories)) cache.setQueryData<RepositoryView[]>(["repositories"], repositories);
}
