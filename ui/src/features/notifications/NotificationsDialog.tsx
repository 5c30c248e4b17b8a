import { useEffect } from "react";
import { Button, Checkbox, Dialog, RelativeTime, TextWithCode } from "../../components";
import { useLoops } from "../../data";
import type { LoopView } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import { hrefOf, repoOf } from "../../routes";
import { StandingIcon } from "../overview";
import { KINDS, reasonOf, useKeptNotifications, type Kind, type Notification } from "./notifications";

/** The last fifty things that loops came to, and which kinds of them are kept. */
export function NotificationsDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useText();
  const { list, off, look, clear, turn } = useKeptNotifications();
  const loops = useLoops();
  const [latest] = list;
  const at = latest?.at;
  useEffect(() => {
    if (open && at !== undefined) look(at);
  }, [open, at]);
  return (
    <Dialog
      title={t("notifications")}
      open={open}
      onClose={onClose}
      size="wide"
      actions={
        <>
          <fieldset className="me-auto flex flex-wrap items-center gap-x-4 gap-y-1">
            <legend className="sr-only">{t("notifications-kinds")}</legend>
            {KINDS.map((kind) => (
              <Checkbox key={kind} label={t(`notification-${kind}`)} checked={!off.includes(kind)} onChange={(on) => turn(kind, on)} />
            ))}
          </fieldset>
          {list.length > 0 && <Button onClick={clear}>{t("notifications-clear")}</Button>}
        </>
      }
    >
      {list.length === 0 ? (
        <p className="py-6 text-center text-dim">{t("notifications-none")}</p>
      ) : (
        <ul aria-label={t("notifications")} className="flex flex-col gap-0.5">
          {list.map((one) => (
            <Line key={one.id} one={one} loop={loops.find(({ key }) => key === one.key)} onClose={onClose} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

const STANDINGS = { ready: "ready", needs_you: "needs-you", failed: "needs-you" } as const satisfies Record<Kind, string>;

function Line({ one, loop, onClose }: { one: Notification; loop: LoopView | undefined; onClose: () => void }) {
  const t = useText();
  const language = useLanguage();
  const told = [t(`notification-${one.kind}`), one.key, reasonOf(one, loop, language)].filter(Boolean).join(" · ");
  return (
    <li>
      <a
        href={hrefOf({ page: "repo", repo: repoOf(one.key) }, one.key)}
        onClick={onClose}
        className="-mx-2 grid grid-cols-[1rem_minmax(0,1fr)_auto] items-baseline gap-x-2 rounded-lg px-2 py-1.5 hover:bg-hover"
      >
        <StandingIcon standing={STANDINGS[one.kind]} className="translate-y-0.5" />
        <span className="truncate font-medium">
          <TextWithCode text={one.title} />
        </span>
        <span className="text-sm text-dim">
          <RelativeTime at={one.at} />
        </span>
        <span className="col-span-2 col-start-2 truncate text-sm text-dim" title={told}>
          <TextWithCode text={told} />
        </span>
      </a>
    </li>
  );
}
