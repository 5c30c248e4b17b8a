import { Dialog, KeyboardKeys } from "../../components";
import { useText } from "../../i18n";

/** Each key, and the text of what it does. */
const KEYS: readonly [string[], string][] = [
  [["↑", "↓"], "keys-move"],
  [["j", "k"], "keys-move-anywhere"],
  [["↵"], "keys-open"],
  [["Esc"], "keys-close"],
  [["/"], "keys-search"],
  [["s"], "keys-start"],
  [["c"], "keys-cancel"],
  [["m"], "keys-merge"],
  [["d"], "keys-changes"],
  [["f"], "keys-widen"],
  [["n", "p"], "keys-hunks"],
  [["1", "2", "3"], "keys-standing"],
  [["?"], "keys-help"],
];

/** The keys there are. */
export function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useText();
  return (
    <Dialog title={t("keys-title")} open={open} onClose={onClose}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-5 gap-y-2 pb-2">
        {KEYS.map(([keys, text]) => (
          <div key={text} className="contents">
            <dt>
              <KeyboardKeys keys={keys} />
            </dt>
            <dd className="text-dim">{t(text)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
