import { useCallback, useMemo, useSyncExternalStore } from "react";
import { useHost } from "../../data";
import type { JsonValue, RepositorySetting, SettingField } from "../../generated/wire";
import type { Host } from "../../platform";

/** Something changed and not saved: what was there when the change began, and what is to be; null is the default. */
interface Edit {
  base: unknown;
  value: JsonValue;
}

type Edits = ReadonlyMap<string, Edit>;

/** What was changed in the settings and is not saved. */
export interface Draft {
  /** What is shown: the change, else what holds. */
  valueOf(field: SettingField): unknown;
  /** Whether the field is to be saved. */
  isChanged(field: SettingField): boolean;
  /** Whether what holds became something else while it was edited. */
  isChangedOutside(field: SettingField): boolean;
  edit(field: SettingField, value: JsonValue): void;
  /** Takes the key out of the file. */
  reset(field: SettingField): void;
  drop(keys: Iterable<string>): void;
  /** What `save_settings` takes. */
  changes: Record<string, JsonValue>;
  /** Notes that the changes are being saved: what is edited from now on outlives the answer. */
  beginSave(): PendingSave;
}

/** Changes on their way; one of the two is called once they were answered. */
export interface PendingSave {
  /** Drops what was saved, and keeps what was edited meanwhile as a change of what holds now. */
  saved(now: SettingField[]): void;
  refused(): void;
}

/** Unsaved changes outlive the view, so that a way out that asks nothing loses nothing. */
class DraftStore {
  edits: Edits = new Map();
  /** The keys that are being saved. What they held before is no news, nor a reason to forget an edit that leads back to it. */
  sending: ReadonlySet<string> = new Set();
  private readonly listeners = new Set<() => void>();

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  snapshot = (): Edits => this.edits;

  put(key: string, edit: Edit | null): void {
    const next = new Map(this.edits);
    if (edit) next.set(key, edit);
    else next.delete(key);
    this.edits = next;
    for (const listener of this.listeners) listener();
  }

  beginSave(keys: string[]): PendingSave {
    const sent = this.edits;
    this.sending = new Set(keys);
    return {
      refused: () => (this.sending = new Set()),
      saved: (now) => {
        this.sending = new Set();
        for (const key of keys) {
          const edit = this.edits.get(key);
          const field = now.find((each) => each.key === key);
          this.put(key, !edit || edit === sent.get(key) || !field ? null : { base: field.value, value: edit.value });
        }
      },
    };
  }
}

const stores = new WeakMap<Host, DraftStore>();

function storeOf(host: Host): DraftStore {
  const known = stores.get(host);
  if (known) return known;
  const fresh = new DraftStore();
  stores.set(host, fresh);
  return fresh;
}

/** Whether two settings are written alike. */
export function deepEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => deepEqual(item, other[at]));
  }
  if (isObject(one) && isObject(other)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...keys].every((key) => deepEqual(one[key], other[key]));
  }
  return false;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The filters that were edited, put onto the repositories as they are now: those come, go and are switched elsewhere too. */
function withFilters(
  base: RepositorySetting[],
  mine: RepositorySetting[],
  now: RepositorySetting[],
): RepositorySetting[] {
  const named = (list: RepositorySetting[], name: string) => list.find((each) => each.name === name);
  const filters = ({ authors, labels, base_branches, read_from, unsandboxed, autonomy }: RepositorySetting) => ({
    authors,
    labels,
    base_branches,
    read_from,
    unsandboxed,
    autonomy,
  });
  return now.map((repository) => {
    const [before, edited] = [named(base, repository.name), named(mine, repository.name)];
    if (!before || !edited || deepEqual(filters(before), filters(edited))) return repository;
    return { ...repository, ...filters(edited) };
  });
}

function shownValue(field: SettingField, edit: Edit | undefined): unknown {
  if (!edit) return field.value;
  if (edit.value === null) return field.default;
  if (field.kind.type !== "repositories") return edit.value;
  const repositories = (value: unknown) => value as RepositorySetting[];
  return withFilters(repositories(edit.base), repositories(edit.value), repositories(field.value));
}

function isPending(field: SettingField, edit: Edit | undefined): boolean {
  if (!edit || field.source === "environment") return false;
  if (edit.value === null) return field.source === "file";
  return !deepEqual(shownValue(field, edit), field.value);
}

/** The unsaved changes of these fields. */
export function useDraft(fields: SettingField[]): Draft {
  const store = storeOf(useHost());
  const edits = useSyncExternalStore(store.subscribe, store.snapshot);

  const edit = useCallback(
    (field: SettingField, value: JsonValue) => {
      const base = store.edits.get(field.key)?.base ?? field.value;
      store.put(field.key, deepEqual(value, field.value) && !store.sending.has(field.key) ? null : { base, value });
    },
    [store],
  );
  const reset = useCallback(
    (field: SettingField) =>
      store.put(field.key, field.source === "file" || store.sending.has(field.key) ? { base: field.value, value: null } : null),
    [store],
  );
  const drop = useCallback(
    (keys: Iterable<string>) => {
      for (const key of keys) store.put(key, null);
    },
    [store],
  );

  return useMemo(() => {
    const of = (field: SettingField) => edits.get(field.key);
    const isChanged = (field: SettingField) => isPending(field, of(field));
    const changes: Record<string, JsonValue> = {};
    for (const field of fields) {
      const pending = of(field);
      if (!pending || !isChanged(field)) continue;
      changes[field.key] = pending.value === null ? null : (shownValue(field, pending) as JsonValue);
    }
    return {
      valueOf: (field) => (isChanged(field) ? shownValue(field, of(field)) : field.value),
      isChanged,
      isChangedOutside: (field) => {
        const pending = of(field);
        if (!pending || field.kind.type === "repositories" || store.sending.has(field.key)) return false;
        return isChanged(field) && !deepEqual(pending.base, field.value);
      },
      edit,
      reset,
      drop,
      changes,
      beginSave: () => store.beginSave(Object.keys(changes)),
    };
  }, [store, edits, fields, edit, reset, drop]);
}
