export { AllowBanner, ScopesBanner } from "./Allow";
export { ChooseRepositories } from "./ChooseRepositories";
export { DemoScenarios } from "./DemoScenarios";
export { Onboarding } from "./Onboarding";
export { ServerSignIn } from "./ServerSignIn";
export { useLeaveDemo } from "./useLeaveDemo";
export { useOnboarding } from "./useOnboarding";
export { useRemoveRepository } from "./useRemoveRepository";
export { useSignOut } from "./useSignOut";
