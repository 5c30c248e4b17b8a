import type { LoopView } from "../../generated/wire";
import { kept, storedObject, storedTexts, storedWord, useKept } from "../../kept";
import type { AttentionPage } from "../../routes";
import type { Snoozes } from "../../snooze";
import { factsOf, type LoopFacts } from "./facts";
import { pageOf, standingOf, STANDINGS, type Standing } from "./standing";

export const GROUPINGS = ["state", "repository", "none"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** By repository they keep their places while they work. */
export const SORTINGS = ["repository", "newest", "oldest", "title", "cost"] as const;
export type Sorting = (typeof SORTINGS)[number];

/** Which loops are listed, and how. */
export interface View {
  grouping: Grouping;
  sorting: Sorting;
  mine: boolean;
  /** Only those of these; of all when empty. */
  repositories: string[];
  query: string;
}

export const FIRST_VIEW: View = { grouping: "state", sorting: "repository", mine: false, repositories: [], query: "" };

/** A view that was given a name, with the tile that was pressed. */
export interface SavedView {
  name: string;
  only: AttentionPage | null;
  view: View;
}

/** A line of the list. */
export type Item =
  | { kind: "group"; id: string; standing: Standing | null; repo: string | null; count: number; folded: boolean }
  | { kind: "loop"; id: string; loop: LoopView };

/** What is looked for besides a view. */
export interface Looking {
  only: AttentionPage | null;
  login: string | null;
  snoozes: Snoozes;
  now: number;
  /** Groups that show their heading alone. */
  folded: readonly string[];
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const byPlace = (a: LoopFacts, b: LoopFacts): number => byText(a.repo, b.repo) || b.number - a.number;

const ORDERS: Record<Sorting, (a: LoopFacts, b: LoopFacts) => number> = {
  repository: byPlace,
  newest: (a, b) => byText(b.since, a.since),
  oldest: (a, b) => byText(a.since, b.since),
  title: (a, b) => byText(a.title, b.title),
  cost: (a, b) => b.cost - a.cost,
};

/** The loops of a view that match, in no order. */
export function matchesOf(loops: readonly LoopView[], view: View, looking: Looking): LoopView[] {
  const terms = view.query.toLowerCase().split(/\s+/).filter(Boolean);
  const repositories = new Set(view.repositories);
  return loops.filter((loop) => {
    if (looking.only !== null && pageOf(standingOf(loop, looking.snoozes, looking.now)) !== looking.only) return false;
    if (view.mine && loop.author !== looking.login) return false;
    const { repo, text } = factsOf(loop);
    return (repositories.size === 0 || repositories.has(repo)) && terms.every((term) => text.includes(term));
  });
}

/** The lines of a view, of the loops that match it: groups with their loops, in order. */
export function itemsOf(matches: readonly LoopView[], view: View, looking: Looking): Item[] {
  const order = ORDERS[view.sorting];
  const sorted = matches.toSorted((one, other) => {
    const [a, b] = [factsOf(one), factsOf(other)];
    return order(a, b) || byPlace(a, b);
  });
  const lines = (some: readonly LoopView[]): Item[] => some.map((loop) => ({ kind: "loop", id: loop.key, loop }));
  if (view.grouping === "none") return lines(sorted);
  const groups = new Map<string, LoopView[]>();
  for (const loop of sorted) {
    const name = view.grouping === "repository" ? factsOf(loop).repo : standingOf(loop, looking.snoozes, looking.now);
    const group = groups.get(name);
    if (group) group.push(loop);
    else groups.set(name, [loop]);
  }
  const names = view.grouping === "repository" ? [...groups.keys()].sort(byText) : STANDINGS.filter((each) => groups.has(each));
  return names.flatMap((name): Item[] => {
    const group = groups.get(name) ?? [];
    const id = `${view.grouping} ${name}`;
    const folded = looking.folded.includes(id);
    const standing = STANDINGS.find((each) => view.grouping === "state" && each === name) ?? null;
    const heading: Item = { kind: "group", id, standing, repo: standing === null ? name : null, count: group.length, folded };
    return [heading, ...(folded ? [] : lines(group))];
  });
}

/** Whether a view shows everything there is. */
export const isUnfiltered = (view: View): boolean => !view.mine && view.repositories.length === 0 && view.query.trim() === "";

function readView(stored: unknown): View {
  const view = storedObject(stored) ?? {};
  return {
    grouping: storedWord(view.grouping, GROUPINGS),
    sorting: storedWord(view.sorting, SORTINGS),
    mine: view.mine === true,
    repositories: storedTexts(view.repositories),
    query: typeof view.query === "string" ? view.query : "",
  };
}

function readSaved(stored: unknown): SavedView[] {
  const all = Array.isArray(stored) ? stored : [];
  return all.flatMap((each: unknown): SavedView[] => {
    const saved = storedObject(each);
    if (typeof saved?.name !== "string" || saved.name === "") return [];
    const only = storedWord(saved.only, ["", "needs-you", "ready", "working"]);
    return [{ name: saved.name, only: only === "" ? null : only, view: readView(saved.view) }];
  });
}

const lastView = kept("collie-overview", readView);
const savedViews = kept("collie-overview-views", readSaved);
const foldedGroups = kept("collie-overview-folded", storedTexts);

/** How the list was last shown, but for the words that were searched for. */
export function useLastView(): [View, (view: View) => void] {
  return [useKept(lastView), keepView];
}

const keepView = (view: View): void => lastView.set({ ...view, query: "" });

/** The views that were given names, by name. */
export function useSavedViews(): { views: SavedView[]; save: (view: SavedView) => void; remove: (name: string) => void } {
  const views = useKept(savedViews);
  const others = (name: string) => views.filter((each) => each.name !== name);
  return {
    views,
    save: (view) => savedViews.set([...others(view.name), view].sort((a, b) => byText(a.name, b.name))),
    remove: (name) => savedViews.set(others(name)),
  };
}

/** Which groups show their heading alone. */
export function useFolded(): [string[], (id: string) => void] {
  const folded = useKept(foldedGroups);
  return [folded, (id) => foldedGroups.set(folded.includes(id) ? folded.filter((each) => each !== id) : [...folded, id])];
}
