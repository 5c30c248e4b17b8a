import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";

/** What the window shows beside the sidebar. */
export type Place =
  | { page: "home" }
  | { page: "needs-you" | "ready" | "working" }
  | { page: "repo"; repo: string }
  | { page: "settings"; group: string };

/** What may be asked for at once when a pull request is shown. */
export type Ask = "cancel" | "merge";

export interface Route {
  place: Place;
  /** The pull request beside the list: `owner/repo#n`. */
  show: string | null;
  ask: Ask | null;
}

/** The route of an address after its `#`. Whatever is not understood is the first page. */
export function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?");
  const asked = new URLSearchParams(query);
  const ask = asked.get("ask");
  return { place: placeOf(path), show: asked.get("show"), ask: ask === "cancel" || ask === "merge" ? ask : null };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function placeOf(path: string): Place {
  const [page, ...rest] = path.split("/").map(decoded);
  switch (page) {
    case "needs-you":
    case "ready":
    case "working":
      return { page };
    case "repo":
      return rest.length === 2 ? { page, repo: rest.join("/") } : { page: "home" };
    case "settings":
      return { page, group: rest[0] ?? "general" };
    default:
      return { page: "home" };
  }
}

/** The address of a route: what a link leads to. */
export function addressOf(place: Place, show: string | null = null, ask: Ask | null = null): string {
  const query = new URLSearchParams();
  if (show) query.set("show", show);
  if (ask) query.set("ask", ask);
  const asked = query.size > 0 ? `?${query}` : "";
  switch (place.page) {
    case "home":
      return `#/${asked}`;
    case "repo":
      return `#/repo/${place.repo.split("/").map(encodeURIComponent).join("/")}${asked}`;
    case "settings":
      return `#/settings/${encodeURIComponent(place.group)}`;
    default:
      return `#/${place.page}${asked}`;
  }
}

/** The repository in `owner/repo#n`. */
export function repoOf(key: string): string {
  const at = key.lastIndexOf("#");
  return at < 0 ? key : key.slice(0, at);
}

/** The number in `owner/repo#n`. */
export function numberOf(key: string): number {
  return Number(key.slice(key.lastIndexOf("#") + 1));
}

function subscribe(hear: () => void): () => void {
  window.addEventListener("hashchange", hear);
  return () => window.removeEventListener("hashchange", hear);
}

/** Where the window is, and the way to another place. Choosing another pull request in the same place adds nothing to the history. */
export function useRoute(): Route & { go: (place: Place, show?: string | null, ask?: Ask | null) => void } {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  const route = useMemo(() => routeOf(hash), [hash]);
  const go = useCallback((place: Place, show: string | null = null, ask: Ask | null = null) => {
    const address = addressOf(place, show, ask);
    if (address === window.location.hash) return;
    const stays = addressOf(routeOf(window.location.hash).place) === addressOf(place);
    if (!stays) window.history.pushState(null, "", address);
    else window.history.replaceState(null, "", address);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  }, []);
  return { ...route, go };
}

/** Hears once when the address asks for something about a pull request, and takes that out of the address. */
export function useAsked(key: string, onAsk: (ask: Ask) => void): void {
  const { place, show, ask, go } = useRoute();
  const latest = useRef(onAsk);
  useEffect(() => {
    latest.current = onAsk;
  });
  useEffect(() => {
    if (ask === null || show !== key) return;
    go(place, show);
    latest.current(ask);
  }, [ask, show, key, place, go]);
}
