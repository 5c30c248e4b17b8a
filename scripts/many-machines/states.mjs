// How loops stand, as a data folder's own records say.

import { environment, run } from "../on-a-forge.mjs";
import { ACCOUNT } from "./settings.mjs";

const ENDED = new Set(["pr_ready_to_merge", "needs_human", "failed", "cancelled", "merged", "closed"]);
/** What the state of a loop begins with that a person alone can bring on: it has said its word, as a draft's has. */
const WAITS = "a person, in ";

/** Whether a loop in this state has said its word, and goes on only by what others do. */
export const isEnd = (state) => ENDED.has(state) || Boolean(state?.startsWith(WAITS));

/** The end of LoopBench that a state is. */
export const endOf = (state) => ({ pr_ready_to_merge: "ready", merged: "closed", closed: "closed" })[state] ?? (isEnd(state) ? "stopped" : undefined);

/** The state of a loop as it is shown: its own, and whether it waits for a person. */
export const stateOf = ({ state, blocker }) => (!ENDED.has(state) && blocker?.needs_person ? WAITS + state : state);

/** The state of a loop as the engine has it, which does not say who can bring it on: that is taken from what is shown. */
export const stateBeside = (state, shown) => (shown === WAITS + state ? shown : state);

/** The states of all loops of a data folder, by repository: what `collie status` tells of it without asking anybody. */
export async function statesIn(collie, home, apiUrl) {
  const said = await run(collie, ["status", "--json"], { env: { ...process.env, ...environment(home, apiUrl), ...ACCOUNT } });
  const loops = said.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line)).filter(({ key }) => key);
  return new Map(loops.map((one) => [one.key.split("#")[0], stateOf(one)]));
}
