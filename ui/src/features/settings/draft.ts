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
  isOvertaken(field: SettingField): boolean;
  edit(field: SettingField, value: JsonValue): void;
  /** Takes the key out of the file. */
  reset(field: SettingField): void;
  drop(keys: Iterable<string>): void;
  /** What `save_settings` takes. */
  changes: Record<string, JsonValue>;
  /** Notes that the changes are being saved: what is edited from now on outlives the answer. */
  send(): Sent;
}

/** Changes on their way; one of the two is called once they were answered. */
export interface Sent {
  /** Drops what was saved, and keeps what was edited meanwhile as a change of what holds now. */
  saved(now: SettingField[]): void;
  refused(): void;
}

/** Unsaved changes outlive the view, so that a way out that asks nothing loses nothing. */
class Store {
  edits: Edits = new Map();
  /** The keys that are being saved. What they held before is no news, nor a reason to forget an edit that leads back to it. */
  sending: ReadonlySet<string> = new Set();
  private readonly hearers = new Set<() => void>();

  subscribe = (hear: () => void): (() => void) => {
    this.hearers.add(hear);
    return () => this.hearers.delete(hear);
  };

  snapshot = (): Edits => this.edits;

  put(key: string, edit: Edit | null): void {
    const next = new Map(this.edits);
    if (edit) next.set(key, edit);
    else next.delete(key);
    this.edits = next;
    for (const hear of this.hearers) hear();
  }

  send(keys: string[]): Sent {
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

const stores = new WeakMap<Host, Store>();

function storeOf(host: Host): Store {
  const known = stores.get(host);
  if (known) return known;
  const fresh = new Store();
  stores.set(host, fresh);
  return fresh;
}

/** Whether two settings are written alike. */
export function same(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => same(item, other[at]));
  }
  if (isObject(one) && isObject(other)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...keys].every((key) => same(one[key], other[key]));
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
  const filters = ({ authors, labels, base_branches }: RepositorySetting) => ({ authors, labels, base_branches });
  return now.map((repository) => {
    const [before, edited] = [named(base, repository.name), named(mine, repository.name)];
    if (!before || !edited || same(filters(before), filters(edited))) return repository;
    return { ...repository, ...filters(edited) };
  });
}

function shown(field: SettingField, edit: Edit | undefined): unknown {
  if (!edit) return field.value;
  if (edit.value === null) return field.default;
  if (field.kind.type !== "repositories") return edit.value;
  const repositories = (value: unknown) => value as RepositorySetting[];
  return withFilters(repositories(edit.base), repositories(edit.value), repositories(field.value));
}

function isPending(field: SettingField, edit: Edit | undefined): boolean {
  if (!edit || field.source === "environment") return false;
  if (edit.value === null) return field.source === "file";
  return !same(shown(field, edit), field.value);
}

/** The unsaved changes of these fields. */
export function useDraft(fields: SettingField[]): Draft {
  const store = storeOf(useHost());
  const edits = useSyncExternalStore(store.subscribe, store.snapshot);

  const edit = useCallback(
    (field: SettingField, value: JsonValue) => {
      const base = store.edits.get(field.key)?.base ?? field.value;
      store.put(field.key, same(value, field.value) && !store.sending.has(field.key) ? null : { base, value });
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
      changes[field.key] = pending.value === null ? null : (shown(field, pending) as JsonValue);
    }
    return {
      valueOf: (field) => (isChanged(field) ? shown(field, of(field)) : field.value),
      isChanged,
      isOvertaken: (field) => {
        const pending = of(field);
        if (!pending || field.kind.type === "repositories" || store.sending.has(field.key)) return false;
        return isChanged(field) && !same(pending.base, field.value);
      },
      edit,
      reset,
      drop,
      changes,
      send: () => store.send(Object.keys(changes)),
    };
  }, [store, edits, fields, edit, reset, drop]);
}
