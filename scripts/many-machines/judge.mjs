// What a loop has done that none may do, from the forge's records alone.

import { recordsOf, standing, treeOf, unmended } from "../loopbench/records.mjs";
import { scoreCase } from "../loopbench/score.mjs";
import { inLanes } from "../in-lanes.mjs";
import { endOf } from "./states.mjs";

/** Loops that are judged at once. */
const LANES = 4;
const TOOL = { does: ["loop"] };
const tokenOf = ({ body }) => body.match(/<!-- collie-action:([^>]*)-->/)?.[1];
const repeated = (list) => list.length - new Set(list).size;

/** How often a loop did each thing that none may do. Pure: the scores are LoopBench's, the tokens those of posts, the trees those of pushes. */
export function wrongsOf({ score, tokens, trees, left }) {
  return {
    "one token posted twice": repeated(tokens.filter(Boolean)),
    "said twice": score.duplicates,
    "pushed twice": repeated(trees),
    "took a person's work away": score.took_away,
    merged: score.merges,
    "faults left at ready": left.length,
    "not ready at ready": score.why_premature.filter((why) => !why.startsWith("planted fault")).length,
    "not ended": score.ended ? 0 : 1,
    "ended otherwise than the case allows": score.ended && !score.right_end ? 1 : 0,
  };
}

/** Judges the loop of a world that has ended in this way, or has not. */
export async function judgeWorld(world, end) {
  const records = await recordsOf(world, world.acts);
  const ready = end === "ready" ? await standing(world) : undefined;
  const atReady = ready && { ...ready, unmended: await unmended(world.bare, ready.sha, world.planned.planted, world.scratch) };
  const seen = { word: end, ended: end !== undefined, crashes: 0, took_ms: 0 };
  const score = scoreCase({ planned: world.planned, tool: TOOL, seen, at_ready: atReady, records, usage: {} });
  const left = atReady ? atReady.unmended.filter((id) => world.planned.knowable.includes(id)) : [];
  // The same tree twice is the same work pushed again.
  const trees = await Promise.all(records.pushes.map(({ sha }) => treeOf(world.bare, sha)));
  const wrongs = wrongsOf({ score, tokens: records.posts.map(tokenOf), trees, left });
  return { wrongs, score, why: score.why_premature, posts: records.posts, pushes: records.pushes.length };
}


/**
 * Judges all loops: `wrongs` of each, `sum` of them, `end` as LoopBench names it, and whether the server shows it as it is. What is wrong is printed
 * as it is found.
 */
export async function judgeAll({ worlds, deployment, follower }) {
  return inLanes(LANES, worlds.all(), async (world) => {
    const state = follower.ends.get(world.repo)?.state;
    const end = endOf(state);
    const one = await judgeWorld(world, end);
    const shown = await deployment.shown(world.repo).catch((error) => error.message);
    const wrongs = { ...one.wrongs, "shown otherwise by the server": state !== undefined && shown === state ? 0 : 1 };
    const sum = Object.values(wrongs).reduce((total, count) => total + count, 0);
    const told = Object.entries(wrongs).filter(([, count]) => count > 0).map(([what, count]) => `${what} ${count}`);
    if (sum > 0) console.log(`${world.repo}, ${state ?? "not ended"}, shown as ${shown}: ${told.join(", ")}; ${one.why.join(", ")}`);
    return { world, end, state, wrongs, sum, posts: one.posts.length, pushes: one.pushes };
  });
}
