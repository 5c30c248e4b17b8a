import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { CommandDialog } from "../../components";
import { useCompactRows } from "../../compact-rows";
import { useAnswer, useCommand, useLoops, useMayWriteTo, useSession } from "../../data";
import type { ListingView, LoopView, OpenPullsView, PullLine } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import type { Destination, RouteAction } from "../../routes";
import { isSnoozed, useSnoozes } from "../../snooze";
import { useNotify, useStart } from "../issues";
import { useBulk } from "../issues/BulkBar";
import { useSelection, type Choosable } from "../issues/selection";
import { useSnooze } from "../issues/useSnooze";
import { commandsFor, noneText, type PaletteContext } from "./entries";
import { goToSetting } from "./goToSetting";

interface PaletteProps {
  open: boolean;
  onClose: () => void;
  /** The line that has the focus, or the pull request that is shown. */
  current: string | null;
  navigate: (destination: Destination) => void;
  show: (key: string, ask?: RouteAction) => void;
  showKeys: () => void;
  showNotifications: () => void;
}

/** Everything that can be done or gone to, by typing some of its letters. */
export default function Palette({ open, onClose, ...place }: PaletteProps) {
  const snoozing = useSnooze();
  const { context, dialog } = usePaletteContext(place, snoozing.toggle);
  return (
    <>
      {open && <OpenPalette context={context} onClose={onClose} />}
      {dialog}
      {snoozing.dialog}
    </>
  );
}

function OpenPalette({ context, onClose }: { context: PaletteContext; onClose: () => void }) {
  const t = useText();
  const language = useLanguage();
  const [query, setQuery] = useState("");
  const settings = useAnswer({ command: "settings" }, { enabled: context.operate });
  const whole = { ...context, settings: settings.data };
  return (
    <CommandDialog
      label={t("palette")}
      placeholder={t("palette-placeholder")}
      open
      onClose={onClose}
      query={query}
      onQuery={setQuery}
      groups={commandsFor(query, whole, t, language)}
      none={noneText(query, whole, t)}
    />
  );
}

function usePaletteContext({ current, ...place }: Omit<PaletteProps, "open" | "onClose">, snooze: (loop: LoopView) => void) {
  const loops = useLoops();
  const session = useSession();
  const repositories = useAnswer({ command: "repositories" });
  const snoozes = useSnoozes();
  const notify = useNotify();
  const selection = useSelection();
  const [compactRows, setCompactRows] = useCompactRows();
  const { run } = useCommand();
  const { start } = useStart();
  const pulls = usePullsWithoutLoop(loops);
  const chosen = useMemo(() => chosenOf(selection.keys, loops, pulls), [selection.keys, loops, pulls]);
  const { chosen: actable, ask, dialog } = useBulk(chosen);
  const mayWriteTo = useMayWriteTo();
  const context: PaletteContext = {
    ...place,
    current,
    loops,
    paused: session.engine && session.pause !== null,
    setPaused: (paused) => void run({ command: "set_paused", args: { paused } }).catch(notify),
    compactRows,
    setCompactRows,
    pulls,
    chosen: actable,
    repositories: (repositories.data ?? []).map(({ name }) => name),
    settings: undefined,
    host: session.account?.host ?? null,
    canMerge: session.can_merge,
    operate: session.rights.operate,
    snoozed: (loop) => isSnoozed(loop, snoozes, Date.now()),
    goToSetting,
    bulk: ask,
    start,
    openOnGitHub: (key) => void run({ command: "open", args: { target: { what: "item", key } } }).catch(notify),
    snooze,
    mayWriteTo,
  };
  return { context, dialog };
}

/** The pull requests that have no loop, of the repositories whose list was read: reading others would cost requests to GitHub. */
function usePullsWithoutLoop(loops: readonly LoopView[]): PullLine[] {
  const cache = useQueryClient();
  const known = new Set(loops.map(({ key }) => key));
  const listings = cache.getQueriesData<ListingView>({ queryKey: ["listing"] });
  const all = cache.getQueryData<OpenPullsView>(["open_pulls"]);
  const found = new Map<string, PullLine>();
  for (const pull of [...(all?.pulls ?? []), ...listings.flatMap(([, listing]) => listing?.pulls ?? [])]) {
    if (!known.has(pull.key)) found.set(pull.key, pull);
  }
  return [...found.values()];
}

function chosenOf(keys: ReadonlySet<string>, loops: readonly LoopView[], pulls: readonly PullLine[]): Choosable[] {
  if (keys.size === 0) return [];
  const found = loops.filter(({ key }) => keys.has(key)).map((loop): Choosable => ({ key: loop.key, title: loop.title, loop }));
  return [...found, ...pulls.filter(({ key }) => keys.has(key)).map((pull): Choosable => ({ key: pull.key, title: pull.title, pull }))];
}
