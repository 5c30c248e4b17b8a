// Holds our reading of GitHub against what others recorded of it, and of checks against what `gh` makes of its own cases.
//
//   node scripts/recorded-github.mjs GH PYGITHUB
//
// GH is a clone of github.com/cli/cli, PYGITHUB one of github.com/PyGithub/PyGithub, bare or not; both are only read, at
// HEAD. From the first come the tests of `gh pr checks` and `gh pr status` with their fixtures, from the second every
// exchange that it recorded. What is compared is in crates/github/src/recorded_tests. Needs git, tar and cargo.
// Prints what was read and how much of it agrees; ends with 1 when anything is not read or differs.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [gh, pygithub] = process.argv.slice(2);
if (!gh || !pygithub) {
  console.error("usage: node scripts/recorded-github.mjs GH PYGITHUB");
  process.exit(2);
}

/** Lines that each run has to print: what is compared, and how much at least, by the tests themselves. */
const TOLD = [/^gh pr checks: /, /^gh pr status: /, /^gh's attempts: /, /^gh's words: /, /^\d+ answers$/];

function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { maxBuffer: 1 << 30, ...options });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}${options.encoding ? stdout : ""}`);
  return stdout;
}

/** Takes paths of a clone's HEAD into a folder. */
function take(clone, into, ...paths) {
  const archive = run("git", ["-C", clone, "-c", "safe.directory=*", "archive", "HEAD", ...paths]);
  run("tar", ["-x", "-C", into], { input: archive });
}

const folder = mkdtempSync(join(tmpdir(), "collie-recorded-"));
try {
  take(gh, folder, "pkg/cmd/pr/checks", "pkg/cmd/pr/status", "api/pull_request_test.go");
  take(pygithub, folder, "tests/ReplayData");
  const args = ["test", "-q", "-p", "collie-github", "--lib", "recorded_tests", "--", "--nocapture", "--test-threads=1"];
  const env = { ...process.env, COLLIE_GH_TESTS: folder, COLLIE_PYGITHUB_REPLAY: join(folder, "tests/ReplayData") };
  const lines = run("cargo", args, { env, encoding: "utf8" }).split("\n").map((line) => line.replace(/^\.+(?! )/, ""));
  const told = lines.filter((line) => TOLD.some((form) => form.test(line)) || line.startsWith("{"));
  console.log(told.join("\n"));
  const missing = TOLD.filter((form) => !told.some((line) => form.test(line)));
  if (missing.length > 0) throw new Error(`nothing was told of ${missing.join(", ")}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
