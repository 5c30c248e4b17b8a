import type { LoopView } from "../../generated/wire";
import { LANGUAGES, type Language } from "../../i18n";
import { kept, storedObject, useKept } from "../../kept";

/** What is told of, in the order shown. */
export const KINDS = ["ready", "needs_you", "failed"] as const;
export type Kind = (typeof KINDS)[number];

/** Something that happened to a loop. */
export interface Notification {
  id: string;
  kind: Kind;
  /** `owner/repo#n`. */
  key: string;
  /** Its run then. */
  run: string;
  title: string;
  /** The code of why, where that is told. */
  code: string;
  /** The same in words, as the host said them. */
  text: string;
  /** The language of those words. */
  language: Language;
  at: string;
}

interface Kept {
  /** The latest first. */
  list: Notification[];
  /** When the list was last looked at. */
  seenAt: string;
  off: Kind[];
}

const MAX_KEPT = 50;

/** What a loop would be told of as; none while nothing is asked of anybody. */
export function kindOf({ state, attention }: LoopView): Kind | null {
  if (state === "failed") return "failed";
  if (attention === "needs_you") return "needs_you";
  return attention === "ready" ? "ready" : null;
}

/**
 * What has become of loops since a look: those that came to be ready, to need somebody, or to fail. One that was not known then counts when its run
 * began since the window was opened: the others were there all along, and are only now read.
 */
export function newsBetween(before: readonly LoopView[], after: readonly LoopView[], openedAt: number, language: Language): Notification[] {
  let known: Map<string, LoopView> | null = null;
  return after.flatMap((loop, place): Notification[] => {
    // Updates leave loops in their places, and what did not change is the same object: mostly there is nothing to look up.
    const there = before[place];
    if (there === loop) return [];
    known ??= new Map(before.map((each) => [each.key, each]));
    const last = there?.key === loop.key ? there : known.get(loop.key);
    const kind = kindOf(loop);
    if (last === loop || kind === null) return [];
    if (last === undefined && Date.parse(loop.started_at) < openedAt) return [];
    if (last !== undefined && last.run_id === loop.run_id && kindOf(last) === kind && (kind !== "ready" || last.head_sha === loop.head_sha)) return [];
    const { key, run_id: run, title, updated_at: at } = loop;
    return [{ id: [kind, key, run, at].join(" "), kind, key, run, title, ...whyOf(loop), language, at }];
  });
}

/** Why a loop stands where it does; nothing where it is ready. */
function whyOf(loop: LoopView): Pick<Notification, "code" | "text"> {
  if (loop.error) return { code: loop.error.code, text: loop.error.message };
  if (loop.blocker === null || kindOf(loop) === "ready") return { code: "", text: "" };
  return { code: loop.blocker.code, text: loop.blocker.text };
}

/**
 * Why something happened, in the language that is shown. The host says it in words of one language: in another one they are those of its loop as it
 * is now, while it still stands for the same reason, and none after that.
 */
export function reasonOf(told: Notification, loop: LoopView | undefined, language: Language): string {
  if (told.language === language) return told.text;
  if (loop?.run_id !== told.run) return "";
  const { code, text } = whyOf(loop);
  return code === told.code ? text : "";
}

function readNotification(stored: unknown): Notification | null {
  const { id, kind, key, run, title, code, text, language, at } = storedObject(stored) ?? {};
  const knownKind = KINDS.find((each) => each === kind);
  const knownLanguage = LANGUAGES.find((each) => each === language);
  const parts = [id, key, run, title, code, text, at];
  if (knownKind === undefined || knownLanguage === undefined || parts.some((part) => typeof part !== "string")) return null;
  return { ...({ id, key, run, title, code, text, at } as Omit<Notification, "kind" | "language">), kind: knownKind, language: knownLanguage };
}

const store = kept("collie-notifications", (stored): Kept => {
  const { list, seenAt, off } = storedObject(stored) ?? {};
  return {
    list: Array.isArray(list) ? list.flatMap((each: unknown) => readNotification(each) ?? []).slice(0, MAX_KEPT) : [],
    seenAt: typeof seenAt === "string" ? seenAt : "",
    off: Array.isArray(off) ? KINDS.filter((kind) => off.includes(kind)) : [],
  };
});

/** Keeps news: the last fifty of the kinds that are on, each once. */
export function keepNews(news: readonly Notification[]): void {
  const before = store.get();
  const known = new Set(before.list.map(({ id }) => id));
  const added = news.filter(({ id, kind }) => !known.has(id) && !before.off.includes(kind));
  if (added.length === 0) return;
  store.set({ ...before, list: [...added.toReversed(), ...before.list].slice(0, MAX_KEPT) });
}

/** What is kept, and what can be done with it. */
export function useKeptNotifications() {
  const { list, seenAt, off } = useKept(store);
  return {
    list: list.filter(({ kind }) => !off.includes(kind)),
    off,
    unseen: list.filter(({ at, kind }) => at > seenAt && !off.includes(kind)).length,
    look: (at: string) => store.set({ ...store.get(), seenAt: at }),
    clear: () => store.set({ ...store.get(), list: [] }),
    turn: (kind: Kind, on: boolean) => store.set({ ...store.get(), off: KINDS.filter((each) => (each === kind ? !on : off.includes(each))) }),
  };
}
