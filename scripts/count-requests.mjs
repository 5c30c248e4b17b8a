// Counts the requests that Collie makes for one pull request with faults, from the first look to ready.
//
//   node scripts/count-requests.mjs
//
// Plays the demo's scenario `fix-loop` against a forge of its own, so that only Collie's requests are counted, polling
// every second, and prints them by route for each iteration (the last one is the review that approves). Polls depend on
// how long the checks take; what one poll costs is printed apart. Needs git, Python and a built `collie`; the environment
// variable COLLIE names another than the one in target/.

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findCollie, OWNER, run, startForge, table, watch } from "./on-a-forge.mjs";

const collie = findCollie();
const scenario = join(dirname(fileURLToPath(import.meta.url)), "../demo/fix-loop");
const CONFIG = 'poll_interval = "1s"\nready_poll_interval = "1s"\nexternal_bot_timeout = "1s"\n';
const repo = `${OWNER}/orders`;
const folder = mkdtempSync(join(tmpdir(), "collie-requests-"));
const root = join(folder, "forge");
const source = join(folder, "source");

/** Makes the scenario's repository: `main` with its base, `change` with its head. */
async function makeSource() {
  const git = (...args) => run("git", ["-C", source, "-c", "user.name=Tess", "-c", "user.email=tess@example.com", ...args]);
  cpSync(join(scenario, "base"), source, { recursive: true });
  await git("init", "--quiet", "--initial-branch=main");
  for (const [branch, subject] of [["main", "Read orders"], ["change", "Read orders from JSON"]]) {
    if (branch === "change") {
      await git("checkout", "--quiet", "-b", branch);
      cpSync(join(scenario, "head"), source, { recursive: true });
    }
    await git("add", ".");
    await git("commit", "--quiet", "-m", subject);
  }
  // What is checked out becomes the default branch, which Collie does not push to.
  await git("checkout", "--quiet", "main");
}

/** By route, GraphQL by its fields. */
function byRoute({ routes, graphql }) {
  const rest = Object.entries(routes).filter(([route]) => !route.endsWith("/graphql"));
  return new Map([...rest, ...Object.entries(graphql).map(([field, times]) => [`graphql ${field}`, times])]);
}

let forge;
try {
  await makeSource();
  await run(collie, ["forge", "import", "--root", root, "--repo", repo, "--git", source]);
  await run(collie, ["forge", "open-pr", "--root", root, "--repo", repo, "--base", "main", "--head", "change", "--title", "JSON"]);
  forge = await startForge(collie, root);
  const columns = [];
  let iteration = 0;
  let counting = Promise.resolve();
  const close = (name) => {
    counting = counting.then(async () => columns.push({ name, counts: byRoute(await forge.requests()) }));
  };
  const watching = watch({
    collie, apiUrl: forge.apiUrl, home: join(folder, "home"), repo, config: CONFIG, within: 300_000, untilSettled: true,
    onLine: (line) => {
      if (line.iteration > iteration) close(`iteration ${iteration + 1}`);
      iteration = Math.max(iteration, line.iteration);
    },
  });
  const status = await watching.ended;
  close("to ready");
  await counting;
  if (status !== 0) {
    const end = watching.seen.lines.findLast((line) => line.type === "settled");
    const why = end?.error?.message ?? end?.blocker?.text ?? watching.seen.said.join("\n");
    throw new Error(`collie watch ended with ${status}: ${why}`);
  }
  const routes = [...new Set(columns.flatMap(({ counts }) => [...counts.keys()]))].sort();
  table([["route", ...columns.map(({ name }) => name)], ...routes.map((route) => [route, ...columns.map(({ counts }) => counts.get(route) ?? 0)])]);
} finally {
  await forge?.stop();
  rmSync(folder, { recursive: true, force: true });
}
