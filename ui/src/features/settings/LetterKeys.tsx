import { useId } from "react";
import { Switch } from "../../components";
import { useText } from "../../i18n";
import { useLetterKeys } from "../../letter-keys";

/** Whether single letters are shortcuts. Kept by the window and not in `config.toml`: it is about this keyboard. */
export function LetterKeys() {
  const t = useText();
  const help = useId();
  const [on, turn] = useLetterKeys();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-8 border-t border-line py-3.5">
      <div className="min-w-0">
        <h3 className="font-medium">{t("letter-keys")}</h3>
        <p id={help} className="text-sm text-dim text-pretty">
          {t("letter-keys-help")}
        </p>
      </div>
      <div className="pt-0.5">
        <Switch bare label={t("letter-keys")} checked={on} onChange={turn} aria-describedby={help} />
      </div>
    </div>
  );
}
