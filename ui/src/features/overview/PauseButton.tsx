import { Pause } from "lucide-react";
import { IconButton } from "../../components";
import { useCommand, useSession } from "../../data";
import { useText } from "../../i18n";
import { useNotify } from "../issues";

/** Stops everything at once; while it is stopped, the banner says so and lets it go on. */
export function PauseButton() {
  const t = useText();
  const { pause, engine, rights } = useSession();
  const { run, pending } = useCommand();
  const notify = useNotify();
  if (pause !== null || engine === null || !rights.operate) return null;
  return (
    <IconButton label={t("pause-all")} disabled={pending} onClick={() => void run({ command: "set_paused", args: { paused: true } }).catch(notify)}>
      <Pause aria-hidden className="size-4" />
    </IconButton>
  );
}
