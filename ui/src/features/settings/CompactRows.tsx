import { useCompactRows } from "../../compact-rows";
import { useText } from "../../i18n";
import { KeptSwitch } from "./KeptSwitch";

/** How high the overview's rows are. Kept by the window and not in `config.toml`: it is about this screen. */
export function CompactRows() {
  const t = useText();
  const [compact, set] = useCompactRows();
  return <KeptSwitch label={t("compact-rows")} help={t("compact-rows-help")} checked={compact} onChange={set} />;
}
