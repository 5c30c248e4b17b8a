// The forge's log of requests, read once for all worlds: each entry is handed to the world of its repository.

import { setTimeout as wait } from "node:timers/promises";
import { actOf } from "../loopbench/hub.mjs";
import { NUMBER, OWNER, TOOL_LOGIN } from "../loopbench/world.mjs";

const LOOK_MS = 250;
/** A request whose client was killed never has an answer: it is not looked at again after that. */
const OPEN_MS = 20_000;
/** After that it is looked whether a push without an answer has come to something. */
const PUSHED_MS = 3_000;

/** The repository that a request of the log is about; none for GraphQL. */
export const repoOf = ({ path }) => path.match(/^(?:\/repos)?\/([\w.-]+\/[\w.-]+?)(?:\.git)?(?:\/|$)/)?.[1];

/** Tells people of pushes whose client was killed before the answer, where the branch has them. */
export async function tellLandedPushes(call, { repo, acts }) {
  const heads = await call(OWNER, "GET", `/_forge/repos/${repo}/pulls/${NUMBER}/heads`);
  const landed = heads.slice(1).filter(({ by }) => by === TOOL_LOGIN).length;
  while (acts.counts.pushes < landed) acts.tell("pushes");
}

/** Follows the log until it is stopped; `counts` are the tool's requests by act. */
export function followRequestLog(call, worlds, stop) {
  const counts = { reads: 0, writes: 0, posts: 0, pushes: 0, merges: 0 };
  const open = new Map();
  let after = 0;
  const take = (entry) => {
    const isTool = entry.login === TOOL_LOGIN;
    if (isTool && !open.has(entry.seq)) counts[actOf(entry)] += 1;
    const world = worlds.of(repoOf(entry));
    if (entry.answered_ms === null) open.set(entry.seq, { pushedTo: isTool && actOf(entry) === "pushes" ? world : undefined, ...open.get(entry.seq), at: entry.at_ms });
    else open.delete(entry.seq);
    world?.acts.take(entry);
  };
  const look = async () => {
    for (const [seq, request] of open) {
      const age = Date.now() - request.at;
      if (age > OPEN_MS) open.delete(seq);
      if (age < PUSHED_MS || !request.pushedTo) continue;
      const world = request.pushedTo;
      request.pushedTo = undefined;
      await tellLandedPushes(call, world);
    }
    const from = Math.min(after, ...[...open.keys()].map((seq) => seq - 1));
    const { requests } = await call(OWNER, "GET", `/_forge/log?after=${from}`);
    for (const entry of requests) if (entry.seq > after || open.has(entry.seq)) take(entry);
    after = Math.max(after, requests.at(-1)?.seq ?? 0);
  };
  const follow = async () => {
    while (!stop.aborted) {
      await look().catch((error) => {
        if (!stop.aborted) throw error;
      });
      await wait(LOOK_MS, undefined, { signal: stop }).catch(() => {});
    }
  };
  return { counts, ended: follow() };
}
