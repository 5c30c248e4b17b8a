// Measures the desktop app: how soon the window can be used, how much memory all its processes take, what updates cost the
// page, and how large the package is. The bars are in docs/measurements.md.
//
//   node scripts/measure-desktop.mjs [--app PATH] [--bridge PATH] [--package FILE.deb] [--starts N] [--loops N]
//                                    [--idle SECONDS] [--only start,memory,updates,package] [--env NAME=VALUE]… [--json]
//
// The app runs on a display of its own without a screen (Xvfb) and a message bus of its own; updates are counted at the
// bridge, which sends the same batches, and frames in Chromium on the bridge's page. The loops are pull requests on a local
// forge, every second with a fault that is fixed and pushed. Needs Linux, git, Xvfb, dbus-daemon, Chromium, and what is
// measured: by default target/release/collie-desktop, target/debug/collie-bridge, and the newest package of `npm run bundle`.

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { faultyPart, findCollie, makeSample, OWNER, run, startForge, table } from "./on-a-forge.mjs";

const tree = join(dirname(fileURLToPath(import.meta.url)), "..");
const target = process.env.CARGO_TARGET_DIR ?? join(tree, "target");
const { values: option } = parseArgs({
  options: {
    app: { type: "string", default: join(target, "release/collie-desktop") },
    bridge: { type: "string", default: join(target, "debug/collie-bridge") },
    package: { type: "string" },
    starts: { type: "string", default: "10" },
    loops: { type: "string", default: "50" },
    idle: { type: "string", default: "10" },
    only: { type: "string", default: "start,memory,updates,package" },
    env: { type: "string", multiple: true, default: [] },
    json: { type: "boolean", default: false },
    chromium: { type: "string", default: process.env.COLLIE_CHROMIUM ?? "/usr/bin/chromium" },
  },
});
const parts = new Set(option.only.split(","));
const loops = Number(option.loops);
const collie = findCollie();
const folder = mkdtempSync(join(tmpdir(), "collie-desktop-"));
const repo = `${OWNER}/sample`;

/** A gap between two frames that a person can see: two frames of a 60 Hz screen. */
const LONG_FRAME_MS = 34;
/** How long anything may take before it counts as broken. */
const PATIENCE_MS = 600_000;
/** How a loop may come to rest. */
const ENDED = new Set(["pr_ready_to_merge", "pr_failed", "pr_cancelled", "pr_merged", "pr_closed"]);

/** What ends the programs that still run, should this one end before them. */
const running = new Set();
process.on("exit", () => running.forEach((end) => end()));
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

/** Milliseconds since 1970, finer than `Date.now()`. */
const now = () => performance.timeOrigin + performance.now();
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)];
const mib = (kib) => `${(kib / 1024).toFixed(0)} MiB`;
const say = (text) => option.json || console.log(text);

/** Asks until there is an answer. */
async function until(what, ask, every = 50) {
  const deadline = now() + PATIENCE_MS;
  while (now() < deadline) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await wait(every);
  }
  throw new Error(`waited ${PATIENCE_MS / 1000} s in vain for ${what}`);
}

/** Starts a program that ends with this one; gives it, and its status once it has ended. */
function start(program, args, options) {
  const child = spawn(program, args, options);
  const end = () => child.kill("SIGTERM");
  running.add(end);
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      running.delete(end);
      resolve(code ?? signal);
    });
  });
  const stop = () => (end(), ended);
  return { child, ended, stop };
}

/** Starts a forge that ends with this program. */
async function forgeAt(root) {
  const forge = await startForge(collie, root);
  running.add(forge.stop);
  const stop = () => (running.delete(forge.stop), forge.stop());
  return { ...forge, stop };
}

/** Starts a program; its first line of output is what it says about itself. */
async function startSaying(program, args, options = {}) {
  const { child, ended, stop } = start(program, args, { stdio: ["ignore", "pipe", "ignore"], ...options });
  const said = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    ended.then((status) => reject(new Error(`${program} ended with ${status} before it said anything`)), reject);
  });
  return { said, stop };
}

/** The environment of everything that is measured: nobody's own settings, account or caches. */
function environment(home) {
  const own = join(folder, "person");
  const runtime = join(own, "runtime");
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  const { GITHUB_TOKEN, GH_TOKEN, GITHUB_API_URL, WAYLAND_DISPLAY, COLLIE_LOG, ...rest } = process.env;
  return {
    ...rest, ...Object.fromEntries(option.env.map((pair) => pair.split(/=(.*)/s, 2))),
    HOME: own, XDG_RUNTIME_DIR: runtime, XDG_CONFIG_HOME: join(own, "config"), XDG_DATA_HOME: join(own, "data"),
    XDG_CACHE_HOME: join(own, "cache"), GH_CONFIG_DIR: join(own, "gh"), LANG: "C.UTF-8", COLLIE_HOME: home,
  };
}

/** Every process that descends from one, that one first; by what Linux says now. */
function family(pid) {
  const parents = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    const stat = readOr(`/proc/${name}/stat`);
    // The name is in brackets and may hold anything; the parent is the second field after it.
    return stat ? [[Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])]] : [];
  });
  const found = [pid];
  for (const one of found) found.push(...parents.filter(([, parent]) => parent === one).map(([child]) => child));
  return found;
}

function readOr(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Memory in KiB of a program and all that it started, by process: `rss`, and `pss`, which shares out what is shared. */
function memory(pid) {
  const processes = family(pid).flatMap((id) => {
    const rollup = readOr(`/proc/${id}/smaps_rollup`);
    const field = (name) => Number(rollup.match(new RegExp(`^${name}:\\s+(\\d+) kB`, "m"))?.[1] ?? 0);
    return rollup ? [{ name: readOr(`/proc/${id}/comm`)?.trim() ?? "?", rss: field("Rss"), pss: field("Pss") }] : [];
  });
  const sum = (of) => processes.reduce((all, process) => all + process[of], 0);
  return { rss: sum("rss"), pss: sum("pss"), processes };
}

/** The times at which the app noted that its window can be used, with what the page itself measured. */
function usable(home) {
  const logs = join(home, "logs");
  if (!existsSync(logs)) return [];
  const lines = readdirSync(logs).flatMap((name) => readFileSync(join(logs, name), "utf8").split("\n"));
  return lines.filter((line) => line.includes('"the window can be used"')).map((line) => {
    const { timestamp, fields } = JSON.parse(line);
    // Node keeps milliseconds of a date; the rest is added.
    const rest = Number(`0.${timestamp.match(/\.\d{3}(\d*)/)?.[1] || 0}`);
    return { at: Date.parse(timestamp) + rest, page: fields.after_ms };
  });
}

/** Opens the app and waits until its window can be used; says how many milliseconds both took. */
async function open(home, more = {}, args = []) {
  const before = usable(home).length;
  const from = now();
  const { child, ended, stop } = start(option.app, args, {
    env: { ...environment(home), ...display.env, ...more }, stdio: ["ignore", "ignore", "pipe"],
  });
  const said = [];
  createInterface({ input: child.stderr }).on("line", (line) => said.push(line));
  let status;
  ended.then((code) => (status = code), (error) => (status = error));
  const told = await until("the window", () => {
    if (status !== undefined) throw new Error(`${option.app} ended with ${status}: ${said.join("\n")}`);
    return usable(home)[before];
  }, 20);
  return { pid: child.pid, took: told.at - from, page: told.page, close: stop };
}

/** Opens the app again and again. */
async function starts(name, home, more) {
  const took = [];
  const page = [];
  for (let start = 0; start < Number(option.starts); start += 1) {
    const app = await open(home, more);
    took.push(app.took);
    page.push(app.page);
    await app.close();
  }
  const all = { name, median: median(took), least: Math.min(...took), most: Math.max(...took), page: median(page) };
  say(`start, ${name}: ${Object.entries(all).slice(1).map(([key, ms]) => `${key} ${ms.toFixed(0)} ms`).join(", ")}`);
  return all;
}

/** What an idle app takes, by process. */
async function idle(name, pid) {
  await wait(Number(option.idle) * 1000);
  const all = { name, ...memory(pid) };
  say(`memory, ${name}: RSS ${mib(all.rss)}, PSS ${mib(all.pss)}`);
  for (const process of all.processes) say(`  ${process.name}: RSS ${mib(process.rss)}, PSS ${mib(process.pss)}`);
  return all;
}

/** A forge's folder with a repository and as many pull requests as there are loops. */
async function makeForge() {
  const [source, root] = [join(folder, "sample"), join(folder, "forge")];
  const base = { ".forge.toml": '[[check]]\nname = "test"\nrun = "true"\ntimeout = "60s"\n' };
  await makeSample(source, { author: "Ana", base, count: loops, change: faultyPart });
  await run(collie, ["forge", "import", "--root", root, "--repo", repo, "--git", source]);
  for (let number = 1; number <= loops; number += 1) {
    const pull = ["--base", "main", "--head", `change-${number}`, "--title", `Part ${number}`, "--author", "ana"];
    await run(collie, ["forge", "open-pr", "--root", root, "--repo", repo, ...pull]);
  }
  return root;
}

/** A data folder of somebody who is signed in on a forge and lets Collie take every pull request. */
function makeHome(name, apiUrl) {
  const home = join(folder, name);
  mkdirSync(home);
  const config = [
    `github_api_url = "${apiUrl}"`, 'poll_interval = "1s"', 'no_checks_grace = "1s"', 'external_bot_timeout = "1s"',
    `allowed_users = ["${OWNER}"]`, "[[repositories]]", `name = "${repo}"`, "auto_pr_review_enabled = true",
  ];
  writeFileSync(join(home, "config.toml"), `${config.join("\n")}\n`);
  writeFileSync(join(home, "desktop.json"), '{"way":"found"}');
  return home;
}

const SIGNED_IN = { GITHUB_TOKEN: `forge-${OWNER}` };

/** Waits until every loop has come to an end; says how they ended. */
async function allEnded(home, look = () => {}) {
  return until("the end of all loops", async () => {
    look();
    const lines = (await run(collie, ["status", "--json", "--home", home])).split("\n").filter(Boolean);
    const states = lines.map((line) => JSON.parse(line).state);
    if (states.length < loops || !states.every((state) => ENDED.has(state))) return undefined;
    return Object.fromEntries([...new Set(states)].map((state) => [state, states.filter((one) => one === state).length]));
  }, 1000);
}

/** Counts what the bridge streams: batches, updates, and bytes of their JSON. */
function countStream(url) {
  const count = { batches: 0, updates: 0, bytes: 0 };
  const stop = new AbortController();
  const reading = (async () => {
    // The secret stands in the page's address, and is asked for here as well.
    const answer = await fetch(new URL(`events${new URL(url).search}`, url), { signal: stop.signal });
    for await (const line of createInterface({ input: Readable.fromWeb(answer.body) })) {
      if (!line.startsWith("data:")) continue;
      const json = line.slice("data:".length).trim();
      count.batches += 1;
      count.updates += JSON.parse(json).length;
      count.bytes += Buffer.byteLength(json);
    }
  })().catch((error) => {
    if (!stop.signal.aborted) throw error;
  });
  return { count, stop: () => (stop.abort(), reading) };
}

/** Begins to note the gaps between frames in a page; gives them, and begins anew, at each later call. */
function frames() {
  const seen = window.gaps;
  window.gaps = [];
  if (seen) return seen;
  let last = performance.now();
  const next = (time) => {
    window.gaps.push(time - last);
    last = time;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
  return [];
}

function dropped(gaps) {
  const long = gaps.filter((gap) => gap > LONG_FRAME_MS);
  return { seconds: gaps.reduce((all, gap) => all + gap, 0) / 1000, frames: gaps.length, long: long.length, longest: Math.max(0, ...gaps) };
}

/** Lets all loops run behind the bridge, with its page in Chromium, and then rest; counts both times. */
async function updates(root) {
  const forge = await forgeAt(root);
  const home = makeHome("bridge", forge.apiUrl);
  const bridge = await startSaying(option.bridge, ["--dist", join(tree, "ui/dist")], { env: { ...environment(home), ...SIGNED_IN } });
  const { url } = JSON.parse(bridge.said);
  const browser = await chromium.launch({ executablePath: option.chromium, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(url);
    const stream = countStream(url);
    await page.evaluate(frames);
    const from = now();
    const ends = await allEnded(home);
    const seconds = (now() - from) / 1000;
    const busy = dropped(await page.evaluate(frames));
    const count = { ...stream.count };
    await wait(Number(option.idle) * 1000);
    const rest = dropped(await page.evaluate(frames));
    await stream.stop();
    const each = { perUpdate: count.bytes / count.updates, perBatch: count.bytes / count.batches };
    say(`updates: ${JSON.stringify(ends)} in ${seconds.toFixed(0)} s; ${count.updates} updates in ${count.batches} batches, ${count.bytes} bytes:`);
    say(`  ${each.perUpdate.toFixed(0)} bytes an update, ${each.perBatch.toFixed(0)} a batch`);
    for (const [when, of] of Object.entries({ changing: busy, resting: rest })) {
      say(`  frames, ${when}: ${of.long} of ${of.frames} later than ${LONG_FRAME_MS} ms, the longest ${of.longest.toFixed(0)} ms, in ${of.seconds.toFixed(0)} s`);
    }
    return { ends, seconds, ...count, ...each, changing: busy, resting: rest };
  } finally {
    await browser.close();
    await bridge.stop();
    await forge.stop();
  }
}

/** Lets all loops run in the window and then rest; measures its memory, and the start on what is there now. */
async function withLoops(root) {
  const forge = await forgeAt(root);
  const home = makeHome("loops", forge.apiUrl);
  const found = { memory: [], start: [] };
  try {
    let app = await open(home, SIGNED_IN);
    const peak = { rss: 0, pss: 0 };
    await allEnded(home, () => {
      const { rss, pss } = memory(app.pid);
      Object.assign(peak, { rss: Math.max(peak.rss, rss), pss: Math.max(peak.pss, pss) });
    });
    say(`memory, ${loops} loops at work, highest (with the git processes of the moment): RSS ${mib(peak.rss)}, PSS ${mib(peak.pss)}`);
    found.memory.push({ name: "at work", ...peak }, await idle(`${loops} loops, after their work`, app.pid));
    await app.close();
    app = await open(home, SIGNED_IN);
    found.memory.push(await idle(`${loops} loops, after a new start`, app.pid));
    await app.close();
    if (parts.has("start")) found.start.push(await starts(`${loops} loops`, home, SIGNED_IN));
  } finally {
    await forge.stop();
  }
  return found;
}

/** Starts and memory without an account, and with an open demo. */
async function withoutAccount(found) {
  const [nobody, demo] = [join(folder, "nobody"), join(folder, "demo")];
  await (await open(nobody)).close();
  const first = await open(demo, {}, ["--demo"]);
  await until("the demo", () => (readOr(join(demo, "desktop.json"))?.includes('"demo"') ? true : undefined));
  await first.close();
  for (const [name, home] of [["no account", nobody], ["an open demo", demo]]) {
    if (parts.has("start")) found.start.push(await starts(name, home));
    if (!parts.has("memory")) continue;
    const app = await open(home);
    found.memory.push(await idle(name, app.pid));
    await app.close();
  }
}

/** The package's size in bytes. */
function packageSize() {
  const built = join(target, "release/bundle/deb");
  const newest = () => readdirSync(built).filter((name) => name.endsWith(".deb")).map((name) => join(built, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
  const file = option.package ?? (existsSync(built) ? newest() : undefined);
  if (!file) throw new Error(`there is no package in ${built}: run \`npm run bundle\`, or name one with --package`);
  const bytes = statSync(file).size;
  say(`package: ${(bytes / 1e6).toFixed(1)} MB`);
  return bytes;
}

/** A display without a screen and a message bus, for all windows. */
async function beginDisplay() {
  const server = await startSaying("Xvfb", ["-displayfd", "1", "-screen", "0", "1440x900x24", "-nolisten", "tcp"]);
  const bus = await startSaying("dbus-daemon", ["--session", "--nofork", "--print-address=1"], { env: environment(folder) });
  const env = { DISPLAY: `:${server.said}`, DBUS_SESSION_BUS_ADDRESS: bus.said };
  return { env, end: async () => (await bus.stop(), await server.stop()) };
}

const load = () => loadavg().map((one) => one.toFixed(2)).join(" ");
const found = { processors: availableParallelism(), load: { before: load() }, start: [], memory: [] };
say(`${found.processors} processors, load ${found.load.before}`);
const display = await beginDisplay();
try {
  if (parts.has("package")) found.package = packageSize();
  if (parts.has("start") || parts.has("memory")) await withoutAccount(found);
  if (parts.has("updates") || parts.has("memory")) {
    const root = await makeForge();
    cpSync(root, join(folder, "forge-2"), { recursive: true });
    if (parts.has("updates")) found.updates = await updates(root);
    if (parts.has("memory")) {
      const more = await withLoops(join(folder, "forge-2"));
      found.start.push(...more.start);
      found.memory.push(...more.memory);
    }
  }
} finally {
  await display.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
found.load.after = load();
if (option.json) console.log(JSON.stringify(found, null, 2));
else {
  console.log(`load ${found.load.after}\n`);
  if (found.start.length) {
    table([["start", "median", "least", "most", "of it in the page"], ...found.start.map((one) => [one.name, ...[one.median, one.least, one.most, one.page].map((ms) => `${ms.toFixed(0)} ms`)])]);
  }
  if (found.memory.length) table([["memory", "RSS", "PSS"], ...found.memory.map((one) => [one.name, mib(one.rss), mib(one.pss)])]);
}
