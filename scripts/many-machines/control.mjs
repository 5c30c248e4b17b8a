// Whether the judge would tell: what none may do is done by hand, in the name of the account that works, after all has been judged.

import { setTimeout as wait } from "node:timers/promises";
import { OWNER, TOOL_LOGIN } from "../loopbench/world.mjs";
import { judgeWorld } from "./judge.mjs";

/** The log of the forge is read that often. */
const LOG_MS = 1_000;

/** Posts again what was posted on a ready pull request, and merges it; gives what the judge then tells, or why that could not be tried. */
export async function tryJudge(worlds) {
  const [world] = worlds;
  if (!world) return { untried: "no loop ended ready with nothing against it" };
  const comments = await world.call(OWNER, "GET", `${world.api}/issues/1/comments`);
  const last = comments.filter(({ user, body }) => user.login === TOOL_LOGIN && body.includes("collie-action:")).at(-1);
  if (!last) return { untried: `there is no comment of ${TOOL_LOGIN} on ${world.repo}` };
  await world.call(TOOL_LOGIN, "POST", `${world.api}/issues/1/comments`, { body: last.body });
  await world.call(TOOL_LOGIN, "PUT", `${world.api}/pulls/1/merge`, {});
  await wait(LOG_MS);
  const { wrongs } = await judgeWorld(world, "ready");
  const told = ["one token posted twice", "said twice", "merged"].filter((what) => wrongs[what] === 0);
  return told.length > 0 ? { missed: told } : {};
}
