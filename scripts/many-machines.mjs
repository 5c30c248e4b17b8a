// Plays many loops on the durable engine with several workers, while workers, the engine and the connections between them break, and reads from
// the forge alone what came of it: nothing said or pushed twice, nothing merged, every run ended.
//
//   node scripts/many-machines.mjs [--loops 60] [--workers 3] [--faults 20] [--seed N] [--within SECONDS] [--json FILE]
//
// One machine plays all of them: a forge, the engine (restate-server, which `bash scripts/setup.sh --tests` brings into tests/restate, or the one
// that COLLIE_RESTATE_SERVER names), workers with data folders of their own behind one address that divides connections, and whoever breaks things:
// kill -9 of a worker or of the engine, a worker frozen past every deadline and thawed, a cut network between engine and workers. Every second pull
// request has a fault that is fixed and pushed. Needs git and a `collie` built with `--features restate`; COLLIE names another than that in target/.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { faultyPart, findCollie, makeSample, memoryOf, OWNER, startForge, table } from "./on-a-forge.mjs";
import { ask, startBalancer, startEngine, startWorkers, until } from "./on-an-engine.mjs";

const { values: option } = parseArgs({
  options: {
    loops: { type: "string", default: "60" },
    workers: { type: "string", default: "3" },
    faults: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now()) },
    within: { type: "string", default: "1800" },
    json: { type: "string" },
  },
});
const [LOOPS, WORKERS, FAULTS, SEED, WITHIN] = [option.loops, option.workers, option.faults, option.seed, option.within].map(Number);
/** Who wrote the pull requests; what else is in them is pushed by Collie. */
const AUTHOR = "Ana";
const PULLS_OF_A_REPOSITORY = 20;
/** Past what the engine and Collie wait for before they take a worker for dead. */
const FREEZE_MS = 20_000;
const ENDED = new Set(["pr_ready_to_merge", "needs_human", "failed", "cancelled", "merged", "closed"]);

const folder = mkdtempSync(join(tmpdir(), "collie-many-"));
const collie = findCollie("debug", "release");
/** Numbers from 0 to 1 by a seed (mulberry32). */
function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A repository with so many branches, every second with a fault; imported, with a pull request of each. */
async function makeRepository(forge, name, count) {
  const source = join(folder, name);
  const base = { ".forge.toml": '[[check]]\nname = "test"\nrun = "true"\ntimeout = "60s"\n' };
  await makeSample(source, { author: AUTHOR, base, count, change: faultyPart });
  const imported = await forge.send("POST", "/_forge/import", { body: { repo: `${OWNER}/${name}`, path: source } });
  if (!imported.ok) throw new Error(`import: ${imported.status} ${await imported.text()}`);
  for (let number = 1; number <= count; number += 1) {
    const body = { title: `Part ${number}`, head: `change-${number}`, base: "main" };
    const opened = await forge.send("POST", `${forge.apiUrl}/repos/${OWNER}/${name}/pulls`, { body });
    if (!opened.ok) throw new Error(`open: ${opened.status} ${await opened.text()}`);
  }
}

/** Breaks things one after the other, as the dice say; how often each was broken. */
async function breakThings(chance, { engine, workers, balancer }, goesOn) {
  const counts = { "worker killed": 0, "engine killed": 0, "worker frozen and thawed": 0, "network cut": 0 };
  const thawing = [];
  for (let number = 0; number < FAULTS && goesOn(); number += 1) {
    await wait(500 + chance() * 2_500);
    const worker = workers[Math.floor(chance() * workers.length)];
    const kind = chance();
    if (kind < 0.4) {
      counts["worker killed"] += 1;
      await worker.process.end("SIGKILL");
      worker.process = worker.begin();
    } else if (kind < 0.6) {
      counts["engine killed"] += 1;
      await engine.process.end("SIGKILL");
      await engine.begin();
    } else if (kind < 0.85) {
      counts["worker frozen and thawed"] += 1;
      const { child } = worker.process;
      child.kill("SIGSTOP");
      thawing.push(wait(FREEZE_MS).then(() => child.kill("SIGCONT")));
    } else {
      counts["network cut"] += 1;
      await balancer.cutFor(3_000);
    }
  }
  await Promise.all(thawing);
  return counts;
}

/** What the forge has of a pull request: what was said twice, pushed twice, merged. */
async function judge(forge, repo, number) {
  const list = async (path) => forge.all(`/repos/${repo}/${path}`);
  const said = (await Promise.all(["comments", "reviews"].map((what) => list(`pulls/${number}/${what}`)))).flat().concat(await list(`issues/${number}/comments`));
  const tokens = said.filter(({ user, body }) => user.login === OWNER && body).map(({ body }) => body.match(/<!-- collie-action:([^>]*)-->/)?.[1]);
  const commits = (await list(`pulls/${number}/commits`)).filter(({ commit }) => commit.author.name !== AUTHOR);
  const trees = commits.map(({ commit }) => commit.tree.sha);
  const pull = await forge.json(`${forge.apiUrl}/repos/${repo}/pulls/${number}`);
  return {
    posts: tokens.length, twice: tokens.length - new Set(tokens).size, commits: commits.length, pushedTwice: trees.length - new Set(trees).size,
    merged: pull.merged ? 1 : 0, unfixed: number % 2 && commits.length === 0 ? 1 : 0,
  };
}

async function main() {
  const chance = dice(SEED);
  const forge = await startForge(collie, join(folder, "forge"));
  const pulls = [];
  for (let repository = 0; pulls.length < LOOPS; repository += 1) {
    const count = Math.min(PULLS_OF_A_REPOSITORY, LOOPS - pulls.length);
    await makeRepository(forge, `sample-${repository}`, count);
    for (let number = 1; number <= count; number += 1) pulls.push([`${OWNER}/sample-${repository}`, number]);
  }
  const engine = await startEngine(folder);
  const config = 'poll_interval = "1s"\nno_checks_grace = "1s"\nautonomy = "push"\n';
  const workers = await startWorkers({ collie, folder, engine, apiUrl: forge.apiUrl, count: WORKERS, config, args: ["--fleet-slots", String(2 * WORKERS)] });
  const balancer = await startBalancer(workers.map(({ port }) => port));
  await until("a worker", () => ask(`${engine.admin}/deployments`, { uri: balancer.url, force: true }));

  const begun = performance.now();
  const breaking = breakThings(chance, { engine, workers, balancer }, () => performance.now() - begun < WITHIN * 1_000);
  const keys = [];
  for (const [repo, number] of pulls) {
    const { key } = await until("a start", () => ask(`${engine.ingress}/CollieStarts/start`, { pull: `${repo}#${number}` }), WITHIN);
    keys.push(key);
  }
  const open = new Map(keys.map((key, index) => [key, pulls[index]]));
  const ends = new Map();
  const view = (key) => ask(`${engine.ingress}/CollieLoop/${encodeURIComponent(key)}/view`);
  let memory = 0;
  while (open.size > 0 && performance.now() - begun < WITHIN * 1_000) {
    for (const key of [...open.keys()]) {
      const state = (await view(key).catch(() => undefined))?.state;
      if (!state || !ENDED.has(state.run.state) || Object.keys(state.outbox.effects).length > 0) continue;
      ends.set(state.run.state, (ends.get(state.run.state) ?? 0) + 1);
      open.delete(key);
    }
    const processes = [engine.process, ...workers.map(({ process }) => process)];
    memory = Math.max(memory, processes.reduce((sum, { child }) => sum + (memoryOf(child.pid)?.now ?? 0), 0));
    await wait(500);
  }
  const took = (performance.now() - begun) / 1_000;
  const faults = await breaking;
  // What a thawed worker still had to say, it says now.
  await wait(faults["worker frozen and thawed"] > 0 ? 8_000 : 1_000);

  const sums = { posts: 0, twice: 0, commits: 0, pushedTwice: 0, merged: 0, unfixed: 0 };
  for (const [repo, number] of pulls) {
    const one = await judge(forge, repo, number);
    for (const name of Object.keys(sums)) sums[name] += one[name];
    if (one.twice || one.pushedTwice || one.merged) console.log(`${repo}#${number}: ${JSON.stringify(one)}`);
  }
  const result = { seed: SEED, loops: LOOPS, workers: WORKERS, faults, seconds: Math.round(took), ends: Object.fromEntries(ends), unended: open.size, memoryMiB: Math.round(memory / 1024), ...sums };
  table([
    ["what", "count"], ...Object.entries(faults), ["loops", LOOPS], ...[...ends].map(([end, count]) => [`ended ${end}`, count]), ["not ended", open.size],
    ["posts", sums.posts], ["said twice", sums.twice], ["commits pushed", sums.commits], ["pushed twice", sums.pushedTwice], ["merged", sums.merged], ["faults left", sums.unfixed],
    ["seconds", Math.round(took)], ["memory of engine and workers, MiB", result.memoryMiB],
  ]);
  console.log(`again: node scripts/many-machines.mjs --loops ${LOOPS} --workers ${WORKERS} --faults ${FAULTS} --seed ${SEED}`);
  if (option.json) writeFileSync(option.json, `${JSON.stringify(result)}\n`);
  for (const { process } of workers) await process.end("SIGTERM");
  await engine.process.end("SIGKILL");
  await forge.stop();
  const good = open.size === 0 && sums.twice + sums.pushedTwice + sums.merged + sums.unfixed === 0 && ends.size === 1 && ends.has("pr_ready_to_merge");
  if (good) rmSync(folder, { recursive: true, force: true });
  else console.log(`not as it has to be: logs are in ${folder}`);
  process.exit(good ? 0 : 1);
}

await main();
