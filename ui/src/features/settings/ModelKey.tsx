import { Dot } from "../../components";
import type { ProviderKey } from "../../generated/wire";
import { useText } from "../../i18n";

/** Where the provider's key is taken from, and whether it is there. It is no setting: secrets stand in no file. */
export function ModelKey({ provider, keys }: { provider: unknown; keys: ProviderKey[] }) {
  const t = useText();
  const key = keys.find((each) => each.provider === provider);
  if (!key) return null;
  const [first = "", ...others] = key.variables;
  const state = key.found !== null ? "found" : key.needed ? "missing" : "unneeded";
  const tone = { found: "ok", missing: "bad", unneeded: "none" } as const;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-8 py-3.5">
      <div className="min-w-0">
        <h3 className="font-medium">{t("settings-model-key")}</h3>
        <p className="text-sm text-pretty text-dim">
          {t(others.length > 0 ? "settings-model-key-either" : "settings-model-key-one", { first, others: others.join(", ") })}
        </p>
      </div>
      <p className="flex w-52 items-baseline gap-2 pt-1">
        <Dot tone={tone[state]} />
        <span className="min-w-0 break-words">{t(`settings-model-key-${state}`, { variable: key.found ?? first })}</span>
      </p>
    </div>
  );
}
