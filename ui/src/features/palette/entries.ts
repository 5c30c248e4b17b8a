import type { CommandEntry, CommandGroup } from "../../components";
import type { LoopView, PullLine, SettingsView } from "../../generated/wire";
import type { Language, Translate } from "../../i18n";
import { repoOf, type Destination, type RouteAction } from "../../routes";
import { BULK_ACTIONS, fitting, type BulkAction, type Choosable } from "../issues/selection";
import { labelOf, PAGES } from "../settings/labels";
import { parseAddress } from "./address";
import { score } from "./match";

/** So many are offered: more is told by typing more. */
const MAX_ENTRIES = 50;
/** So many pull requests are offered before anything was typed. */
const MAX_UNASKED = 6;

/** What the palette knows of the window, and what it can do there. */
export interface PaletteContext {
  loops: readonly LoopView[];
  /** Pull requests without a loop, as far as their lists were read. */
  pulls: readonly PullLine[];
  repositories: readonly string[];
  settings: SettingsView | undefined;
  chosen: readonly Choosable[];
  /** The line that has the focus, or the pull request that is shown. */
  current: string | null;
  /** The host whose pull requests are watched. */
  host: string | null;
  snoozed: (loop: LoopView) => boolean;
  canMerge: boolean;
  /** Whether the person may act in a repository. */
  mayWriteTo: (repo: string) => boolean;
  /** Whether the person may decide about all of it. */
  operate: boolean;
  navigate: (destination: Destination) => void;
  show: (key: string, ask?: RouteAction) => void;
  goToSetting: (group: string, key: string) => void;
  bulk: (action: BulkAction, lines: readonly Choosable[]) => void;
  start: (key: string) => void;
  openOnGitHub: (key: string) => void;
  snooze: (loop: LoopView) => void;
  showKeys: () => void;
  showNotifications: () => void;
  /** Whether everything is paused; null where no engine runs. */
  paused: boolean | null;
  setPaused: (paused: boolean) => void;
  /** Whether the overview's rows are compact. */
  compactRows: boolean;
  setCompactRows: (compact: boolean) => void;
}

interface Scored {
  entry: CommandEntry;
  /** What is looked through besides label and hint. */
  more?: string;
}

type Group = { name: string; entries: Scored[]; /** Shown before anything is typed. */ unasked: number };

/** What fits what was typed, the best of each group first; the group with the best fit first. */
export function commandsFor(query: string, context: PaletteContext, t: Translate, language: Language): CommandGroup[] {
  const groups = groupsOf(context, t, language);
  const address = addressGroup(query, context, t);
  const shown = query.trim() === "" ? unaskedOf(groups) : matchingOf(query, groups);
  return address ? [address, ...shown] : shown;
}

function unaskedOf(groups: Group[]): CommandGroup[] {
  return groups.map(({ name, entries, unasked }) => ({ name, entries: entries.slice(0, unasked).map(({ entry }) => entry) })).filter(({ entries }) => entries.length > 0);
}

function matchingOf(query: string, groups: Group[]): CommandGroup[] {
  let left = MAX_ENTRIES;
  const scored = groups.map(({ name, entries }) => {
    const found = entries.flatMap(({ entry, more }) => {
      const found = score(`${entry.label} ${entry.hint ?? ""} ${more ?? ""}`, query);
      return found === null ? [] : [{ entry, found }];
    });
    return { name, found: found.sort((a, b) => b.found - a.found) };
  });
  return scored
    .filter(({ found }) => found.length > 0)
    .sort((a, b) => (b.found[0]?.found ?? 0) - (a.found[0]?.found ?? 0))
    .map(({ name, found }) => {
      const entries = found.slice(0, left).map(({ entry }) => entry);
      left -= entries.length;
      return { name, entries };
    })
    .filter(({ entries }) => entries.length > 0);
}

function groupsOf(context: PaletteContext, t: Translate, language: Language): Group[] {
  return [
    { name: t("bulk"), entries: bulkEntries(context, t), unasked: 3 },
    { name: currentName(context), entries: currentEntries(context, t), unasked: 8 },
    { name: t("palette-places"), entries: placeEntries(context, t), unasked: 7 },
    { name: t("palette-everything"), entries: pauseEntries(context, t), unasked: 1 },
    { name: t("palette-window"), entries: rowsEntries(context, t), unasked: 1 },
    { name: t("list-pulls"), entries: pullEntries(context, t), unasked: MAX_UNASKED },
    { name: t("sidebar-repositories"), entries: repositoryEntries(context), unasked: 0 },
    { name: t("sidebar-settings"), entries: context.operate ? settingEntries(context, t, language) : [], unasked: 0 },
  ];
}

function bulkEntries({ chosen, bulk }: PaletteContext, t: Translate): Scored[] {
  return BULK_ACTIONS.flatMap((action): Scored[] => {
    const count = fitting(action, chosen).length;
    return count === 0 ? [] : [{ entry: { id: `bulk-${action}`, label: t(`bulk-${action}`, { count }), run: () => bulk(action, chosen) } }];
  });
}

/** What is acted on is named once, and not in each line. */
function currentName({ current, loops, pulls }: PaletteContext): string {
  const named = loops.find(({ key }) => key === current) ?? pulls.find(({ key }) => key === current);
  return named ? `${named.title} · ${named.key}` : "";
}

function currentEntries(context: PaletteContext, t: Translate): Scored[] {
  const { current, loops, pulls } = context;
  const loop = loops.find(({ key }) => key === current);
  const pull = pulls.find(({ key }) => key === current);
  if (loop) return loopEntries(loop, context, t);
  if (!pull) return [];
  const { key } = pull;
  const start: Scored = { entry: { id: "start", label: t("keys-start"), keys: ["s"], run: () => context.start(key) } };
  return [
    ...(context.mayWriteTo(repoOf(key)) ? [start] : []),
    { entry: { id: "github", label: t("keys-github"), keys: ["o"], run: () => context.openOnGitHub(key) } },
  ];
}

function loopEntries(loop: LoopView, context: PaletteContext, t: Translate): Scored[] {
  const { key, title } = loop;
  const one = (id: string, label: string, run: () => void, keys?: string[]): Scored => ({ entry: { id, label, keys, run } });
  const line: Choosable = { key, title, loop };
  const entries = [one("open", t("palette-show"), () => context.show(key), ["↵"])];
  if (loop.can_merge && context.canMerge) entries.push(one("merge", t("palette-merge"), () => context.show(key, "merge"), ["m"]));
  const mayWrite = context.mayWriteTo(repoOf(key));
  if (mayWrite && loop.held_push?.can_approve) {
    entries.push(one("approve", t("review-approve"), () => context.show(key, "approve")));
    entries.push(one("reject", t("review-reject"), () => context.show(key, "reject")));
  }
  if (mayWrite && loop.can_resume) entries.push(one("resume", t("review-resume"), () => context.show(key, "resume")));
  if (mayWrite && loop.can_retry) entries.push(one("retry", t("palette-retry"), () => context.bulk("retry", [line])));
  if (mayWrite && loop.can_cancel) entries.push(one("cancel", t("keys-cancel"), () => context.bulk("cancel", [line]), ["c"]));
  entries.push(one("github", t("keys-github"), () => context.openOnGitHub(key), ["o"]));
  if (loop.attention !== "over") entries.push(one("snooze", t(context.snoozed(loop) ? "palette-wake" : "palette-snooze"), () => context.snooze(loop), ["h"]));
  return entries;
}

function placeEntries({ navigate, showKeys, showNotifications, operate }: PaletteContext, t: Translate): Scored[] {
  const go = (page: "home" | "needs-you" | "ready" | "working" | "insights", label: string, key: string): Scored => ({
    entry: { id: `go-${page}`, label, keys: [key], run: () => navigate({ page }) },
  });
  return [
    go("home", t("overview"), "0"),
    go("needs-you", t("standing-needs-you"), "1"),
    go("ready", t("standing-ready"), "2"),
    go("working", t("standing-working"), "3"),
    ...(operate ? [go("insights", t("insights"), "4")] : []),
    { entry: { id: "notifications", label: t("notifications"), run: showNotifications } },
    { entry: { id: "keys", label: t("keys-title"), keys: ["?"], run: showKeys } },
  ];
}

function pauseEntries({ operate, paused, setPaused }: PaletteContext, t: Translate): Scored[] {
  if (paused === null || !operate) return [];
  return [{ entry: { id: "pause", label: t(paused ? "pause-end-all" : "pause-all"), run: () => setPaused(!paused) } }];
}

function rowsEntries({ compactRows, setCompactRows }: PaletteContext, t: Translate): Scored[] {
  return [{ entry: { id: "compact-rows", label: t(compactRows ? "overview-rows-usual" : "overview-rows-compact"), run: () => setCompactRows(!compactRows) } }];
}

/** Those that need somebody first. */
const URGENCY: Record<LoopView["attention"], number> = { needs_you: 0, ready: 1, working: 2, over: 3 };

function pullEntries({ loops, pulls, show }: PaletteContext, t: Translate): Scored[] {
  const known = loops.toSorted((a, b) => URGENCY[a.attention] - URGENCY[b.attention]).map(
    ({ key, title, author }): Scored => ({ entry: { id: `pull-${key}`, label: title, hint: key, run: () => show(key) }, more: author ?? "" }),
  );
  const others = pulls.map(
    ({ key, title, author, head_ref }): Scored => ({
      entry: { id: `pull-${key}`, label: title, hint: `${key} · ${t("list-not-started")}`, run: () => show(key) },
      more: `${author ?? ""} ${head_ref}`,
    }),
  );
  return [...known, ...others];
}

function repositoryEntries({ repositories, navigate }: PaletteContext): Scored[] {
  return repositories.map((repo) => ({ entry: { id: `repo-${repo}`, label: repo, run: () => navigate({ page: "repo", repo }) } }));
}

function settingEntries({ settings, navigate, goToSetting }: PaletteContext, t: Translate, language: Language): Scored[] {
  const pages = PAGES.map((page): Scored => ({ entry: { id: `page-${page}`, label: t(`settings-page-${page}`), hint: t("sidebar-settings"), run: () => navigate({ page: "settings", group: page }) } }));
  const fields = (settings?.fields ?? []).map(
    ({ key, group }): Scored => ({ entry: { id: `setting-${key}`, label: labelOf(t, language, key), hint: t(`settings-page-${group}`), run: () => goToSetting(group, key) }, more: key }),
  );
  return [...pages, ...fields];
}

const isElsewhere = (host: string | null, context: PaletteContext): boolean =>
  host !== null && context.host !== null && host.toLowerCase() !== context.host.toLowerCase();

/** Why nothing is offered for what was typed. */
export function noneText(query: string, context: PaletteContext, t: Translate): string {
  const host = parseAddress(query)?.host ?? null;
  return isElsewhere(host, context) ? t("palette-address-host", { host: host ?? "", watched: context.host ?? "" }) : t("list-no-match");
}

/** What can be done with the pull request whose address was typed or pasted. */
function addressGroup(query: string, context: PaletteContext, t: Translate): CommandGroup | null {
  const address = parseAddress(query);
  if (!address) return null;
  const { key, host } = address;
  const name = t("palette-address");
  if (isElsewhere(host, context)) return null;
  const sameKey = (one: { key: string }) => one.key.toLowerCase() === key.toLowerCase();
  const loop = context.loops.find(sameKey);
  const pull = context.pulls.find(sameKey);
  const found = loop ?? pull;
  const entries: CommandEntry[] = [];
  if (found) entries.push({ id: "address-open", label: t("palette-open", { title: found.title }), hint: found.key, run: () => context.show(found.key) });
  if (!loop) entries.push({ id: "address-start", label: t("palette-address-start", { key }), run: () => context.start(found?.key ?? key) });
  entries.push({ id: "address-github", label: t("palette-address-github", { key }), run: () => context.openOnGitHub(found?.key ?? key) });
  const repo = context.repositories.find((each) => each.toLowerCase() === repoOf(key).toLowerCase());
  if (repo !== undefined) entries.push({ id: "address-repo", label: repo, run: () => context.navigate({ page: "repo", repo }) });
  return { name, entries };
}
