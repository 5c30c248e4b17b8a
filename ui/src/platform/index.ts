import type { Host } from "./host";

export { asProblem, Problem, type AnswerTo, type CommandName, type CommandOf, type Host, type HostErrorCode } from "./host";

export { reportErrors } from "./errors";

/** The host of this page, whose updates are held from now on; only the code for it is loaded. */
export async function thisHost(): Promise<Host> {
  if ("__TAURI_INTERNALS__" in window) return (await import("./desktop")).desktop();
  return (await import("./browser")).browser();
}
