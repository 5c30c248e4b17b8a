export { InsightsPage } from "./InsightsPage";
