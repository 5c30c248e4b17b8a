export { AllowBanner, ScopesBanner } from "./Allow";
export { ChooseRepositories } from "./ChooseRepositories";
export { DemoScenarios } from "./DemoScenarios";
export { Onboarding } from "./Onboarding";
export { useOnboarding } from "./useOnboarding";
