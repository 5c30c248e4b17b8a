import { useEffect, useState } from "react";
import { useAnswer } from "../../data";
import type { JsonValue, SettingProblem } from "../../generated/wire";

const PAUSE_MS = 250;
const NONE: SettingProblem[] = [];
const NOTHING: Record<string, JsonValue> = {};

/** What is wrong with changes that are not saved yet, asked once typing pauses; what was said last holds until then. */
export function useCheck(changes: Record<string, JsonValue>): {
  problems: SettingProblem[];
  tell: (problems: SettingProblem[]) => void;
} {
  const [asked, setAsked] = useState(NOTHING);
  const [said, setSaid] = useState<{ by: unknown; problems: SettingProblem[] }>({ by: null, problems: NONE });
  useEffect(() => {
    const timer = setTimeout(() => setAsked(changes), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [changes]);

  const enabled = Object.keys(asked).length > 0;
  const { data } = useAnswer({ command: "check_settings", args: { changes: asked } }, { enabled });
  if (enabled && data && data !== said.by) setSaid({ by: data, problems: data });

  const some = Object.keys(changes).length > 0;
  return { problems: some ? said.problems : NONE, tell: (problems) => setSaid((now) => ({ ...now, problems })) };
}
