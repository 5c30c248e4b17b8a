import { VisuallyHidden } from "../../components";
import type { ChangedFileView } from "../../generated/wire";
import { formatNumber, useLanguage, useText } from "../../i18n";

/** `+3 −2`; nothing where no line was counted. */
export function Counts({ added, removed }: { added: number; removed: number }) {
  const t = useText();
  const language = useLanguage();
  if (added + removed === 0) return null;
  return (
    <span className="shrink-0 text-sm whitespace-nowrap tabular-nums">
      <VisuallyHidden>{t("review-changes-counts", { added, removed })}</VisuallyHidden>
      <span aria-hidden>
        <span className="text-ok">+{formatNumber(language, added)}</span> <span className="text-bad">−{formatNumber(language, removed)}</span>
      </span>
    </span>
  );
}

/** A path whose end stays where room is short, and the one before it where the file was moved. */
export function FilePath({ file }: { file: Pick<ChangedFileView, "path" | "old_path" | "status"> }) {
  const t = useText();
  const at = file.path.lastIndexOf("/") + 1;
  const status = file.status === "modified" ? null : t(`review-changes-file-${file.status}`);
  const whole = file.old_path === null ? file.path : t("review-changes-moved", { from: file.old_path, to: file.path });
  return (
    <span className="flex min-w-0 items-baseline gap-2" title={whole}>
      <span className="flex min-w-0 font-mono text-sm">
        <span className="min-w-0 truncate text-dim">{file.path.slice(0, at)}</span>
        <span className="max-w-full shrink-0 truncate">{file.path.slice(at)}</span>
      </span>
      {status !== null && <span className="shrink-0 text-xs font-normal text-dim">{status}</span>}
    </span>
  );
}
