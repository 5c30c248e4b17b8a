// What the tool does, as the forge's own log of requests and the scripted model tell it while the case is played.

import { setTimeout as wait } from "node:timers/promises";
import { OWNER, TOOL_LOGIN } from "./world.mjs";

/** How often the forge's log is read. */
const LOOK_MS = 60;

const POSTS = [/^\/repos\/[^/]+\/[^/]+\/issues\/[^/]+\/comments$/, /^\/repos\/[^/]+\/[^/]+\/pulls\/[^/]+\/(comments|reviews)(\/|$)/];
const POSTING = /^mutation (addComment|addPullRequestReview\w*|submitPullRequestReview)$/;
const MERGING = /^mutation (mergePullRequest|enablePullRequestAutoMerge|enqueuePullRequest|mergeBranch)$/;

/** What a request of the log is: a push, a post, an attempt to merge, another write, or a read. */
export function actOf({ method, route, path, graphql }) {
  if (method === "POST" && route.endsWith("/git-receive-pack")) return "pushes";
  if (graphql.some((name) => MERGING.test(name)) || (method === "PUT" && route.endsWith("/merge")) || (method === "POST" && route.endsWith("/merges"))) return "merges";
  if (graphql.some((name) => POSTING.test(name)) || (method === "POST" && POSTS.some((form) => form.test(path)))) return "posts";
  const reads = method === "GET" || (route === "/graphql" && !graphql.some((name) => name.startsWith("mutation "))) || route.endsWith("/git-upload-pack");
  return reads ? "reads" : "writes";
}

/** Whether a request came to something, as far as the forge knows; one whose answer was dropped did. */
const took = ({ status, dropped }) => dropped || (status !== null && status < 400);

/** What a tool has done in one world, and who waits for that. `log` is all of its requests so far, with `act`; `tell` counts an act. */
export function startActLog(stop) {
  const log = [];
  const counts = { starts: 0, reads: 0, posts: 0, pushes: 0, merges: 0, writes: 0, asks_model: 0 };
  const waiting = new Set();
  // A request that has no answer yet is looked at again.
  const open = new Map();
  const tell = (act) => {
    counts[act] += 1;
    for (const look of [...waiting]) look();
  };
  const take = (entry) => {
    if (entry.login !== TOOL_LOGIN) return;
    const known = open.get(entry.seq) ?? { ...entry, act: actOf(entry) };
    if (!open.has(entry.seq)) log.push(known);
    Object.assign(known, entry);
    if (entry.answered_ms === null) open.set(entry.seq, known);
    else {
      open.delete(entry.seq);
      if (took(entry)) tell(known.act);
    }
  };
  /** Waits for a trigger of a case: so many acts of the tool from now on, then so many seconds. Rejects when the case is over. */
  const until = async ({ tool = "starts", times = 1, after_s: seconds = 0 }, since = { ...counts }) => {
    const wanted = tool === "starts" ? 1 : since[tool] + times;
    await new Promise((resolve, reject) => {
      const check = () => {
        if (counts[tool] < wanted) return;
        waiting.delete(check);
        resolve();
      };
      stop.addEventListener("abort", () => reject(stop.reason), { once: true });
      waiting.add(check);
      check();
    });
    await wait(seconds * 1000, undefined, { signal: stop });
  };
  return { log, counts, open, tell, take, until };
}

/** Follows the log of a world's forge until it is stopped. */
export function startHub(world, stop) {
  const acts = startActLog(stop);
  const { open } = acts;
  let after = 0;
  const look = async () => {
    const from = Math.min(after, ...[...open.keys()].map((seq) => seq - 1));
    const { requests, last_seq: last } = await world.call(OWNER, "GET", `/_forge/log?after=${from}`);
    for (const entry of requests) if (entry.seq > after || open.has(entry.seq)) acts.take(entry);
    after = Math.max(after, requests.at(-1)?.seq ?? last);
  };
  const follow = async () => {
    while (!stop.aborted) {
      await look();
      await wait(LOOK_MS, undefined, { signal: stop }).catch(() => {});
    }
  };
  const ended = follow();
  return { ...acts, look, ended: () => ended };
}
