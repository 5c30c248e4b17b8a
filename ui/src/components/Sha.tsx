import { useEffect, useState } from "react";
import { useText } from "../i18n";
import { useAnnounce } from "./Announcer";
import { Tooltip } from "./Tooltip";

/** How long it is said that something was copied. */
const SAID_MS = 2_000;

/** A commit: seven digits; a click copies all of them, and says so in their place for a moment. */
export function Sha({ sha }: { sha: string }) {
  const t = useText();
  const announce = useAnnounce();
  const [outcome, setOutcome] = useState<{ said: "copied" | "copied-not" } | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), SAID_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const say = (said: "copied" | "copied-not") => {
    setOutcome({ said });
    announce(t(said));
  };
  const copy = () => {
    void navigator.clipboard.writeText(sha).then(
      () => say("copied"),
      () => say("copied-not"),
    );
  };
  return (
    <Tooltip text={t("copy-sha", { sha })}>
      <button type="button" onClick={copy} aria-label={t("copy-sha", { sha: sha.slice(0, 7) })} className="rounded font-mono text-[0.92em] hover:underline">
        {outcome === null ? sha.slice(0, 7) : t(outcome.said)}
      </button>
    </Tooltip>
  );
}
