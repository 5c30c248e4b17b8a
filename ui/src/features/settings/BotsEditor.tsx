import { useState, type SubmitEvent } from "react";
import { Button, TextField } from "../../components";
import type { BotSetting } from "../../generated/wire";
import { useText } from "../../i18n";
import type { EditorProps } from "./editing";
import { ADDS_ROWS, RemoveRow, useRows } from "./rows";

/** The registry of bots: those that ship with Collie, then one's own (§3.4). */
export function BotsEditor(editor: EditorProps) {
  const t = useText();
  const { disabled } = editor;
  const bots = useRows<BotSetting>(editor, (bot) => bot.shipped);
  return (
    <div {...bots.frame} className="rounded-lg border border-line bg-panel">
      <table className="w-full">
        <thead>
          <tr className="text-start text-sm text-faint">
            <th className="px-3 pt-1.5 pb-1 text-start font-normal">{t("settings-bot-login")}</th>
            <th className="px-3 pt-1.5 pb-1 text-end font-normal">{t("settings-bot-id")}</th>
            <th className="w-36 px-3 text-start pt-1.5 pb-1 font-normal @max-[30rem]:hidden">{t("settings-bot-origin")}</th>
            <td className="w-9" />
          </tr>
        </thead>
        <tbody>
          {bots.rows.map((bot) => (
            <tr key={bot.id} className="border-t border-line">
              <td className="px-3 py-1 break-all">{bot.login}</td>
              <td className="px-3 py-1 text-end">{bot.id}</td>
              <td className="px-3 py-1 text-sm text-faint @max-[30rem]:hidden">{t(bot.shipped ? "settings-bot-shipped" : "settings-bot-own")}</td>
              <td className="pe-1.5 text-end">
                {!bot.shipped && !disabled && <RemoveRow label={t("settings-bot-remove", { login: bot.login })} onRemove={() => bots.remove(bot)} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {!disabled && <AddBot bots={bots.rows} onAdd={bots.add} />}
    </div>
  );
}

function AddBot({ bots, onAdd }: { bots: BotSetting[]; onAdd: (bot: BotSetting) => void }) {
  const t = useText();
  const [login, setLogin] = useState("");
  const [number, setNumber] = useState("");
  const [tried, setTried] = useState(false);
  const name = login.trim().replace(/^@/, "").replace(/\[bot\]$/, "");
  const account = /^[1-9]\d{0,14}$/.test(number.trim()) ? Number(number) : null;
  const noLogin = name === "" ? t("settings-bot-login-wrong") : null;
  const noNumber =
    account === null ? t("settings-bot-id-wrong") : bots.some((bot) => bot.id === account) ? t("settings-bot-known") : null;
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (noLogin || noNumber || account === null) return;
    onAdd({ login: name, id: account, shipped: false });
    setLogin("");
    setNumber("");
    setTried(false);
  };
  return (
    <form {...ADDS_ROWS} noValidate onSubmit={add} className="border-t border-line px-3 py-2.5">
      <div className="flex flex-wrap items-start gap-2">
        <TextField
          bare
          label={t("settings-bot-login")}
          placeholder={t("settings-bot-login")}
          value={login}
          onChange={setLogin}
          problem={tried ? noLogin : null}
          className="flex-1 basis-40"
        />
        <TextField
          bare
          label={t("settings-bot-id")}
          placeholder={t("settings-bot-id")}
          value={number}
          onChange={setNumber}
          problem={tried ? noNumber : null}
          inputMode="numeric"
          className="flex-1 basis-40"
        />
        <Button type="submit">{t("settings-bot-add")}</Button>
      </div>
      <p className="mt-1.5 text-sm text-faint">{t("settings-bot-id-help")}</p>
    </form>
  );
}
