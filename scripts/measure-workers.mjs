// Measures loops on the durable engine: events applied a second, from an event to the effect that it asks for and that one's answer, what a death
// or a standstill costs, how often an effect is run twice, and what idle loops take of memory and disk.
//
//   node scripts/measure-workers.mjs [--parts curve,deaths,server,frozen,twice,idle] [--most 3] [--seconds 10] [--idle 10000] [--json FILE]
//
//   curve   with 1 worker, then 2, up to --most: applies a second by 8 clients, each waiting for its answer, of a reading that shows nothing new
//           and of an event that is recorded; as many chains as there can be, and chains at 150 a second (fewer where it cannot bear them)
//   deaths  how long after a worker's start and the engine's start work goes on: the worst of three, at 20 chains a second
//   server  how long a server takes to be ready, on a new folder and after a kill
//   frozen  one of three workers stands still for 30 s: how long the effects wait that it had
//   twice   chains while workers and the engine are killed: effects that were begun more than once, by the workers' own logs
//   idle    so many loops that wait: memory of all processes, and disk
//
// A chain is: a loop is cancelled, which is an event; its state asks for the effect that removes its worktree, which a worker runs; the answer is
// an event of the loop again. It begins when the event is sent to the ingress and ends when the answer is applied, by the loop's own history. No
// GitHub is in it. States are padded to 20 KB. Everything runs on this machine, this script and its forge too. Needs git, a restate-server
// (`bash scripts/setup.sh --tests`) and a release build with `--features restate`; COLLIE names another binary.

import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { inLanes } from "./in-lanes.mjs";
import { diskOf } from "./many-machines/load.mjs";
import { environment, findCollie, makeSample, memoryOf, OWNER, percentile, startForge, table } from "./on-a-forge.mjs";
import { ask, freePort, start, startBalancer, startEngine, startWorkers, until } from "./on-an-engine.mjs";

const { values: option } = parseArgs({
  options: {
    parts: { type: "string", default: "curve,deaths,server,frozen,twice,idle" },
    most: { type: "string", default: "3" },
    seconds: { type: "string", default: "10" },
    idle: { type: "string", default: "10000" },
    json: { type: "string" },
  },
});
const [MOST, SECONDS, IDLE] = [option.most, option.seconds, option.idle].map(Number);
const CLIENTS = 8;
/** Hands that begin as many chains as there can be. */
const MANY = 48;
/** Chains a second that a latency is wanted of; fewer where more than six tenths of what there can be. */
const WANTED_RATE = 150;
/** Loops that a server shows whose starts are measured. */
const SHOWN = 1_000;
const STATE_BYTES = 20_000;
/** A repository of which no worker has a clone: removing a worktree there starts no git. */
const UNCLONED = "R_uncloned";
/** Nothing is read before then. */
const FAR_MS = 6 * 3_600_000;
/** Nothing polls while it is measured; each effect that begins is a line of the log. */
const CONFIG = 'poll_interval = "15m"\nready_poll_interval = "15m"\nautonomy = "observe"\nno_checks_grace = "1s"\n';
const LOG = { COLLIE_LOG: "warn,collie_host_restate=debug" };

const collie = findCollie();
const agent = new Agent({ keepAlive: true, maxSockets: 512 });

/** Sends a POST; gives the status and what was answered. */
function post(url, body) {
  return new Promise((resolve, reject) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const headers = body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
    const sent = request(url, { method: "POST", agent, headers }, (answer) => {
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("error", reject);
      answer.on("end", () => resolve({ status: answer.statusCode, text: Buffer.concat(parts).toString() }));
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : text);
  });
}

const ms = (value) => (value === undefined ? "none" : `${Math.round(value)} ms`);
const MiB = (kib) => `${Math.round(kib / 1024)} MiB`;

/** An engine with workers behind one address, and a forge with a draft, whose loop is the pattern of all others. */
async function startFleet(count) {
  const folder = mkdtempSync(join(tmpdir(), "collie-measure-workers-"));
  const forge = await startForge(collie, join(folder, "forge"));
  const engine = await startEngine(folder);
  const workers = await startWorkers({ collie, folder, engine, apiUrl: forge.apiUrl, count, config: CONFIG, env: LOG });
  const balancer = await startBalancer(workers.map(({ port }) => port));
  await until("a worker", () => ask(`${engine.admin}/deployments`, { uri: balancer.url, force: true }));
  const fleet = { folder, forge, engine, workers, names: { next: 1_000 } };
  fleet.pattern = await takePattern(fleet);
  fleet.memory = () => Object.fromEntries([["engine", engine], ...workers.map((worker, at) => [`worker ${at + 1}`, worker])].map(([name, { process }]) => [name, memoryOf(process.child.pid).now]));
  fleet.end = async () => {
    for (const { process } of workers) await process.end("SIGKILL");
    await engine.process.end("SIGKILL");
    await forge.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return fleet;
}

const urlOf = (fleet, key, handler, object = "CollieLoop") => `${fleet.engine.ingress}/${object}/${encodeURIComponent(key)}/${handler}`;
/** What happened to a loop, as far as it is kept. */
const askHistory = (fleet, key) => post(urlOf(fleet, key.split("/")[0], "history", "CollieChanges"), { key, after: 0 });
const keyOf = ({ id }) => `${id.host}/${id.repo_id}/${id.number}`;

/** Has a draft's loop begin and be read once: its state is the pattern of all others, its reading the one that shows nothing new. */
async function takePattern({ folder, forge, engine }) {
  await makeSample(join(folder, "sample"), { base: { "README.md": "# Sample\n" }, count: 1, change: () => ({ "part.txt": "1\n" }) });
  await forge.send("POST", "/_forge/import", { body: { repo: `${OWNER}/sample`, path: join(folder, "sample") } });
  await forge.send("POST", `${forge.apiUrl}/repos/${OWNER}/sample/pulls`, { body: { title: "Part 1", head: "change-1", base: "main", draft: true } });
  const { key } = await until("a start", () => ask(`${engine.ingress}/CollieStarts/start`, { pull: `${OWNER}/sample#1` }));
  const { state } = await until("a reading", async () => {
    const seen = await ask(urlOf({ engine }, key, "view"));
    return seen.state.run.polling.last_snapshot.at && Object.keys(seen.state.outbox.effects).length === 0 && seen;
  });
  const history = JSON.parse((await askHistory({ engine }, key)).text);
  const reading = history.map(({ happened }) => happened.applied?.event).find((event) => event?.event === "observed");
  if (!reading) throw new Error("the history has no reading");
  return { state, reading };
}

/** As many loops as are wanted, alike but for their names; each is padded where it is to be as large as one that has had findings. Their keys. */
async function makeLoops({ engine, pattern, names }, count, { bytes = STATE_BYTES, lanes = 16 } = {}) {
  const text = JSON.stringify(pattern.state);
  const first = names.next;
  names.next += count;
  const keys = [];
  await inLanes(lanes, Array.from({ length: count }, (_, at) => first + at), async (number) => {
    const state = JSON.parse(text);
    Object.assign(state.id, { repo_id: UNCLONED, number });
    state.run.id = randomUUID();
    state.run.polling.next_at = Date.now() + FAR_MS;
    state.pull.title += "x".repeat(Math.max(0, bytes - text.length));
    const made = await post(urlOf({ engine }, keyOf(state), "create"), state);
    if (made.status !== 200) throw new Error(`a loop was not made: ${made.status} ${made.text}`);
    keys.push(keyOf(state));
  });
  return keys;
}

const CANCEL = JSON.stringify({ event: "cancel", by: OWNER });

/** Sends a loop its end, again and again where nobody takes it; gives when it was sent first. */
async function cancel(fleet, key) {
  const sent = Date.now();
  for (;;) {
    const answer = await post(urlOf(fleet, key, "apply"), CANCEL).catch(() => undefined);
    if (answer?.status === 200) return sent;
    await wait(50);
  }
}

/** When the answer of a loop's last effect was applied; none where it was not yet. */
async function endOf(fleet, key) {
  const answer = await askHistory(fleet, key).catch(() => undefined);
  if (answer?.status !== 200) return undefined;
  return JSON.parse(answer.text).find(({ happened }) => happened.applied?.event.outcome?.outcome === "cleaned_up")?.at;
}

/** Waits for the ends of chains; `[{ sent, ended, took }]`, in milliseconds. */
async function endsOf(fleet, chains) {
  await inLanes(CLIENTS, chains, async (chain) => {
    chain.ended = await until(`the end of ${chain.key}`, () => endOf(fleet, chain.key), 120);
    chain.took = chain.ended - chain.sent;
  });
  return chains;
}

/** Begins a chain of each loop at a rate, until they are used up or `goesOn` says no; resolves to the chains once all were taken. */
async function chainsAt(fleet, keys, rate, goesOn = () => true) {
  const chains = [];
  const under = [];
  const begun = performance.now();
  for (const [at, key] of keys.entries()) {
    const due = begun + (at * 1_000) / rate;
    if (performance.now() < due) await wait(due - performance.now());
    if (!goesOn()) break;
    const chain = { key, sent: Date.now() };
    chains.push(chain);
    under.push(cancel(fleet, key));
  }
  await Promise.all(under);
  return chains;
}

/** So many clients bring an event to loops, one after the other each, for some seconds. */
async function applies(fleet, keys, events) {
  const took = [];
  const begun = performance.now();
  const end = begun + SECONDS * 1_000;
  await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    for (let at = client; performance.now() < end; at += CLIENTS) {
      const sent = performance.now();
      const answer = await post(urlOf(fleet, keys[at % keys.length], "apply"), events[Math.floor(at / keys.length) % events.length]);
      if (answer.status !== 200) throw new Error(`not applied: ${answer.status} ${answer.text}`);
      took.push(performance.now() - sent);
    }
  }));
  const seconds = (performance.now() - begun) / 1_000;
  return { aSecond: Math.round(took.length / seconds), p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
}

/** Says on standard error how far it is. */
function say(text) {
  console.error(`${(performance.now() / 1_000).toFixed(1)} s: ${text}`);
}

/** How far the feed of changes is behind, by counting until it stands still: seconds. */
async function feedSettles(fleet) {
  const host = fleet.pattern.state.id.host;
  const position = async () => (await ask(urlOf(fleet, host, "since", "CollieChanges"), null)).position;
  const begun = performance.now();
  for (let before = await position(), at = begun; ;) {
    await wait(250);
    const now = await position();
    if (now === before) return (at - begun) / 1_000;
    [before, at] = [now, performance.now()];
  }
}

/** How many chains a second there are where many hands begin one after the other, until the last answer. */
async function chainsAtMost(fleet, count) {
  const keys = await makeLoops(fleet, count);
  const begun = Date.now();
  const chains = [];
  await inLanes(MANY, keys, async (key) => chains.push({ key, sent: await cancel(fleet, key) }));
  await endsOf(fleet, chains);
  return chains.length / ((Math.max(...chains.map(({ ended }) => ended)) - begun) / 1_000);
}

async function curve(count) {
  const fleet = await startFleet(count);
  say(`${count} workers are up`);
  const keys = await makeLoops(fleet, 400);
  say("loops are made");
  const event = (fields) => JSON.stringify(fields);
  const reading = () => event({ ...fleet.pattern.reading, snapshot: { ...fleet.pattern.reading.snapshot, read_at: Date.now() } });
  await applies(fleet, keys, [reading()]);
  const quiet = await applies(fleet, keys, [reading()]);
  const levels = ["push", "observe"].map((level) => event({ event: "autonomy_changed", by: OWNER, level }));
  const recorded = await applies(fleet, keys, levels);
  say(`applied: ${JSON.stringify({ quiet, recorded })}`);
  const behind = await feedSettles(fleet);
  say("the feed is settled");
  const most = await chainsAtMost(fleet, 100 * SECONDS);
  say(`${Math.round(most)} chains a second at most`);
  await feedSettles(fleet);
  const rate = Math.min(WANTED_RATE, Math.floor(most * 0.6));
  const chains = await endsOf(fleet, await chainsAt(fleet, await makeLoops(fleet, rate * SECONDS), rate));
  const took = chains.map((chain) => chain.took);
  const memory = fleet.memory();
  await fleet.end();
  return { workers: count, quiet, recorded, behind, most: Math.round(most), chain: { rate, p50: percentile(took, 0.5), p99: percentile(took, 0.99) }, memory };
}

/** How long work takes to go on after each start: until the first answer is applied, and until all is done that had begun before. */
async function deaths(fleet, what, { kill, begin }, times = 3, downMs = 3_000) {
  const results = [];
  for (let number = 0; number < times; number += 1) {
    let goes = true;
    const keys = await makeLoops(fleet, 20 * (3 + 8 + 4 + downMs / 1_000));
    const going = chainsAt(fleet, keys, 20, () => goes);
    await wait(3_000);
    await kill();
    await wait(downMs);
    const begun = Date.now();
    await begin();
    await wait(8_000);
    goes = false;
    const chains = await endsOf(fleet, await going);
    const first = Math.min(...chains.filter(({ ended }) => ended >= begun).map(({ ended }) => ended)) - begun;
    const last = Math.max(...chains.filter(({ sent }) => sent < begun).map(({ ended }) => ended)) - begun;
    results.push({ first, last });
    say(`${what} died: ${JSON.stringify({ first, last })}`);
  }
  const worst = (name) => Math.max(...results.map((one) => one[name]));
  return { what, times, first: worst("first"), last: worst("last") };
}

/** The server's start to its readiness, with the loops of the fleet. */
async function serverStarts(fleet) {
  const home = join(fleet.folder, "server");
  mkdirSync(home);
  const port = await freePort();
  const env = { ...process.env, ...environment(home, fleet.forge.apiUrl) };
  const begin = () => start(collie, ["serve", "--engine", "restate", "--ingress", fleet.engine.ingress, "--listen", `127.0.0.1:${port}`], { log: join(fleet.folder, "server.log"), env });
  const ready = () => until("the server", async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  const took = [];
  for (let number = 0; number < 6; number += 1) {
    const begun = performance.now();
    const server = begin();
    await ready();
    took.push(performance.now() - begun);
    if (number > 0) await wait(1_000);
    else await wait(5_000);
    await server.end("SIGKILL");
  }
  return { new: took[0], again: Math.max(...took.slice(1)) };
}

async function death() {
  const fleet = await startFleet(1);
  const [worker] = fleet.workers;
  const ofWorker = await deaths(fleet, "a worker", { kill: () => worker.process.end("SIGKILL"), begin: async () => (worker.process = worker.begin()) });
  const ofEngine = await deaths(fleet, "the engine", { kill: () => fleet.engine.process.end("SIGKILL"), begin: fleet.engine.begin });
  const long = await deaths(fleet, "a worker, 30 s down", { kill: () => worker.process.end("SIGKILL"), begin: async () => (worker.process = worker.begin()) }, 1, 30_000);
  await fleet.end();
  return [ofWorker, ofEngine, long];
}

/** The server's start, with so many loops in the engine. */
async function server() {
  const fleet = await startFleet(1);
  await makeLoops(fleet, SHOWN);
  const took = await serverStarts(fleet);
  await fleet.end();
  return took;
}

/** One of three workers stands still while chains go on. */
async function standstill() {
  say("a worker is going to stand still");
  const fleet = await startFleet(3);
  const keys = await makeLoops(fleet, 50 * 50);
  const going = chainsAt(fleet, keys, 50);
  await wait(10_000);
  const { child } = fleet.workers[1].process;
  const frozen = Date.now();
  child.kill("SIGSTOP");
  await wait(30_000);
  child.kill("SIGCONT");
  const thawed = Date.now();
  const chains = await endsOf(fleet, await going);
  const meanwhile = chains.filter(({ sent }) => sent > frozen - 2_000 && sent < thawed);
  const slow = meanwhile.filter(({ took }) => took > 1_000);
  await fleet.end();
  return { chains: meanwhile.length, slow: slow.length, longest: Math.max(...meanwhile.map(({ took }) => took)), p50: percentile(meanwhile.map(({ took }) => took), 0.5) };
}

/** How often each effect was begun, by the logs of all workers. */
function begunEffects(fleet) {
  const counts = new Map();
  for (const { home } of fleet.workers) {
    for (const name of readdirSync(join(home, "logs"))) {
      for (const line of readFileSync(join(home, "logs", name), "utf8").split("\n")) {
        if (!line.includes('"an effect begins"')) continue;
        const { fields } = JSON.parse(line);
        counts.set(fields.effect_id, (counts.get(fields.effect_id) ?? 0) + 1);
      }
    }
  }
  return counts;
}

/** Chains while workers and the engine are killed in turn. */
async function twice() {
  say("workers and the engine are going to be killed");
  const fleet = await startFleet(3);
  const keys = await makeLoops(fleet, 30 * 60);
  let goes = true;
  const going = chainsAt(fleet, keys, 30).finally(() => (goes = false));
  let kills = 0;
  for (; goes; kills += 1) {
    await wait(3_000);
    if (kills % 6 === 5) {
      await fleet.engine.process.end("SIGKILL");
      await fleet.engine.begin();
    } else {
      const worker = fleet.workers[kills % fleet.workers.length];
      await worker.process.end("SIGKILL");
      worker.process = worker.begin();
    }
  }
  const chains = await endsOf(fleet, await going);
  await wait(2_000);
  const answers = [];
  await inLanes(CLIENTS, chains, async ({ key }) => {
    const history = JSON.parse((await askHistory(fleet, key)).text);
    answers.push(history.filter(({ happened }) => happened.applied?.event.outcome?.outcome === "cleaned_up").length);
  });
  const counts = [...begunEffects(fleet).values()];
  await fleet.end();
  return {
    kills, chains: chains.length, effects: counts.length, again: counts.filter((count) => count > 1).length,
    answeredTwice: answers.filter((count) => count > 1).length, p99: percentile(chains.map(({ took }) => took), 0.99),
  };
}

/** Loops that wait: what they take of memory and disk. */
async function idle(count) {
  say("loops are going to idle");
  const fleet = await startFleet(3);
  await wait(3_000);
  const before = { memory: fleet.memory(), disk: await diskOf([join(fleet.folder, "engine")]) };
  await makeLoops(fleet, count, { lanes: 32 });
  await feedSettles(fleet);
  await wait(20_000);
  const after = { memory: fleet.memory(), disk: await diskOf([join(fleet.folder, "engine")]) };
  await fleet.end();
  return { count, before, after };
}

const sum = (memory) => Object.values(memory).reduce((all, one) => all + one, 0);

function report(results) {
  const rows = [["what", "measured", ""]];
  for (const { workers, quiet, recorded, behind, chain, most, memory } of results.curve ?? []) {
    const of = `${workers} worker${workers > 1 ? "s" : ""}: `;
    rows.push([`${of}applies, nothing new`, `${quiet.aSecond} a second`, `p50 ${ms(quiet.p50)}, p99 ${ms(quiet.p99)}`]);
    rows.push([`${of}applies, recorded`, `${recorded.aSecond} a second`, `p50 ${ms(recorded.p50)}, p99 ${ms(recorded.p99)}; the feed was ${behind.toFixed(1)} s behind`]);
    rows.push([`${of}chains at most`, `${most} a second`, `memory ${MiB(sum(memory))}`]);
    rows.push([`${of}chains at ${chain.rate} a second`, `p50 ${ms(chain.p50)}`, `p99 ${ms(chain.p99)}`]);
  }
  for (const { what, times, first, last } of results.deaths ?? []) rows.push([`${what} started again, worst of ${times}`, `first answer after ${ms(first)}`, `all begun before after ${ms(last)}`]);
  if (results.server) rows.push([`the server is ready, ${SHOWN} loops`, `${ms(results.server.new)} on a new folder`, `${ms(results.server.again)} after a kill, worst of 5`]);
  if (results.frozen) rows.push(["a worker frozen for 30 s", `longest chain ${ms(results.frozen.longest)}`, `${results.frozen.slow} of ${results.frozen.chains} above 1 s, p50 ${ms(results.frozen.p50)}`]);
  if (results.twice) rows.push([`${results.twice.kills} kills in ${results.twice.chains} chains`, `${results.twice.again} of ${results.twice.effects} effects begun again`, `${results.twice.answeredTwice} answers applied twice, p99 ${ms(results.twice.p99)}`]);
  if (results.idle) {
    const { count, before, after } = results.idle;
    for (const [name, now] of Object.entries(after.memory)) rows.push([`${count} idle loops: ${name}`, MiB(now), `${MiB(before.memory[name])} without`]);
    rows.push([`${count} idle loops: all processes`, MiB(sum(after.memory)), `${MiB(sum(before.memory))} without`]);
    rows.push([`${count} idle loops: disk of the engine`, `${after.disk} MiB`, `${(((after.disk - before.disk) * 1024) / count).toFixed(1)} KiB a loop`]);
  }
  table(rows);
}

const PARTS = {
  curve: async () => {
    const all = [];
    for (let count = 1; count <= MOST; count += 1) all.push(await curve(count));
    return all;
  },
  deaths: death, server, frozen: standstill, twice, idle: () => idle(IDLE),
};

async function main() {
  const parts = option.parts.split(",");
  const unknown = parts.find((part) => !PARTS[part]);
  if (unknown) throw new Error(`there is no part ${unknown}: there are ${Object.keys(PARTS).join(", ")}`);
  const results = { machine: `${cpus().length} × ${cpus()[0].model}` };
  console.log(results.machine);
  for (const part of parts) {
    results[part] = await PARTS[part]();
    report({ [part]: results[part] });
    if (option.json) writeFileSync(option.json, `${JSON.stringify(results)}\n`);
  }
  process.exit(0);
}

await main();
