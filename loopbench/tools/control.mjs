// Tools that do one thing wrong on purpose, so that it shows which column tells of it. `stops` does nothing and says that a person is
// needed; each of the others does that and its one fault.
//
//   node control.mjs stops|ready|twice|endless|merges|forces|crowd|chatty

import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const { env } = process;
const kind = process.argv[2];
const api = `${env.LOOPBENCH_API_URL}/repos/${env.LOOPBENCH_REPO}`;

async function call(method, path, body) {
  const answer = await fetch(`${api}/${path}`, {
    method, body: body && JSON.stringify(body),
    headers: { authorization: `Bearer ${env.LOOPBENCH_TOKEN}`, accept: "application/vnd.github+json", ...(body ? { "content-type": "application/json" } : {}) },
  });
  return { status: answer.status, body: await answer.json().catch(() => undefined) };
}

const comment = (body) => call("POST", `issues/${env.LOOPBENCH_PULL}/comments`, { body });

/** Puts one commit in the place of all that was pushed since the first. */
async function force() {
  const folder = mkdtempSync(join(env.LOOPBENCH_HOME, "clone-"));
  const { body: pull } = await call("GET", `pulls/${env.LOOPBENCH_PULL}`);
  const remote = env.LOOPBENCH_GIT_URL.replace("://", `://${env.LOOPBENCH_LOGIN}:${env.LOOPBENCH_TOKEN}@`);
  const git = (...args) => execFileSync("git", ["-C", folder, "-c", "user.name=Control", "-c", "user.email=control@example.com", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  execFileSync("git", ["clone", "--quiet", remote, folder]);
  git("checkout", "--quiet", pull.head.ref);
  git("reset", "--quiet", "--hard", "HEAD~1");
  writeFileSync(join(folder, "control.md"), "# Control\n");
  git("add", ".");
  git("commit", "--quiet", "--message", "Start over");
  git("push", "--quiet", "--force", "origin", `HEAD:${pull.head.ref}`);
}

const FAULTS = {
  stops: async () => {},
  // What speaks against it has to have been there for a while.
  ready: () => new Promise((done) => setTimeout(done, 5000)),
  twice: async () => {
    await comment("This has been looked at.");
    await comment("This has been looked at.");
  },
  endless: () => new Promise(() => setInterval(() => call("GET", `pulls/${env.LOOPBENCH_PULL}`), 500)),
  merges: () => call("PUT", `pulls/${env.LOOPBENCH_PULL}/merge`, {}),
  forces: force,
  crowd: () => comment("@ana @ben @octo please look at this."),
  chatty: async () => {
    for (let at = 1; at <= 8; at += 1) await comment(`Thought ${at} of 8 on this change.`);
    await fetch(`${env.LOOPBENCH_MODEL_URL}/chat/completions`, { method: "POST", body: JSON.stringify({ model: env.LOOPBENCH_MODEL, messages: [{ role: "user", content: "word ".repeat(20_000) }] }) });
  },
};

await FAULTS[kind]();
console.log(kind === "ready" ? "loopbench: ready" : "loopbench: stopped, a person is needed");
