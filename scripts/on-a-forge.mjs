// What the scripts that try and measure Collie on a local forge share: starting both, and following what they say.

import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const runFile = promisify(execFile);

/** The `collie` to use: what COLLIE names, else the release build, else the debug build; with a kind, only that build. */
export function findCollie(...kinds) {
  const named = process.env.COLLIE;
  const built = (kinds.length > 0 ? kinds : ["release", "debug"]).map((kind) => join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), kind, "collie"));
  const found = [named, ...built].find((path) => path && existsSync(path));
  if (!found) throw new Error("there is no collie: run `cargo build --release -p collie-cli`, or name one in COLLIE");
  return found;
}

/** Runs a program to its end; resolves to its output, or fails with all that it said. */
export async function run(program, args, options = {}) {
  const { stdout } = await runFile(program, args, { maxBuffer: 1 << 28, ...options });
  return stdout;
}

/** Splits a stream into lines. */
function eachLine(stream, onLine) {
  createInterface({ input: stream, crlfDelay: Infinity }).on("line", onLine);
}

/** Waits for a child to end, at most so many milliseconds; then it is killed, and the status is null. */
function ending(child, within) {
  return new Promise((resolve) => {
    const timer = within && setTimeout(() => child.kill("SIGKILL"), within);
    child.on("close", (status) => {
      clearTimeout(timer);
      resolve(status);
    });
  });
}

/** What numbers, by name and however deep, have grown by; those that have not are left out. */
function less(now, before = {}) {
  const grown = Object.entries(now).map(([name, value]) => {
    const was = before[name];
    return [name, typeof value === "object" ? less(value, was) : value - (was ?? 0)];
  });
  return Object.fromEntries(grown.filter(([, value]) => value !== 0));
}

/** Starts a forge on a folder. What it runs as checks has the environment, where that names what checks get. */
export async function startForge(collie, folder, { env = process.env } = {}) {
  const child = spawn(collie, ["forge", "serve", "--root", folder, "--json"], { env, stdio: ["ignore", "pipe", "pipe"] });
  const said = [];
  eachLine(child.stderr, (line) => said.push(line));
  const ended = ending(child);
  const urls = await new Promise((resolve, reject) => {
    eachLine(child.stdout, (line) => resolve(JSON.parse(line)));
    ended.then((status) => reject(new Error(`the forge ended with ${status}: ${said.join("\n")}`)));
  });
  const origin = new URL(urls.api_url).origin;
  const send = (method, path, { login = OWNER, body, headers = {}, redirect = "follow" } = {}) => fetch(path.startsWith("http") ? path : origin + path, {
    method,
    headers: {
      authorization: `Bearer forge-${login}`, "x-forge-secret": urls.secret, accept: "application/vnd.github+json",
      ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    redirect,
  });
  const ask = async (path, method = "GET", options = {}) => {
    const answer = await send(method, path, options);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  // Resetting the forge's own count would lose what comes in between the two requests.
  let asked = {};
  return {
    apiUrl: urls.api_url,
    gitUrl: urls.git_url,
    said,
    /** Sends a request as somebody, whatever the answer is. */
    send,
    json: async (path) => (await ask(path)).json(),
    /** Every item of a paged list. */
    all: async (path) => {
      const items = [];
      let next = `${urls.api_url}${path}?per_page=100`;
      while (next) {
        const answer = await ask(next);
        items.push(...(await answer.json()));
        next = answer.headers.get("link")?.match(/<([^>]+)>; rel="next"/)?.[1];
      }
      return items;
    },
    /** What was asked since the last time this was called. */
    requests: async () => {
      const before = asked;
      asked = await (await ask("/_forge/requests")).json();
      return less(asked, before);
    },
    memory: () => memoryOf(child.pid),
    stop: () => {
      child.kill("SIGINT");
      return ended;
    },
  };
}

/** Starts `collie serve`; gives its address, its process, and what ends it with the status. */
export async function startServer(collie, { env, listen = "127.0.0.1:0" }) {
  const child = spawn(collie, ["serve", "--listen", listen, "--json"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = ending(child);
  const { url } = await new Promise((resolve, reject) => {
    eachLine(child.stdout, (line) => resolve(JSON.parse(line)));
    ended.then((status) => reject(new Error(`the server ended with ${status}`)));
  });
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { url, pid: child.pid, stop };
}

/** Who owns the imported repositories and runs Collie. */
export const OWNER = "tess";

/** Resident memory of a process in KiB, now and at its highest; none once it has ended. */
export function memoryOf(pid) {
  let status;
  try {
    status = readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return undefined;
  }
  const field = (name) => Number(status.match(new RegExp(`^${name}:\\s+(\\d+) kB`, "m"))?.[1]);
  return field("VmHWM") ? { now: field("VmRSS"), peak: field("VmHWM") } : undefined;
}

/**
 * Starts `collie watch` on a new data folder. `lines` are what it printed, as JSON; `said` is its standard error;
 * `memory` is the last that was seen of its memory; `ended` resolves to its status, null when it had to be killed. Its
 * environment is this one's, or `env`, and what tells it the forge.
 */
export function watch({ collie, apiUrl, home, repo, config, within, untilSettled, onLine = () => {}, env = process.env }) {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "config.toml"), config);
  const args = ["watch", repo, "--json", "--autonomy", "push", ...(untilSettled ? ["--until-settled"] : [])];
  const child = spawn(collie, args, { env: { ...env, ...environment(home, apiUrl) }, stdio: ["ignore", "pipe", "pipe"] });
  const seen = { lines: [], said: [], memory: undefined };
  eachLine(child.stdout, (line) => {
    const value = JSON.parse(line);
    seen.lines.push(value);
    onLine(value);
  });
  eachLine(child.stderr, (line) => seen.said.push(line));
  const look = () => {
    seen.memory = memoryOf(child.pid) ?? seen.memory;
  };
  const looking = setInterval(look, 100);
  const ended = ending(child, within).finally(() => clearInterval(looking));
  return { seen, ended, pid: child.pid, stop: () => child.kill("SIGINT") };
}

/** What tells a `collie` its data folder, its forge and its account. */
export function environment(home, apiUrl) {
  return {
    COLLIE_HOME: home,
    GITHUB_API_URL: apiUrl,
    GITHUB_TOKEN: `forge-${OWNER}`,
    GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS: OWNER,
    GH_CONFIG_DIR: join(home, "no-gh"),
    RUST_BACKTRACE: "1",
  };
}

/**
 * Makes a repository of git in a new folder: `main` with the files `base`, and branches `change-1` to `change-N`, each one commit ahead of it with the
 * files that `change` gives for its number. Files are texts by path.
 */
export async function makeSample(folder, { author = "Tess", base, count, change }) {
  mkdirSync(folder);
  const git = (...args) => run("git", ["-C", folder, "-c", `user.name=${author}`, "-c", `user.email=${author.toLowerCase()}@example.com`, ...args]);
  const commit = async (files, subject) => {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
    await git("add", ".");
    await git("commit", "--quiet", "-m", subject);
  };
  await git("init", "--quiet", "--initial-branch=main");
  await commit(base, "Begin");
  for (let number = 1; number <= count; number += 1) {
    await git("checkout", "--quiet", "-b", `change-${number}`, "main");
    await commit(change(number), `Add part ${number}`);
  }
  await git("checkout", "--quiet", "main");
}

/** A file of JavaScript; with a fault that a built-in rule finds and mends where the number is odd. */
export function faultyPart(number) {
  const fault = number % 2 ? "  debugger;\n" : "";
  return { [`part${number}.js`]: `export function part(list) {\n  const sum = list.length;\n${fault}  return sum;\n}\n` };
}

/** The value below which that part of all lies. */
export function percentile(values, part) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** Prints rows of text in columns. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  for (const row of rows) console.log(row.map((cell, column) => String(cell).padEnd(widths[column])).join("  ").trimEnd());
}
