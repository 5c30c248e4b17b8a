import { Button } from "../../components";
import { useRights } from "../../data";
import type { LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { useRoute } from "../../routes";

/** Leads to the limits where one of them is what a loop waits for (§15): once it is raised, the loop continues by itself. */
export function BudgetAction({ loop }: { loop: LoopView }) {
  const t = useText();
  const { navigate } = useRoute();
  const { own_machine } = useRights();
  if (loop.blocker?.code !== "budget") return null;
  if (!own_machine) return <p className="w-full text-sm text-dim">{t("rights-machine-only")}</p>;
  return (
    <Button variant="primary" onClick={() => navigate({ page: "settings", group: "limits" })}>
      {t("review-budget-raise")}
    </Button>
  );
}
