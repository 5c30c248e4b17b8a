// Plays many loops on the durable engine with several workers, while workers, engine, server, network and disks break, and reads from the forge alone
// what came of it: nothing said or pushed twice, nobody's work taken away, nothing merged, no fault left, every run ended as its case allows.
//
//   node scripts/many-machines.mjs [--engine restate|here] [--loops 60] [--workers 3] [--slots 6] [--faults 20] [--seed N] [--within SECONDS]
//                                  [--cases PATTERNS] [--json FILE] [--keep] [--no-full-disks]
//
//   --engine  restate: the durable engine, workers, and `collie serve --engine restate`; here: the same loops in one `collie serve` with SQLite
//   --slots   how many loops work at once, on all workers together or in the one process
//   --cases   ids of LoopBench with * and ?, separated by commas; drawn by the seed, one after the other
//   --keep    leaves the folder, and names it
//   --no-full-disks  leaves data folders on the machine's own disk, and fills none: otherwise they lie in memory, where a durable write costs nothing
//
// All is on one machine. Each loop has a repository of its own on one forge, with the checks, bots and people of a case of LoopBench
// (many-machines/cases.mjs says which are left out, and why), and one scripted model answers all. Broken by the seed, spread over the play: kill -9 of
// a worker, of the engine, of the server; a worker frozen past every deadline and thawed; a cut network between engine and workers; a full disk of a
// worker, of the server or of the engine. That last needs the right to mount, and is not played without it. A worker or server that ends by itself is
// started again, as its unit does. A thawed worker that had something under way and sent requests is counted as a zombie.
//
// Afterwards the server has to show each loop as it is. At last the judge is tried: something is posted again, and merged, by hand.
//
// Needs Linux, git, python3, restate-server (`bash scripts/setup.sh --tests` brings it; COLLIE_RESTATE_SERVER names another) and a `collie` built with
// `--features restate`, with `collie-sandbox-supervisor` beside it; COLLIE names another than that in target/. Ends with 1 where anything was not as it has to be.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { client, makeToolAccount, OWNER, TOOL_LOGIN } from "./loopbench/world.mjs";
import { playedCases } from "./many-machines/cases.mjs";
import { tryJudge } from "./many-machines/control.mjs";
import { seededRandom } from "./many-machines/random.mjs";
import { keepAll, mountDisk, unmountAll } from "./many-machines/disk.mjs";
import { startElsewhere } from "./many-machines/elsewhere.mjs";
import { breakThings } from "./many-machines/faults.mjs";
import { followRequestLog } from "./many-machines/request-log.mjs";
import { startHere } from "./many-machines/here.mjs";
import { judgeAll } from "./many-machines/judge.mjs";
import { watchLoad } from "./many-machines/load.mjs";
import { startModel } from "./many-machines/model.mjs";
import { playLoops } from "./many-machines/play.mjs";
import { figuresOf, isGood, printResult } from "./many-machines/report.mjs";
import { startForgeProxy } from "./many-machines/forge-proxy.mjs";
import { pollsOf, settings } from "./many-machines/settings.mjs";
import { makeWorlds } from "./many-machines/worlds.mjs";
import { findCollie, startForge } from "./on-a-forge.mjs";

const { values: option } = parseArgs({
  options: {
    engine: { type: "string", default: "restate" },
    loops: { type: "string", default: "60" },
    workers: { type: "string", default: "3" },
    slots: { type: "string", default: "6" },
    faults: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now()) },
    within: { type: "string", default: "3600" },
    cases: { type: "string", default: "*" },
    json: { type: "string" },
    keep: { type: "boolean", default: false },
    "no-full-disks": { type: "boolean", default: false },
  },
});
const [LOOPS, WORKERS, SLOTS, FAULTS, SEED, WITHIN] = [option.loops, option.workers, option.slots, option.faults, option.seed, option.within].map(Number);
/** Room for clones, worktrees and records of all loops, should one worker have them all; and for all that the engine keeps. */
const MEBIBYTES = 256 + LOOPS;
const ENGINE_MEBIBYTES = 1024 + 2 * LOOPS;
/**
 * Whose quota of the forge is given anew all the time: it charges a token 5,000 points an hour, and an hour passes in these. In less than a minute
 * Collie would take the next for the same.
 */
const CHARGED = [OWNER, TOOL_LOGIN, "ana", "ben", "kim", "mallory"];
const HOUR_S = 90;

process.on("exit", unmountAll);

/** The cases in an order that the seed draws. */
function shuffled(list, chance) {
  const order = list.map((item) => ({ item, at: chance() }));
  return order.sort((one, other) => one.at - other.at).map(({ item }) => item);
}

/** Gives everybody a whole quota again and again, each for an hour that ends soon: Collie's own share of one is counted by its end. */
function keepQuotas(forge) {
  const give = () => Promise.all(CHARGED.flatMap((login) => ["core", "graphql"].map((resource) => forge.send("PUT", "/_forge/rate_limit", { body: { token: `forge-${login}`, resource, remaining: 5_000, reset_in: HOUR_S } }))));
  const timer = setInterval(() => give().catch(() => {}), HOUR_S * 1_000);
  give().catch(() => {});
  return () => clearInterval(timer);
}

/** The data folders, each on a small disk of its own where that is wanted and may be mounted. */
function makeDisks(folder) {
  const workers = option.engine === "here" ? [] : Array.from({ length: WORKERS }, (_, number) => join(folder, `worker-${number}`));
  const server = join(folder, "server");
  const homes = [...workers, server];
  const engine = option.engine === "here" ? undefined : join(folder, "engine");
  const folders = { homes: { server }, all: engine ? [...homes, engine] : homes };
  if (option["no-full-disks"]) return { ...folders, disks: [] };
  const why = [...homes.map((home) => mountDisk(home, MEBIBYTES)), engine && mountDisk(engine, ENGINE_MEBIBYTES)].find((reason) => reason);
  if (why) console.log(`no disk is filled: ${why}`);
  return why ? { ...folders, disks: [] } : { ...folders, disks: homes, engineDisk: engine };
}

const DEPLOYMENTS = { restate: startElsewhere, here: startHere };

/** The forge with all that is on it, which the deployments are built beside. */
async function startEnvironment(folder, collie, stop, problems) {
  const [root, scratch] = [join(folder, "forge"), join(folder, "tmp")];
  mkdirSync(scratch);
  const forge = await startForge(collie, root, { env: { ...process.env, TMPDIR: scratch } });
  process.on("exit", forge.stop);
  const call = client(forge);
  await makeToolAccount(call);
  const cases = shuffled(playedCases(option.cases), seededRandom(SEED + 1));
  const worlds = makeWorlds({ forge, root, folder, cases, scratch, stop, onProblem: (words) => problems.push(words) });
  const model = await startModel(worlds);
  const requestLog = followRequestLog(call, worlds, stop.signal);
  const proxy = await startForgeProxy(Number(new URL(forge.apiUrl).port));
  return { forge, worlds, model, requestLog, proxy, apiUrl: `${proxy.origin}${new URL(forge.apiUrl).pathname}`, endQuotas: keepQuotas(forge) };
}

/** Plays it all; gives what was seen, before it is judged. */
async function play({ folder, collie, environment, disks }) {
  const { worlds, model, requestLog, proxy, apiUrl } = environment;
  const slots = option.engine === "here" ? SLOTS : Math.ceil(SLOTS / WORKERS) + 1;
  const config = settings({ loops: LOOPS, modelUrl: model.url, slots });
  const deployment = await DEPLOYMENTS[option.engine]({ collie, folder, apiUrl, count: WORKERS, slots: SLOTS, config, homes: disks.homes });
  const endLoad = watchLoad(deployment.processes);
  const playing = playLoops({ deployment, worlds, count: LOOPS, within: WITHIN, readyMs: pollsOf(LOOPS).ready * 1_000 });
  const { follower, begun } = playing;
  const goesOn = () => playing.goesOn() && follower.ends.size < LOOPS;
  const breaking = breakThings({ deployment, proxy, disks: disks.disks, engineDisk: disks.engineDisk, chance: seededRandom(SEED), count: FAULTS, progress: () => follower.ends.size / LOOPS, goesOn });
  const speaking = setInterval(() => console.error(`${Math.round((performance.now() - begun) / 1_000)} s: ${follower.asked.size} begun, ${follower.ends.size} ended`), 30_000);
  await Promise.all([playing.ended, breaking]);
  clearInterval(speaking);
  return { deployment, follower, begun, requests: { ...requestLog.counts }, load: endLoad(), faults: await breaking };
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "collie-many-"));
  const stop = new AbortController();
  const problems = [];
  const collie = findCollie("release", "debug");
  const disks = makeDisks(folder);
  const environment = await startEnvironment(folder, collie, stop, problems);
  const played = await play({ folder, collie, environment, disks });
  const judged = await judgeAll({ ...environment, ...played });
  const control = await tryJudge(judged.filter(({ end, sum }) => end === "ready" && sum === 0).map(({ world }) => world));
  const figures = await figuresOf({ ...environment, ...played, judged, folders: disks.all });
  const result = { engine: option.engine, seed: SEED, loops: LOOPS, workers: WORKERS, slots: SLOTS, ...figures, control, problems };
  printResult(result, FAULTS);
  console.log(`again: node scripts/many-machines.mjs --engine ${option.engine} --loops ${LOOPS} --workers ${WORKERS} --slots ${SLOTS} --faults ${FAULTS} --seed ${SEED}`);
  if (option.json) writeFileSync(option.json, `${JSON.stringify(result, undefined, 1)}\n`);
  stop.abort(new Error("the play is over"));
  environment.endQuotas();
  await played.deployment.stop();
  await environment.forge.stop();
  const good = isGood(result);
  if (good && !option.keep) {
    unmountAll();
    rmSync(folder, { recursive: true, force: true });
  } else {
    keepAll();
    console.log(`${good ? "" : "not as it has to be: "}everything is in ${folder}`);
  }
  process.exit(good ? 0 : 1);
}

await main();
