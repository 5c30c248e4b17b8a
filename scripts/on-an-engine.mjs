// What the scripts share that play and measure loops on the durable engine: starting the engine, workers behind one address, and what kills them.

import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { createServer, connect } from "node:net";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { environment } from "./on-a-forge.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const children = new Set();
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")));
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

/** Starts a program that dies with this one; its output is added to the file `log`. `end` sends a signal and waits for the end, `ended` waits alone. */
export function start(program, args, { log, env = process.env }) {
  const out = openSync(log, "a");
  const child = spawn(program, args, { env, stdio: ["ignore", out, out] });
  closeSync(out);
  children.add(child);
  const ended = new Promise((resolve) => child.once("close", resolve));
  ended.then(() => children.delete(child));
  const end = async (signal) => {
    child.kill(signal);
    await ended;
  };
  return { child, end, ended };
}

/** A port of loopback that nobody listens on. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Looks until something is found; what fails meanwhile is the cause of the error that ends it. */
export async function until(what, look, seconds = 60) {
  const end = performance.now() + seconds * 1_000;
  for (;;) {
    let last;
    const found = await look().catch((error) => (last = error, undefined));
    if (found) return found;
    if (performance.now() > end) throw new Error(`waited ${seconds} s in vain for ${what}`, { cause: last });
    await wait(200);
  }
}

/** Sends a POST that has to be granted; gives what was answered. */
export async function ask(url, body) {
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(url, { ...(body === undefined ? { method: "POST" } : post), signal: AbortSignal.timeout(30_000) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  const text = await answer.text();
  return text === "" ? null : JSON.parse(text);
}

/** The settings of the engine that are shipped. */
const SETTINGS = join(root, "packaging/many-machines/restate.toml");

/** The engine in a folder: `process` is what runs, `begin` starts it again on what is on its disk. */
export async function startEngine(folder) {
  const machine = { x64: "x64", arm64: "arm64" }[arch()];
  const shipped = join(root, `tests/restate/node_modules/@restatedev/restate-server-${platform()}-${machine}/bin/restate-server`);
  const program = process.env.COLLIE_RESTATE_SERVER ?? shipped;
  if (!existsSync(program)) throw new Error("there is no restate-server: run `bash scripts/setup.sh --tests`, or name one in COLLIE_RESTATE_SERVER");
  const [ingress, admin, fabric] = [await freePort(), await freePort(), await freePort()];
  const ports = { RESTATE_INGRESS__BIND_PORT: ingress, RESTATE_ADMIN__BIND_PORT: admin, RESTATE_BIND_PORT: fabric };
  // One that is killed leaves there what it has spilled.
  const scratch = join(folder, "engine-tmp");
  mkdirSync(scratch);
  const env = { ...process.env, ...ports, RESTATE_BASE_DIR: join(folder, "engine"), TMPDIR: scratch };
  const engine = { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` };
  engine.begin = async () => {
    engine.process = start(program, ["--no-logo", "-c", SETTINGS], { log: join(folder, "engine.log"), env });
    const healthy = async () => (await fetch(`${engine.admin}/health`)).ok && (await fetch(`${engine.ingress}/restate/health`)).ok;
    await until("the engine", healthy);
  };
  await engine.begin();
  return engine;
}

/** One address for all workers: each connection goes to the next, and all can be cut. */
export async function startBalancer(ports) {
  const open = new Set();
  let next = 0;
  let cut = false;
  const server = createServer((from) => {
    if (cut) return from.destroy();
    const to = connect(ports[next++ % ports.length], "127.0.0.1");
    for (const [one, other] of [[from, to], [to, from]]) {
      one.setNoDelay(true);
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
      one.pipe(other);
    }
    open.add(from);
    from.on("close", () => open.delete(from));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cutFor = async (ms) => {
    cut = true;
    for (const socket of open) socket.destroy();
    await wait(ms);
    cut = false;
  };
  return { url: `http://127.0.0.1:${server.address().port}`, cutFor };
}

const startOnce = (name, home, begin) => ({ process: begin() });

/**
 * Workers with data folders of their own (`home`) below `folder`: `process` is what runs, `begin` starts one again. `keep` starts each by its name and data
 * folder where it is to be kept running.
 */
export async function startWorkers({ collie, folder, engine, apiUrl, count, config, args = [], env = {}, keep = startOnce }) {
  const workers = [];
  for (let number = 0; number < count; number += 1) {
    const home = join(folder, `worker-${number}`);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "config.toml"), config);
    const port = await freePort();
    const begin = () => start(collie, ["worker", "--ingress", engine.ingress, "--listen", `127.0.0.1:${port}`, ...args], {
      log: join(folder, `worker-${number}.log`), env: { ...process.env, ...environment(home, apiUrl), ...env },
    });
    workers.push(Object.assign(keep(`worker-${number}`, home, begin), { home, port, begin }));
  }
  return workers;
}
