export { Overview } from "./Overview";
export { SnoozeDialog } from "./SnoozeDialog";
export { countStandings, pageOf, standingOf, type Counts } from "./standing";
export { StandingIcon } from "./StandingIcon";
