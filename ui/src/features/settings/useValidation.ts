import { useEffect, useState } from "react";
import { useAnswer } from "../../data";
import type { JsonValue, SettingProblem } from "../../generated/wire";

const DEBOUNCE_MS = 250;
const NONE: SettingProblem[] = [];
const NOTHING: Record<string, JsonValue> = {};

/** What is wrong with changes that are not saved yet, asked once typing pauses; what was said last holds until then. */
export function useValidation(changes: Record<string, JsonValue>): {
  problems: SettingProblem[];
  setProblems: (problems: SettingProblem[]) => void;
} {
  const [debounced, setDebounced] = useState(NOTHING);
  const [answered, setAnswered] = useState<{ by: unknown; problems: SettingProblem[] }>({ by: null, problems: NONE });
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(changes), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [changes]);

  const enabled = Object.keys(debounced).length > 0;
  const { data } = useAnswer({ command: "check_settings", args: { changes: debounced } }, { enabled });
  if (enabled && data && data !== answered.by) setAnswered({ by: data, problems: data });

  const some = Object.keys(changes).length > 0;
  return { problems: some ? answered.problems : NONE, setProblems: (problems) => setAnswered((now) => ({ ...now, problems })) };
}
