import { useEffect, useMemo, useState } from "react";
import type { JsonValue } from "../../generated/wire";

/** Changes of the settings that are not saved yet, by key. */
export type Changes = Record<string, JsonValue>;

/** A model, by its table in `config.toml`. */
export interface ModelRef {
  /** `llm`, `models.NAME` or `reviewers.NAME`. */
  table: string;
  /** What is not saved yet of any model. */
  changes: Changes;
}

const isOfModels = (key: string): boolean => key.startsWith("llm.") || key === "models" || key === "reviewers";

/** Those of the changes that say something of models: others are no reason to ask anything anew. */
export function useModelChanges(changes: Changes): Changes {
  const written = JSON.stringify(Object.entries(changes).filter(([key]) => isOfModels(key)));
  return useMemo(() => Object.fromEntries(JSON.parse(written) as [string, JsonValue][]), [written]);
}

/** The service of a model, whatever its name. */
export function serviceOf({ table, changes }: ModelRef): ModelRef {
  const next = { ...changes };
  if (table === "llm") delete next["llm.model"];
  const [list = "", name] = table.split(/\.(.*)/s);
  const rows = next[list];
  if (Array.isArray(rows)) {
    next[list] = rows.map((row) => (typeof row === "object" && row !== null && !Array.isArray(row) && row.name === name ? { ...row, model: null } : row));
  }
  return { table, changes: next };
}

const PAUSE_MS = 300;

/** A model once typing pauses. */
export function useSettled({ table, changes }: ModelRef): ModelRef {
  const [settled, setSettled] = useState<ModelRef>({ table, changes });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ table, changes }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [table, changes]);
  return settled;
}
