import { useState } from "react";
import type { JsonValue } from "../../generated/wire";
import { deepEqual } from "./draft";

/** What every editor of a value is given. */
export interface EditorProps {
  /** Of what can be focused. */
  id: string;
  label: string;
  value: unknown;
  onChange: (value: JsonValue) => void;
  disabled: boolean;
  invalid: boolean;
  describedBy: string | undefined;
  /** What is wrong inside of a list, by the keys in full: `reviewers.sam.effort`. */
  problemPaths?: string[];
}

/** A value edited as text: keeps what was typed as long as it means the value, `0.` for 0. */
export function useTyped(
  value: unknown,
  parse: (text: string) => JsonValue,
  write: (value: unknown) => string,
): [string, (text: string) => JsonValue] {
  const [typed, setTyped] = useState(() => write(value));
  const fits = deepEqual(parse(typed), value);
  if (!fits && typed !== write(value)) setTyped(write(value));
  return [
    fits ? typed : write(value),
    (text) => {
      setTyped(text);
      return parse(text);
    },
  ];
}

/** A list of texts, whatever came. */
export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}

export const INPUT =
  "min-w-0 rounded-md border border-control bg-panel px-2.5 py-1.25 aria-invalid:border-bad disabled:opacity-60";
