// Plays one case with one tool: the world, its people, the model, the tool, the records, the scores.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { plan } from "./cases.mjs";
import { startHub } from "./hub.mjs";
import { startModel } from "./model.mjs";
import { playBefore, playPeople, playStatuses } from "./people.mjs";
import { fileAt, recordsOf, standing, unmended } from "./records.mjs";
import { scoreCase } from "./score.mjs";
import { runTool } from "./tool.mjs";
import { NUMBER, OWNER, startWorld } from "./world.mjs";

const PLAIN = new URL("./plain-dialect.mjs", import.meta.url).href;

/** The dialect of a tool. */
export const dialectOf = (tool) => import(tool.dialect ? pathToFileURL(join(tool.folder, tool.dialect)).href : PLAIN);

/** What only the world knows of its beginning; then people do what they do before the tool is started. */
export async function begin(world) {
  const pull = await world.call(OWNER, "GET", `${world.api}/pulls/${NUMBER}`);
  world.firstHead = pull.head.sha;
  world.baseHeads = [pull.base.sha];
  await playBefore(world);
}

/** Plays the tool with everybody around it; gives what was seen of it and how things stood at its word. */
async function playAround(tool, world, model, hub, stop, extra) {
  const problems = [];
  let ready;
  const onWord = async (end) => {
    if (end === "ready") ready = await standing(world);
  };
  const others = [playPeople(world, hub, stop.signal, (problem) => problems.push(problem)), playStatuses(world, hub, stop.signal, (problem) => problems.push(problem))];
  const seen = await runTool({ tool, world, model, hub, stop: stop.signal, onWord, extra });
  await hub.look();
  stop.abort(new Error("the case is over"));
  await Promise.all([...others, hub.ended()]);
  return { seen, ready, problems };
}

/**
 * Plays a case. Gives its scores, with `problems` where the bench itself could not do its part; with `keep` the folder stays, and is named.
 */
export async function playCase(one, tool, { seed = 0, keep = false, extra = {} } = {}) {
  const planned = plan(one, { seed });
  const folder = mkdtempSync(join(tmpdir(), `loopbench-${one.id}-`));
  const stop = new AbortController();
  let world;
  let model;
  try {
    world = await startWorld(folder, planned);
    await begin(world);
    const hub = startHub(world, stop.signal);
    const fileAtHead = (file) => fileAt(world.bare, `refs/heads/${world.branch}`, file);
    model = await startModel(planned, await dialectOf(tool), { fileAtHead, onAsked: () => hub.tell("asks_model") });
    const { seen, ready, problems } = await playAround(tool, world, model, hub, stop, extra);
    const records = await recordsOf(world, hub);
    const atReady = ready && { ...ready, unmended: await unmended(world.bare, ready.sha, planned.planted, world.scratch) };
    const score = scoreCase({ planned, tool, seen, at_ready: atReady, records, usage: model.usage });
    const unplayed = planned.crashes.length - seen.crashes;
    return { score, records, seen, asked: keep ? model.asked : undefined, ready: atReady, problems: [...problems, ...model.problems], unplayed_crashes: unplayed, folder: keep ? folder : undefined };
  } finally {
    stop.abort(new Error("the case is over"));
    await model?.stop();
    await world?.end();
    if (!keep) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
