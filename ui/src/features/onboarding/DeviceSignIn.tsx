import { ExternalLink } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../../components";
import { useCommand } from "../../data";
import type { DeviceCodeView } from "../../generated/wire";
import { useText } from "../../i18n";

/** Signing in by a code that is typed on GitHub's page: nobody has to make a token. */
export function DeviceSignIn() {
  const t = useText();
  const command = useCommand();
  const [code, setCode] = useState<DeviceCodeView | null>(null);
  const { run } = command;

  useEffect(() => {
    if (!code) return;
    let timer: ReturnType<typeof setTimeout>;
    let over = false;
    const look = () => {
      timer = setTimeout(() => {
        run({ command: "device_sign_in_state", args: { id: code.id } }).then(
          (state) => {
            // The session that begins is told to the whole page.
            if (!over && state === "waiting") look();
          },
          () => {
            if (!over) setCode(null);
          },
        );
      }, code.interval_ms);
    };
    look();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [code, run]);

  const begin = () => {
    void run({ command: "device_sign_in" }).then(setCode, () => undefined);
  };

  return (
    <section className="flex flex-col gap-3">
      {code ? (
        <>
          <p>{t("server-device-type")}</p>
          <p className="font-mono text-2xl tracking-widest select-all">{code.user_code}</p>
          <p role="status" className="text-sm text-dim">
            {t("server-device-waiting")}
          </p>
          <div className="flex flex-wrap items-center gap-2">
            <a
              href={code.verification_uri}
              target="_blank"
              rel="noreferrer"
              className="inline-flex items-center gap-1 rounded text-accent hover:underline"
            >
              {t("server-device-open")}
              <ExternalLink aria-hidden className="size-3" />
            </a>
            <Button onClick={() => setCode(null)}>{t("back")}</Button>
          </div>
        </>
      ) : (
        <>
          <div role="alert" className="text-sm empty:hidden">
            {command.problem && <p className="text-bad">{command.problem.message}</p>}
            {command.problem?.hints.map((hint) => (
              <p key={hint}>{hint}</p>
            ))}
          </div>
          <div>
            <Button variant="primary" busy={command.pending} onClick={begin}>
              {t("server-device-begin")}
            </Button>
          </div>
          <p className="text-sm text-faint">{t("server-device-note")}</p>
        </>
      )}
    </section>
  );
}
