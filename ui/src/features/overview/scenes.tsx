import { Views } from "../../App";
import type { LoopView, SessionView } from "../../generated/wire";
import { aProblem, aRepository, type FakeAnswers, type Scene } from "../../test";
import { hostWith } from "../issues/fixtures";
import { aSpending, loopsOf, SOME_LOOPS } from "./fixtures";
import { ScriptedScene, type ScriptStep } from "../onboarding/ScriptedScene";
import { snooze } from "../../snooze";
import { SnoozeDialog } from "../issues/SnoozeDialog";

function scene(name: string, loops: LoopView[], route = "/", more: FakeAnswers = {}, session: Partial<SessionView> = {}): Scene {
  const repositories = [...new Set(loops.map(({ key }) => key.split("#")[0] ?? ""))].map((each) => aRepository({ name: each }));
  return { name: `overview-${name}`, element: <Views />, host: () => hostWith(session, { loops, repositories, ...(loops.length > 0 && { spending: aSpending(2.65) }), ...more }), route };
}

/** The overview in which a person has done something already. */
function acted(name: string, deeds: ScriptStep[], loops: LoopView[] = SOME_LOOPS): Scene {
  const element = (
    <ScriptedScene steps={deeds}>
      <Views />
    </ScriptedScene>
  );
  return { ...scene(name, loops), element };
}

const CHOSEN: ScriptStep[] = ["acme/api#482", "acme/api#471", "acme/web#85"].map((key) => [`[data-key="${key}"] [role=checkbox]`]);
const VIEWS: ScriptStep[] = [["[role=group] > button[aria-haspopup=menu]:last-of-type"]];

const BY_REPOSITORY: ScriptStep[] = [["[role=group] > button[aria-pressed=false]"], ["select", "repository"]];

/** The overview with some loops out of the way until tomorrow. */
function snoozed(name: string, loops: LoopView[]): Scene {
  const shown = scene(name, SOME_LOOPS);
  const host = () => {
    snooze(loops, "tomorrow", Date.now());
    return shown.host();
  };
  return { ...shown, host };
}

const repositories = [aRepository(), aRepository({ name: "acme/web", auto_review: true })];

export const scenes: Scene[] = [
  scene("some", SOME_LOOPS),
  scene("detail", SOME_LOOPS, `/?show=${encodeURIComponent("acme/api#482")}`),
  scene("needs-you", SOME_LOOPS, "/needs-you"),
  scene("paused", SOME_LOOPS, "/", {}, { pause: { by: "kim", since: "2026-11-24T14:02:00Z" } }),
  scene("50", loopsOf(50)),
  scene("1000", loopsOf(1_000)),
  acted("50-compact", [...VIEWS, ["[role=menu] > [role=group]:last-child > [role=menuitem]"]], loopsOf(50)),
  acted("by-repository", BY_REPOSITORY),
  snoozed("snoozed", SOME_LOOPS.filter(({ attention }) => attention === "needs_you").slice(0, 2)),
  acted("bulk", CHOSEN),
  acted("bulk-cancel", [...CHOSEN, ["[role=toolbar] button:nth-of-type(2)"]]),
  acted("save-view", [...VIEWS, ["[role=menuitem]"], ["[role=dialog] input", "Mine, dearest first"]]),
  scene("reader", SOME_LOOPS, `/?show=${encodeURIComponent("acme/api#482")}`, { repositories: [aRepository({ may_write: false })] }, { rights: { operate: false, own_machine: false }, can_merge: false }),
  scene("none", [], "/", { repositories }),
  scene("error", [], "/", { loops: () => aProblem("store", "The store cannot be read"), repositories }),
  { ...scene("snooze", SOME_LOOPS), element: <SnoozeDialog loop={SOME_LOOPS[0] ?? null} onClose={() => undefined} /> },
];
