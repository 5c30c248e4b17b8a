import { classNames, Dot } from "../../components";
import type { SettingGroup } from "../../generated/wire";
import { useText } from "../../i18n";
import { PAGES, type SettingsPage } from "./labels";

/** The pages of the settings; a point says where something was changed, or is wrong. */
export function SettingsNav({ page, changed, wrong }: { page: SettingsPage; changed: Set<SettingGroup>; wrong: Set<SettingGroup> }) {
  const t = useText();
  const has = (set: Set<SettingGroup>, each: SettingsPage) => each !== "machine" && each !== "memory" && set.has(each);
  return (
    <nav aria-label={t("settings-pages")} className="w-44 shrink-0 overflow-auto border-e border-line px-2 py-3 @max-[44rem]/settings:w-auto @max-[44rem]/settings:border-e-0 @max-[44rem]/settings:border-b @max-[44rem]/settings:py-1.5">
      <ul className="flex flex-col gap-0.5 @max-[44rem]/settings:flex-row @max-[44rem]/settings:flex-wrap">
        {PAGES.map((each) => {
          const name = t(`settings-page-${each}`);
          const state = has(wrong, each) ? "wrong" : has(changed, each) ? "changed" : null;
          return (
            <li key={each}>
              <a
                href={`#/settings/${each}`}
                aria-current={each === page ? "page" : undefined}
                aria-label={state === "wrong" ? t("settings-page-problem", { page: name }) : state ? t("settings-page-changed", { page: name }) : undefined}
                className={classNames(
                  "flex h-7 items-center gap-2 rounded-md px-2.5",
                  each === page ? "bg-panel text-text shadow-[0_0_0_1px_var(--line)]" : "text-dim hover:bg-hover",
                )}
              >
                <span className="min-w-0 flex-1 truncate">{name}</span>
                {state && <Dot tone={state === "wrong" ? "bad" : "run"} />}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
