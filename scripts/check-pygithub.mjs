// Drives a running forge with PyGithub, as scripts and bots in Python do: scripts/pygithub_calls.py, one line a call.
// PyGithub lives in an environment of its own below target/, made once from scripts/pygithub-requirements.txt (pip, PyPI).
// Without python3 nothing is tried, and the line says so. Needs a built `collie` (target/debug first) and git.

import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { forgeWorld, OWNER, REPO } from "./forge-world.mjs";
import { run } from "./on-a-forge.mjs";
import { pythonEnvironment } from "./python-environment.mjs";

const scripts = dirname(fileURLToPath(import.meta.url));

/** Calls of the script that has to be there, so that it does not pass by calling nothing. */
const AT_LEAST = 70;

function hasPython() {
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function check() {
  const python = join(await pythonEnvironment("pygithub"), "python");
  const { forge, end } = await forgeWorld();
  const started = Date.now();
  try {
    const told = await run(python, [join(scripts, "pygithub_calls.py"), forge.apiUrl, `${OWNER}/${REPO}`], { timeout: 60_000 });
    const calls = told.split("\n").filter(Boolean);
    const failed = calls.filter((line) => !line.startsWith("ok "));
    if (failed.length > 0) console.error(failed.join("\n"));
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    console.log(`PyGithub on the forge: ${calls.length - failed.length} of ${calls.length} calls, ${seconds} s`);
    return failed.length === 0 && calls.length >= AT_LEAST;
  } finally {
    await end();
  }
}

if (hasPython()) process.exitCode = (await check()) ? 0 : 1;
else console.log("PyGithub on the forge: not tried, there is no python3");
