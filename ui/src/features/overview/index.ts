export { Overview } from "./Overview";
export { countStandings, pageOf, standingOf, type Counts } from "./standing";
export { StandingIcon } from "./StandingIcon";
