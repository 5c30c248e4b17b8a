// The worlds of the play: each loop has a repository of its own on the one forge, with the checks, bots and people of a case of LoopBench.

import { setMaxListeners } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { startActLog } from "../loopbench/hub.mjs";
import { playPeople, playStatuses } from "../loopbench/people.mjs";
import { begin } from "../loopbench/play.mjs";
import { makeRepository, openWorld } from "../loopbench/world.mjs";

/** How often it is looked whether a head is new that a status has to be reported of. */
const LOOK_S = 2;

/**
 * Makes worlds of the cases, one after the other, on a forge that runs below `root`. `open` makes the next one, `live` lets its people go about their
 * work from then on; `of` finds one by the name of its repository, `all` is every one so far.
 */
export function makeWorlds({ forge, root, folder, cases, scratch, stop, onProblem }) {
  setMaxListeners(0, stop.signal);
  const byRepo = new Map();
  const sources = new Map();
  mkdirSync(join(folder, "clones"), { recursive: true });
  const sourceOf = (planned) => {
    const source = join(folder, "sources", planned.id);
    if (!sources.has(planned.id)) sources.set(planned.id, existsSync(source) ? Promise.resolve() : makeRepository(source, planned));
    return sources.get(planned.id).then(() => source);
  };
  const open = async (number) => {
    const planned = cases[number % cases.length];
    const source = await sourceOf(planned);
    const world = await openWorld({ forge, root, name: `${planned.id}-${number}`, planned, folder: join(folder, "clones"), source, scratch });
    byRepo.set(world.repo, Object.assign(world, { number, acts: startActLog(stop.signal) }));
    await begin(world);
    return world;
  };
  const live = (world) => {
    world.acts.tell("starts");
    const problem = (words) => onProblem(`${world.repo}: ${words}`);
    playPeople(world, world.acts, stop.signal, problem);
    playStatuses(world, world.acts, stop.signal, problem, { look_s: LOOK_S });
  };
  return { open, live, of: (repo) => byRepo.get(repo), all: () => [...byRepo.values()] };
}
