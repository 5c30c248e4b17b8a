import { ChevronsUpDown, Settings } from "lucide-react";
import { classNames, Menu, Tooltip } from "../../components";
import { useSession } from "../../data";
import type { EngineView, QuotaView } from "../../generated/wire";
import { formatNumber, formatMoment, useLanguage, useText } from "../../i18n";
import { hrefOf } from "../../routes";
import { useSignOut } from "../onboarding";

/** How GitHub's quota and the slots are, and the way to settings and account. */
export function SidebarFooter({ onKeys, settings }: { onKeys: () => void; settings: boolean }) {
  const t = useText();
  const { quota, engine, rights } = useSession();
  return (
    <div className="shrink-0 px-2 pb-2">
      <div className="border-t border-line px-2 pt-2.5 pb-2 text-sm text-dim">
        {quota ? <Quota {...quota} /> : <p className="h-7 truncate">{t("quota-unknown")}</p>}
        <p className="truncate">{engine ? <Slots {...engine} /> : t("engine-none")}</p>
      </div>
      <div className="flex items-center gap-0.5">
        {rights.operate && <a
          href={hrefOf({ page: "settings", group: "general" })}
          aria-current={settings ? "page" : undefined}
          className={classNames(
            "flex h-7 items-center gap-1.5 rounded-md px-2",
            settings ? "bg-panel text-text shadow-[0_0_0_1px_var(--line)]" : "text-dim hover:bg-hover hover:text-text",
          )}
        >
          <Settings aria-hidden className="-ms-0.5 size-3.5" />
          {t("sidebar-settings")}
        </a>}
        <Account onKeys={onKeys} />
      </div>
    </div>
  );
}

function Slots({ slots, working, queued }: EngineView) {
  const t = useText();
  // Only of loops elsewhere it may not be known.
  if (slots === null) return t("engine-elsewhere");
  return queued > 0 ? t("engine-slots-queued", { slots, working, queued }) : t("engine-slots", { slots, working });
}

function Quota({ left, limit, resets_at }: QuotaView) {
  const t = useText();
  const language = useLanguage();
  const share = limit > 0 ? Math.min(1, left / limit) : 0;
  const colour = share === 0 ? "bg-bad" : share < 0.1 ? "bg-warn" : "bg-ok";
  return (
    <Tooltip text={t("quota-tip", { left, limit, at: formatMoment(language, resets_at) })} side="right">
      <div
        role="meter"
        tabIndex={0}
        aria-label={t("quota")}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(left, limit)}
        aria-valuetext={t("quota-left", { left })}
        className="rounded"
      >
        <span className="flex justify-between gap-2">
          <span className="truncate">{t("quota")}</span>
          <span className="whitespace-nowrap">{t("quota-left", { left: formatNumber(language, left) })}</span>
        </span>
        <span className="my-1 block h-1 overflow-hidden rounded-full bg-line outline outline-transparent">
          <span className={classNames("meter block h-full rounded-full", colour)} style={{ width: `${share * 100}%` }} />
        </span>
      </div>
    </Tooltip>
  );
}

function Account({ onKeys }: { onKeys: () => void }) {
  const t = useText();
  const { account } = useSession();
  const { ask, dialog } = useSignOut();
  if (!account) return null;
  const demo = account.source === "demo";
  return (
    <>
      <Menu
        side="top"
        groups={[
          [{ label: t("keys-title"), onSelect: onKeys }],
          demo ? [] : [{ label: t("sign-out"), onSelect: ask }],
        ]}
      >
        <button
          type="button"
          aria-label={t("account", { login: account.login, host: account.host })}
          title={t("account", { login: account.login, host: account.host })}
          className="ms-auto flex h-7 min-w-0 items-center gap-1 rounded-md px-1.5 text-dim hover:bg-hover hover:text-text"
        >
          <span className="truncate">@{account.login}</span>
          <ChevronsUpDown aria-hidden className="size-3 shrink-0" />
        </button>
      </Menu>
      {dialog}
    </>
  );
}
