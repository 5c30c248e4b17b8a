// Runs the tool of a case: starts it, hears its word, kills it where the case says so and starts it again, and ends it in time.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { NUMBER, OWNER, TOOL_LOGIN } from "./world.mjs";
import { speaksOnForge, wordOfExit, wordOfLine, wordOnForge } from "./words.mjs";

/** How long a tool that has said its word may take to end. */
const LAST_WORDS_MS = 10_000;
/** How often it is looked whether it has said its word on the forge. */
const LOOK_MS = 250;
/** Lines of its output that are kept. */
const KEPT_LINES = 400;
/** How often a case wants tools to look. */
const POLL_S = 1;

const POST_ROUTES = ["POST /repos/*/*/issues/*/comments", "POST /repos/*/*/pulls/*/comments/**", "POST /repos/*/*/pulls/*/comments", "POST /repos/*/*/pulls/*/reviews", "mutation addComment", "mutation addPullRequestReview", "mutation addPullRequestReviewThreadReply"];
const PUSH_ROUTES = ["POST /**/git-receive-pack"];

/** The forge's faults that a trouble is. */
export function faultsOf({ kind, times = 1 }) {
  const each = (routes, fault) => routes.map((route) => ({ route, login: TOOL_LOGIN, count: times, ...fault }));
  return {
    post_answer_lost: () => each(POST_ROUTES, { kind: "drop_after" }),
    post_lost: () => each(POST_ROUTES, { kind: "drop_before" }),
    push_answer_lost: () => each(PUSH_ROUTES, { kind: "drop_after" }),
    server_errors: () => each(["/**"], { kind: "status", code: 502, after: 4 }),
    slow: () => [{ route: "/**", login: TOOL_LOGIN, kind: "latency", ms: 150 }],
    burst_limit: () => each(["/**"], { kind: "secondary_rate_limit", retry_after: 2, after: 6 }),
    stale_reads: () => each(["/**"], { kind: "stale", ago: 1, after: 3 }),
  }[kind]();
}

const setFaults = (world, faults) => world.call(OWNER, "POST", "/_forge/faults", faults);

/** What the tool finds in its environment: this one's, without what is another forge's, and where everything is. */
export function environmentOf(world, model, home, extra = {}) {
  const foreign = /^(GITHUB_|GH_|XDG_|LLM_|OPENAI|COLLIE_HOME|COLLIE_LOG|LOOPBENCH_)/;
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
  return {
    ...own, ...extra, HOME: home,
    LOOPBENCH_API_URL: world.forge.apiUrl,
    LOOPBENCH_GRAPHQL_URL: `${world.origin}/api/graphql`,
    LOOPBENCH_GIT_URL: `${world.origin}/${world.repo}.git`,
    LOOPBENCH_PULL_URL: `${world.origin}/${world.repo}/pull/${NUMBER}`,
    LOOPBENCH_REPO: world.repo,
    LOOPBENCH_PULL: String(NUMBER),
    LOOPBENCH_LOGIN: TOOL_LOGIN,
    LOOPBENCH_TOKEN: `forge-${TOOL_LOGIN}`,
    LOOPBENCH_MODEL_URL: model.url,
    LOOPBENCH_MODEL: "scripted",
    LOOPBENCH_MODEL_KEY: "scripted-key",
    LOOPBENCH_HOME: home,
    LOOPBENCH_POLL_SECONDS: String(POLL_S),
    LOOPBENCH_BOTS: [...new Set(world.planned.bots.filter(({ kind, login }) => kind !== "thanks" && login.endsWith("[bot]")).map(({ login }) => login))].join(","),
  };
}

/** Kills a process with all that it started; a sandbox or a shell in between would outlive it otherwise. */
function killGroup(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}

/** Starts the tool once; `ended` resolves to its exit status, null when it was killed. */
function start(tool, env, cwd, onLine) {
  const [program, ...args] = tool.command.map((part) => part.replaceAll("{folder}", tool.folder).replaceAll("{node}", process.execPath));
  const child = spawn(program, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
  for (const [name, stream] of [["out", child.stdout], ["err", child.stderr]]) createInterface({ input: stream }).on("line", (line) => onLine(name, line));
  const ended = new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new Error(`${tool.name} cannot be started: ${error.message}`)));
    child.on("close", (status) => resolve(status));
  });
  return { child, ended };
}

/** Kills the tool at the moments of the case, one after the other. */
async function playCrashes(world, hub, kill) {
  for (const crash of world.planned.crashes) {
    const { when, answer = "arrives", back_after_s: back = 1 } = crash;
    const routes = when.tool === "pushes" ? PUSH_ROUTES : POST_ROUTES;
    const isCut = answer !== "arrives" && ["posts", "pushes"].includes(when.tool);
    if (isCut) await setFaults(world, routes.map((route) => ({ route, login: TOOL_LOGIN, kind: answer === "lost" ? "drop_after" : "drop_before", after: (when.times ?? 1) - 1, count: 1 })));
    try {
      await hub.until(when);
    } catch {
      return;
    }
    await kill(back);
    if (isCut) await world.call(OWNER, "DELETE", "/_forge/faults");
  }
}

/**
 * Plays the tool through the case. `onWord` is told of its word at that moment, and awaited. Resolves to what became of it: `word`,
 * `ended` (by itself, in time), `crashes` that were played, its last exit status and its output.
 */
export async function runTool({ tool, world, model, hub, stop, onWord, extra }) {
  const home = join(world.folder, "home");
  mkdirSync(home, { recursive: true });
  const env = environmentOf(world, model, home, extra);
  const seen = { word: undefined, word_at_ms: undefined, ended: false, crashes: 0, status: undefined, output: [] };
  const begun = Date.now();
  let hearing = Promise.resolve();
  const hear = (end) => {
    if (!end || seen.word) return;
    Object.assign(seen, { word: end, word_at_ms: Date.now() });
    hearing = Promise.resolve(onWord(end));
  };
  const onLine = (stream, line) => {
    seen.output.push(line);
    if (seen.output.length > KEPT_LINES) seen.output.shift();
    if (stream === "out") hear(wordOfLine(tool, line));
  };
  await setFaults(world, world.planned.troubles.flatMap(faultsOf));
  let now = start(tool, env, home, onLine);
  let restart;
  const crashing = playCrashes(world, hub, async (back) => {
    if (seen.word) return;
    seen.crashes += 1;
    restart = back;
    const dying = now;
    killGroup(dying.child);
    await dying.ended;
    while (restart !== undefined && !stop.aborted) await wait(20);
  });
  crashing.catch((error) => seen.output.push(`loopbench: ${error.message}`));
  hub.tell("starts");
  const looking = lookOnForge(tool, world, seen, stop, hear);
  const left = () => world.planned.limit_s * 1000 - (Date.now() - begun);
  for (;;) {
    const status = await Promise.race([now.ended, wait(Math.max(0, left()), "late", { signal: stop, ref: true }).catch(() => "late"), whenSaid(seen, stop)]);
    if (status === "late" || status === "said") {
      const last = status === "said" ? await Promise.race([now.ended, wait(LAST_WORDS_MS, "late")]) : "late";
      if (last === "late") killGroup(now.child);
      seen.status = await now.ended;
      seen.ended = seen.word !== undefined;
      break;
    }
    if (restart !== undefined) {
      await wait(restart * 1000);
      restart = undefined;
      now = start(tool, env, home, onLine);
      continue;
    }
    seen.status = status;
    seen.ended = true;
    if (speaksOnForge(tool)) hear(await wordOnForge(tool, world));
    if (status !== null) hear(wordOfExit(tool, status));
    break;
  }
  await hearing;
  killGroup(now.child);
  seen.took_ms = Date.now() - begun;
  looking.catch(() => {});
  return seen;
}

/** Resolves once the word is said. */
async function whenSaid(seen, stop) {
  while (!seen.word && !stop.aborted) await wait(50);
  return "said";
}

async function lookOnForge(tool, world, seen, stop, hear) {
  if (!speaksOnForge(tool)) return;
  while (!seen.word && !stop.aborted) {
    hear(await wordOnForge(tool, world));
    await wait(LOOK_MS, undefined, { signal: stop }).catch(() => {});
  }
}
