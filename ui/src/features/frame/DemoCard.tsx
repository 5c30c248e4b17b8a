import { useEffect, useRef, useState } from "react";
import { Button, Dialog } from "../../components";
import { useSession } from "../../data";
import { useText } from "../../i18n";
import { useRoute } from "../../routes";
import { DemoScenarios, useLeaveDemo } from "../onboarding";

/** Says that the demo is open: its scenarios to start, and the way out of it. */
export function DemoCard() {
  const t = useText();
  const { demo } = useSession();
  const { show } = useRoute();
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const leave = useLeaveDemo(() => opener.current);
  // A scenario's link leads to its pull request, which the dialog would hide.
  useEffect(() => setOpen(false), [show]);
  if (!demo) return null;
  const started = demo.scenarios.filter((scenario) => scenario.started).length;
  return (
    <div className="mx-2 mb-2 shrink-0 rounded-lg bg-panel px-3 pt-2 pb-3 shadow-[0_0_0_1px_var(--line)]">
      <p className="font-medium">{t("demo-card")}</p>
      <p className="mb-2 text-sm text-dim">{t("demo-card-started", { started, all: demo.scenarios.length })}</p>
      <Button ref={opener} size="small" onClick={() => setOpen(true)} className="w-full">
        {t("demo-card-open")}
      </Button>
      <Dialog
        title={t("demo-card-title")}
        text={t("demo-card-text")}
        size="wide"
        open={open}
        onClose={() => setOpen(false)}
        actions={
          <Button
            variant="danger"
            className="me-auto"
            onClick={() => {
              setOpen(false);
              leave.ask();
            }}
          >
            {t("demo-leave")}
          </Button>
        }
      >
        <DemoScenarios />
      </Dialog>
      {leave.dialog}
    </div>
  );
}
