import { Views } from "../../App";
import type { InsightsView } from "../../generated/wire";
import { aProblem, aRepository, type FakeAnswers, type Scene } from "../../test";
import { hostWith } from "../issues/fixtures";
import { fewInsights, noInsights, someInsights } from "./fixtures";
import { FIRST_ASKED, lastAsked } from "./range";

function scene(name: string, insights: InsightsView, more: FakeAnswers = {}): Scene {
  const repositories = [aRepository(), aRepository({ name: "acme/web", auto_review: true })];
  const host = () => {
    // The range that is chosen is that of the answer.
    lastAsked.set({ ...FIRST_ASKED, range: "custom", ...insights.range });
    return hostWith({}, { loops: [], repositories, insights, ...more });
  };
  return { name: `insights-${name}`, element: <Views />, host, route: "/insights" };
}

export const scenes: Scene[] = [
  scene("some", someInsights()),
  scene("few", fewInsights()),
  scene("none", noInsights()),
  scene("error", noInsights(), { insights: () => aProblem("store", "The store cannot be read") }),
];
