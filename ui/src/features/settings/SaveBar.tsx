import { Button } from "../../components";
import type { CommandRunner } from "../../data";
import type { SettingProblem } from "../../generated/wire";
import { useText } from "../../i18n";

export interface SaveBarProps {
  count: number;
  wrong: SettingProblem[];
  saving: CommandRunner;
  onSave: () => void;
  onDiscard: () => void;
  onShow: (key: string) => void;
}

/** Appears with the first unsaved change. */
export function SaveBar({ count, wrong, saving, onSave, onDiscard, onShow }: SaveBarProps) {
  const t = useText();
  const first = wrong[0];
  const keyless = wrong.filter((problem) => problem.key === "");
  return (
    <div role="region" aria-label={t("settings-changes", { count })} className="appear shrink-0 border-t border-line bg-panel px-6 py-2.5">
      <div className="flex max-w-160 flex-wrap items-center gap-2">
        <div className="min-w-0 flex-1 basis-52 text-sm" aria-live="polite">
          {saving.problem ? (
            <p className="text-bad">{[saving.problem.message, ...saving.problem.hints].join(" ")}</p>
          ) : keyless.length > 0 ? (
            <p className="text-bad">{keyless.map((problem) => problem.message).join(" ")}</p>
          ) : first ? (
            <p className="flex flex-wrap items-center gap-x-2 text-bad">
              {t("settings-cannot-save", { count: new Set(wrong.map(({ key }) => key)).size })}
              <button type="button" onClick={() => onShow(first.key)} className="rounded underline">
                {t("settings-go-to-problem")}
              </button>
            </p>
          ) : (
            <p className="text-dim">{t("settings-changes", { count })}</p>
          )}
        </div>
        <Button disabled={saving.pending} onClick={onDiscard}>
          {t("settings-discard")}
        </Button>
        <Button variant="primary" busy={saving.pending} onClick={onSave}>
          {t("settings-save")}
        </Button>
      </div>
    </div>
  );
}
