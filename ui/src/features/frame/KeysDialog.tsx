import { Dialog, KeyboardKeys } from "../../components";
import { useText } from "../../i18n";
import { letterKeysOn } from "../../letter-keys";

type Keys = readonly (readonly [string[], string])[];

/** Each key, and the text of what it does, by where it holds. */
const SECTIONS: readonly (readonly [string, Keys])[] = [
  [
    "keys-section-window",
    [
      [["Ctrl", "K"], "keys-palette"],
      [["Ctrl", "+"], "keys-zoom-in"],
      [["Ctrl", "−"], "keys-zoom-out"],
      [["Ctrl", "0"], "keys-zoom-usual"],
      [["0"], "keys-overview"],
      [["1", "2", "3"], "keys-standing"],
      [["4"], "insights"],
      [["/"], "keys-search"],
      [["Esc"], "keys-close"],
      [["?"], "keys-help"],
    ],
  ],
  [
    "keys-section-list",
    [
      [["↑", "↓"], "keys-move"],
      [["j", "k"], "keys-move-anywhere"],
      [["↵"], "keys-open"],
      [["x"], "keys-select"],
      [["s"], "keys-start"],
      [["c"], "keys-cancel"],
      [["m"], "keys-merge"],
      [["o"], "keys-github"],
      [["h"], "keys-snooze"],
    ],
  ],
  [
    "keys-section-detail",
    [
      [["[", "]"], "keys-tabs"],
      [["n", "p"], "keys-findings"],
      [["d"], "keys-changes"],
      [["f"], "keys-widen"],
      [["n", "p"], "keys-hunks"],
    ],
  ],
];

/** The keys there are. */
export function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useText();
  return (
    <Dialog title={t("keys-title")} open={open} onClose={onClose} size="wide">
      {!letterKeysOn() && <p className="mb-3 rounded-lg bg-chip px-3 py-2">{t("keys-off")}</p>}
      <div className="columns-2 gap-x-8 pb-2 @max-[34rem]:columns-1">
        {SECTIONS.map(([name, keys]) => (
          <section key={name} aria-label={t(name)} className="mb-4 break-inside-avoid">
            <h3 className="mb-1.5 font-semibold">{t(name)}</h3>
            <dl className="grid grid-cols-[5.5rem_minmax(0,1fr)] items-center gap-x-3 gap-y-1.5">
              {keys.map(([each, text]) => (
                <div key={text} className="contents">
                  <dt>
                    <KeyboardKeys keys={each} />
                  </dt>
                  <dd className="text-dim">{t(text)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
