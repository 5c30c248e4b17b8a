// Starts loops as fast as they are taken, and follows each until it has ended and stays so.

import { setTimeout as wait } from "node:timers/promises";
import { inLanes } from "../in-lanes.mjs";
import { isEnd } from "./states.mjs";

const LOOK_MS = 1_000;
/** Loops that are asked for certain at each look, whatever is told of them elsewhere. */
const ASKED_ANYWAY = 3;
/** How long after a deed of the tool a person or bot of a case may still act. */
const PEOPLE_MS = 8_000;

/** Follows loops; `isOver` says whether all that are to be have ended for good. */
class Follower {
  constructor({ deployment, count, quietMs }) {
    Object.assign(this, { deployment, count, quietMs, asked: new Map(), open: [], ends: new Map(), lastEnd: 0 });
  }

  add(repo, at) {
    this.asked.set(repo, at);
    this.open.push(repo);
  }

  /** Asks for certain how these stand, and notes those that have ended, or go on again. */
  async ask(repos, states) {
    await inLanes(8, repos, async (repo) => {
      const state = await this.deployment.state(repo, states);
      if (isEnd(state)) this.end(repo, state);
      else if (state !== undefined) this.reopen(repo);
    });
  }

  end(repo, state) {
    if (this.ends.get(repo)?.state === state) return;
    this.lastEnd = performance.now();
    this.ends.set(repo, { state, at: this.lastEnd });
    this.open = this.open.filter((one) => one !== repo);
  }

  reopen(repo) {
    if (!this.ends.delete(repo)) return;
    this.open.push(repo);
  }

  async look() {
    const states = await this.deployment.states().catch(() => new Map());
    const told = [...states].filter(([repo, state]) => isEnd(state) !== this.ends.has(repo) && this.asked.has(repo)).map(([repo]) => repo);
    const anyway = this.open.splice(0, ASKED_ANYWAY);
    this.open.push(...anyway);
    await this.ask(new Set([...told, ...anyway]), states);
    const isQuiet = () => this.ends.size === this.count && performance.now() - this.lastEnd > this.quietMs;
    if (!isQuiet()) return false;
    await this.ask([...this.asked.keys()], states);
    return isQuiet();
  }
}

/**
 * Plays so many loops, at most so many seconds. Gives when each was asked for, and how and when each ended; `follower.ends` tells meanwhile.
 */
export function playLoops({ deployment, worlds, count, within, readyMs }) {
  const follower = new Follower({ deployment, count, quietMs: PEOPLE_MS + readyMs });
  const begun = performance.now();
  const goesOn = () => performance.now() - begun < within * 1_000;
  const startAll = () => inLanes(2, Array.from({ length: count }, (_, number) => number), async (number) => {
    if (!goesOn()) return;
    const world = await worlds.open(number);
    const asked = performance.now();
    await deployment.start(world.repo);
    worlds.live(world);
    follower.add(world.repo, asked);
  });
  const followAll = async () => {
    while (goesOn() && !await follower.look()) await wait(LOOK_MS);
  };
  return { follower, begun, goesOn, ended: Promise.all([startAll(), followAll()]) };
}
