import { PriorityBadge, TextWithCode } from "../../components";
import type { AnsweredFindingView } from "../../generated/wire";
import { useText } from "../../i18n";

/** A finding that a hunk answers; a click leads to it. */
export function AnsweredFinding(props: { finding: AnsweredFindingView; exact: boolean; onShow: (fingerprint: string) => void }) {
  const { finding, exact, onShow } = props;
  const t = useText();
  return (
    <button
      type="button"
      className="flex min-h-6 max-w-full items-center gap-2 rounded px-1 text-start font-sans text-sm hover:bg-hover"
      title={exact ? undefined : t("review-changes-likely-why")}
      onClick={() => onShow(finding.fingerprint)}
    >
      <PriorityBadge priority={finding.priority} />
      <span className="min-w-0 truncate">
        {!exact && <span className="text-dim">{`${t("review-changes-likely")} `}</span>}
        <TextWithCode text={finding.title} />
      </span>
    </button>
  );
}
