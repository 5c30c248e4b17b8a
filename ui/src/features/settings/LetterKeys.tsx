import { useText } from "../../i18n";
import { useLetterKeys } from "../../letter-keys";
import { KeptSwitch } from "./KeptSwitch";

/** Whether single letters are shortcuts. Kept by the window and not in `config.toml`: it is about this keyboard. */
export function LetterKeys() {
  const t = useText();
  const [on, turn] = useLetterKeys();
  return <KeptSwitch label={t("letter-keys")} help={t("letter-keys-help")} checked={on} onChange={turn} />;
}
