// How loops stand, as a data folder's own records say.

import { environment, run } from "../on-a-forge.mjs";
import { ACCOUNT } from "./settings.mjs";

export const ENDED = new Set(["pr_ready_to_merge", "needs_human", "failed", "cancelled", "merged", "closed"]);

/** The end of LoopBench that a state is. */
export const endOf = (state) => ({ pr_ready_to_merge: "ready", merged: "closed", closed: "closed" })[state] ?? (ENDED.has(state) ? "stopped" : undefined);

/** The states of all loops of a data folder, by repository: what `collie status` tells of it without asking anybody. */
export async function statesIn(collie, home, apiUrl) {
  const said = await run(collie, ["status", "--json"], { env: { ...process.env, ...environment(home, apiUrl), ...ACCOUNT } });
  const loops = said.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line)).filter(({ key }) => key);
  return new Map(loops.map(({ key, state }) => [key.split("#")[0], state]));
}
