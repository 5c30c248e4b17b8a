// The forge's log of requests, read once for all worlds: each entry is handed to the world of its repository.

import { setTimeout as wait } from "node:timers/promises";
import { actOf } from "../loopbench/hub.mjs";
import { OWNER, TOOL_LOGIN } from "../loopbench/world.mjs";

const LOOK_MS = 250;
/** A request whose client was killed never has an answer: it is not looked at again after that. */
const OPEN_MS = 20_000;

/** The repository that a request of the log is about; none for GraphQL. */
export const repoOf = ({ path }) => path.match(/^(?:\/repos)?\/([\w.-]+\/[\w.-]+?)(?:\.git)?(?:\/|$)/)?.[1];

/** Follows the log until it is stopped; `counts` are the tool's requests by act. */
export function followRequestLog(call, worlds, stop) {
  const counts = { reads: 0, writes: 0, posts: 0, pushes: 0, merges: 0 };
  const open = new Map();
  let after = 0;
  const take = (entry) => {
    if (entry.login === TOOL_LOGIN && !open.has(entry.seq)) counts[actOf(entry)] += 1;
    if (entry.answered_ms === null) open.set(entry.seq, entry.at_ms);
    else open.delete(entry.seq);
    worlds.of(repoOf(entry))?.acts.take(entry);
  };
  const look = async () => {
    for (const [seq, at] of open) if (Date.now() - at > OPEN_MS) open.delete(seq);
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
