import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";

/** The lists of loops by whom they wait for. */
export type AttentionPage = "needs-you" | "ready" | "working";

/** What the window shows beside the sidebar. */
export type Destination =
  | { page: "home" }
  | { page: AttentionPage }
  | { page: "insights" }
  | { page: "repo"; repo: string }
  | { page: "settings"; group: string };

/** What may be asked for at once when a pull request is shown. */
const ROUTE_ACTIONS = ["cancel", "merge", "resume", "approve", "reject"] as const;

export type RouteAction = (typeof ROUTE_ACTIONS)[number];

export interface Route {
  destination: Destination;
  /** The pull request beside the list: `owner/repo#n`. */
  show: string | null;
  action: RouteAction | null;
}

/** The route of an address after its `#`. Whatever is not understood is the first page. */
export function parseRoute(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#?\/?/, "").split("?");
  const query = new URLSearchParams(search);
  const asked = query.get("ask");
  const action = ROUTE_ACTIONS.find((each) => each === asked) ?? null;
  return { destination: parseDestination(path), show: query.get("show"), action };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function parseDestination(path: string): Destination {
  const [page, ...rest] = path.split("/").map(decodePart);
  switch (page) {
    case "needs-you":
    case "ready":
    case "working":
    case "insights":
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
export function hrefOf(destination: Destination, show: string | null = null, action: RouteAction | null = null): string {
  const query = new URLSearchParams();
  if (show) query.set("show", show);
  if (action) query.set("ask", action);
  const search = query.size > 0 ? `?${query}` : "";
  switch (destination.page) {
    case "home":
      return `#/${search}`;
    case "repo":
      return `#/repo/${destination.repo.split("/").map(encodeURIComponent).join("/")}${search}`;
    case "settings":
      return `#/settings/${encodeURIComponent(destination.group)}`;
    case "needs-you":
    case "ready":
    case "working":
    case "insights":
      return `#/${destination.page}${search}`;
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

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

/** Where the window is, and the way to another place. Choosing another pull request in the same place adds nothing to the history. */
export function useRoute(): Route & { navigate: (destination: Destination, show?: string | null, action?: RouteAction | null) => void } {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  const route = useMemo(() => parseRoute(hash), [hash]);
  const navigate = useCallback((destination: Destination, show: string | null = null, action: RouteAction | null = null) => {
    const address = hrefOf(destination, show, action);
    if (address === window.location.hash) return;
    const stays = hrefOf(parseRoute(window.location.hash).destination) === hrefOf(destination);
    if (!stays) window.history.pushState(null, "", address);
    else window.history.replaceState(null, "", address);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  }, []);
  return { ...route, navigate };
}

/** Hears once when the address asks for something about a pull request, and takes that out of the address. */
export function useRouteAction(key: string, onAction: (action: RouteAction) => void): void {
  const { destination, show, action, navigate } = useRoute();
  const latest = useRef(onAction);
  useEffect(() => {
    latest.current = onAction;
  });
  useEffect(() => {
    if (action === null || show !== key) return;
    navigate(destination, show);
    latest.current(action);
  }, [action, show, key, destination, navigate]);
}
