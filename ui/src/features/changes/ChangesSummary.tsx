import { Skeleton } from "../../components";
import { useAnswer } from "../../data";
import type { LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { Counts } from "./Counts";

/** `Collie changed 2 files, +3 −3`; a click leads there. Nothing where Collie pushed nothing. */
export function ChangesSummary({ loop, onShow }: { loop: LoopView; onShow: () => void }) {
  const t = useText();
  const { data, error } = useAnswer({ command: "changes", args: { key: loop.key } });
  if (!data) return loop.rounds.length > 0 && !error ? <Skeleton className="h-5 w-3/5" /> : null;
  if (data.rounds.length === 0) return null;
  return (
    <p className="flex flex-wrap items-baseline gap-x-2">
      <button type="button" className="rounded text-start text-accent underline-offset-2 hover:underline" onClick={onShow}>
        {t(data.files === 0 && data.incomplete ? "review-changes-summary-unknown" : "review-changes-summary", { count: data.files })}
      </button>
      {data.files > 0 && <Counts added={data.added} removed={data.removed} />}
      {data.incomplete && <span className="text-sm text-dim">{t("review-changes-incomplete")}</span>}
    </p>
  );
}
