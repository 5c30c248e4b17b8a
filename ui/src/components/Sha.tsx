import { useText } from "../i18n";
import { useAnnounce } from "./Announcer";
import { Tooltip } from "./Tooltip";

/** A commit: seven digits; a click copies all of them. */
export function Sha({ sha }: { sha: string }) {
  const t = useText();
  const announce = useAnnounce();
  const copy = () => {
    void navigator.clipboard.writeText(sha).then(
      () => announce(t("copied")),
      () => announce(t("copied-not")),
    );
  };
  return (
    <Tooltip text={t("copy-sha", { sha })}>
      <button type="button" onClick={copy} aria-label={t("copy-sha", { sha: sha.slice(0, 7) })} className="rounded font-mono text-[0.92em] hover:underline">
        {sha.slice(0, 7)}
      </button>
    </Tooltip>
  );
}
