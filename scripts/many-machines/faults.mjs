// Whoever breaks things, one after the other, as the seed says.

import { setTimeout as wait } from "node:timers/promises";
import { drawn } from "./random.mjs";
import { fill } from "./disk.mjs";
import { hasChildren } from "./forge-proxy.mjs";

/** Past what the engine and Collie wait for before they take a worker for dead. */
const FREEZE_MS = 20_000;
/** What a thawed worker sends in this time it may have begun before. */
const AFTER_THAW_MS = 5_000;
/** A fault comes after that, however little has happened. */
const LONGEST_MS = 12_000;
const SHORTEST_MS = 700;

/**
 * Freezes a worker and thaws it. It was a zombie where it had something under way, a program of its own or a request, and sent requests when it
 * was back, which are counted as reads and writes.
 */
async function freeze(unit, proxy, tally) {
  if (unit.isFrozen) return false;
  unit.isFrozen = true;
  const { child } = unit.process;
  const before = proxy.of(child.pid);
  const underWay = hasChildren(child.pid) || before.some(({ unanswered }) => unanswered > 0);
  child.kill("SIGSTOP");
  const thaw = async () => {
    await wait(FREEZE_MS);
    unit.isFrozen = false;
    const at = performance.now();
    if (unit.process.child !== child || !child.kill("SIGCONT")) return;
    await wait(AFTER_THAW_MS);
    const sent = [...new Set([...before, ...proxy.of(child.pid)])].flatMap(({ requests }) => requests).filter((one) => one.at >= at && one.at < at + AFTER_THAW_MS);
    tally.thawed += 1;
    if (underWay && sent.length > 0) tally.zombies += 1;
    tally.writesAfterThaw += sent.filter(({ write }) => write).length;
    tally.readsAfterThaw += sent.filter(({ write }) => !write).length;
  };
  tally.under.push(thaw());
  return true;
}

async function fillDisk(disk, chance) {
  const free = await fill(disk);
  try {
    await wait(2_000 + chance() * 3_000);
  } finally {
    free();
  }
  return true;
}

const done = (deed) => async () => {
  await deed();
  return true;
};

/** What can be broken, each with how likely it is. */
function kindsOf({ deployment, proxy, disks, engineDisk, chance, tally }) {
  const worker = () => deployment.workers[Math.floor(chance() * deployment.workers.length)];
  const what = deployment.killEngine ? "worker" : "process";
  const kinds = [
    { name: `${what} killed`, weight: 30, deed: () => done(worker().kill)() },
    { name: `${what} frozen and thawed`, weight: 20, deed: () => freeze(worker(), proxy, tally) },
  ];
  if (deployment.killEngine) kinds.push({ name: "engine killed", weight: 13, deed: done(deployment.killEngine) }, { name: "network cut", weight: 13, deed: done(deployment.cut) });
  if (deployment.server) kinds.push({ name: "server killed", weight: 12, deed: done(deployment.server.kill) });
  if (disks.length > 0) kinds.push({ name: "disk full", weight: 12, deed: () => fillDisk(disks[Math.floor(chance() * disks.length)], chance) });
  if (engineDisk) kinds.push({ name: "engine's disk full", weight: 4, deed: () => fillDisk(engineDisk, chance) });
  return kinds;
}

/**
 * Breaks so many things while it goes on, spread over the play: `progress` says how much of it is over, from 0 to 1. Gives how often each was broken,
 * and what thawed workers sent.
 */
export async function breakThings({ deployment, proxy, disks, engineDisk, chance, count, progress, goesOn }) {
  const tally = { thawed: 0, zombies: 0, readsAfterThaw: 0, writesAfterThaw: 0, under: [] };
  const kinds = kindsOf({ deployment, proxy, disks, engineDisk, chance, tally });
  const counts = Object.fromEntries(kinds.map(({ name }) => [name, 0]));
  for (let number = 0; number < count && goesOn(); ) {
    const since = performance.now();
    const pause = SHORTEST_MS + chance() * SHORTEST_MS;
    await wait(pause);
    while (goesOn() && progress() < (0.9 * number) / count && performance.now() - since < LONGEST_MS) await wait(100);
    const { name, deed } = drawn(chance, kinds);
    if (!await deed()) continue;
    counts[name] += 1;
    number += 1;
  }
  await Promise.all(tally.under);
  const { under, ...zombies } = tally;
  return { counts, zombies };
}
