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
    <div className="mt-4 border-t border-line pt-4">
      <Switch label={t("letter-keys")} checked={on} onChange={turn} aria-describedby={help} />
      <p id={help} className="mt-1 text-sm text-dim">
        {t("letter-keys-help")}
      </p>
    </div>
  );
}
