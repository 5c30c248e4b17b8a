import type { LoopView, PullLine } from "../../generated/wire";
import { kept, storedObject, storedTexts, storedWord, useKept } from "../../kept";
import type { AttentionPage } from "../../routes";
import type { Snoozes } from "../../snooze";
import { byName } from "../../text-order";
import { factsOf, factsOfPull, type LoopFacts } from "./facts";
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
  | { kind: "loop"; id: string; loop: LoopView }
  | { kind: "pull"; id: string; pull: PullLine };

/** What is looked for besides a view. */
export interface Looking {
  only: AttentionPage | null;
  login: string | null;
  snoozes: Snoozes;
  now: number;
  /** Groups that show their heading alone. */
  folded: readonly string[];
}

/** For moments, as they are written. */
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const byPlace = (a: LoopFacts, b: LoopFacts): number => byName(a.repo, b.repo) || b.number - a.number;

const ORDERS: Record<Sorting, (a: LoopFacts, b: LoopFacts) => number> = {
  repository: byPlace,
  newest: (a, b) => byText(b.since, a.since),
  oldest: (a, b) => byText(a.since, b.since),
  title: (a, b) => byName(a.title, b.title),
  cost: (a, b) => b.cost - a.cost,
};

/** Whether somebody's line with these facts is wanted, wherever it stands. */
function filterOf(view: View, looking: Looking): (author: string | null, facts: LoopFacts) => boolean {
  const terms = view.query.toLowerCase().split(/\s+/).filter(Boolean);
  const repositories = new Set(view.repositories);
  return (author, { repo, text }) =>
    (!view.mine || author === looking.login) && (repositories.size === 0 || repositories.has(repo)) && terms.every((term) => text.includes(term));
}

/** The loops of a view that match, in no order. */
export function matchesOf(loops: readonly LoopView[], view: View, looking: Looking): LoopView[] {
  const fits = filterOf(view, looking);
  return loops.filter((loop) => {
    if (looking.only !== null && pageOf(standingOf(loop, looking.snoozes, looking.now)) !== looking.only) return false;
    return fits(loop.author, factsOf(loop));
  });
}

/** The pull requests without a loop that match; none where a tile is pressed, as none of them counts there. */
export function pullMatchesOf(pulls: readonly PullLine[], loops: readonly LoopView[], view: View, looking: Looking): PullLine[] {
  if (looking.only !== null || pulls.length === 0) return [];
  const started = new Set(loops.map(({ key }) => key));
  const fits = filterOf(view, looking);
  return pulls.filter((pull) => !started.has(pull.key) && fits(pull.author, factsOfPull(pull)));
}

type Line = Exclude<Item, { kind: "group" }>;

const factsOfLine = (line: Line): LoopFacts => (line.kind === "loop" ? factsOf(line.loop) : factsOfPull(line.pull));

/** The lines of a view, of what matches it: groups with their loops and pull requests, in order. */
export function itemsOf(matches: readonly LoopView[], view: View, looking: Looking, pulls: readonly PullLine[] = []): Item[] {
  const order = ORDERS[view.sorting];
  const all = [
    ...matches.map((loop): Line => ({ kind: "loop", id: loop.key, loop })),
    ...pulls.map((pull): Line => ({ kind: "pull", id: pull.key, pull })),
  ];
  const sorted = all.sort((one, other) => {
    const [a, b] = [factsOfLine(one), factsOfLine(other)];
    return order(a, b) || byPlace(a, b);
  });
  if (view.grouping === "none") return sorted;
  const standing = (line: Line): Standing => (line.kind === "loop" ? standingOf(line.loop, looking.snoozes, looking.now) : "not-started");
  const groups = new Map<string, Line[]>();
  for (const line of sorted) {
    const name = view.grouping === "repository" ? factsOfLine(line).repo : standing(line);
    const group = groups.get(name);
    if (group) group.push(line);
    else groups.set(name, [line]);
  }
  const names = view.grouping === "repository" ? [...groups.keys()].sort(byName) : STANDINGS.filter((each) => groups.has(each));
  return names.flatMap((name): Item[] => {
    const group = groups.get(name) ?? [];
    const id = `${view.grouping} ${name}`;
    const folded = looking.folded.includes(id);
    const standing = STANDINGS.find((each) => view.grouping === "state" && each === name) ?? null;
    const heading: Item = { kind: "group", id, standing, repo: standing === null ? name : null, count: group.length, folded };
    return [heading, ...(folded ? [] : group)];
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
    save: (view) => savedViews.set([...others(view.name), view].sort((a, b) => byName(a.name, b.name))),
    remove: (name) => savedViews.set(others(name)),
  };
}

/** Which groups show their heading alone. */
export function useFolded(): [string[], (id: string) => void] {
  const folded = useKept(foldedGroups);
  return [folded, (id) => foldedGroups.set(folded.includes(id) ? folded.filter((each) => each !== id) : [...folded, id])];
}
