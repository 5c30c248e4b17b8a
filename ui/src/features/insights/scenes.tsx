import { Views } from "../../App";
import type { InsightsView } from "../../generated/wire";
import { aProblem, aRepository, type FakeAnswers, type Scene } from "../../test";
import { hostWith } from "../issues/fixtures";
import { fewInsights, noInsights, someInsights } from "./fixtures";

function scene(name: string, insights: InsightsView, more: FakeAnswers = {}): Scene {
  const repositories = [aRepository(), aRepository({ name: "acme/web", auto_review: true })];
  return { name: `insights-${name}`, element: <Views />, host: () => hostWith({}, { loops: [], repositories, insights, ...more }), route: "/insights" };
}

export const scenes: Scene[] = [
  scene("some", someInsights()),
  scene("few", fewInsights()),
  scene("none", noInsights()),
  scene("error", noInsights(), { insights: () => aProblem("store", "The store cannot be read") }),
];
