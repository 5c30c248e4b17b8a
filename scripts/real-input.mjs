// Tries Collie on real repositories: imports each into a local forge, opens pull requests between real commits of it,
// lets `collie watch --until-settled` work on them all at once, and checks what must hold whatever the repository.
//
//   node scripts/real-input.mjs [--pulls N] [--seed N] [--bound SECONDS] [--memory MIB] [--whole] [--keep DIR] PATH…
//
// PATH is a git repository on this machine, bare or not; it is only read. Its history is what pull requests are made of.
//   --pulls   pull requests of each repository (10)
//   --seed    picks other commits (1)
//   --bound   within which all loops of a repository must have ended, in seconds (600)
//   --memory  that the watching process may take at its peak, in MiB (512)
//   --whole   one more: the whole history, from the first commit to the last
//   --keep    a folder to leave the forge, the data folders and what was found and said in; else all of it is removed
// Needs git and a built `collie`; the environment variable COLLIE names another than the one in target/.
// Prints a line a pull request and a table; ends with 1 when anything was violated.

import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findCollie, OWNER, run, startForge, table, watch } from "./on-a-forge.mjs";

const { values: option, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    pulls: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    bound: { type: "string", default: "600" },
    memory: { type: "string", default: "512" },
    whole: { type: "boolean", default: false },
    keep: { type: "string" },
  },
});
if (paths.length === 0) {
  console.error("usage: node scripts/real-input.mjs [--pulls N] [--seed N] [--bound SECONDS] [--memory MIB] [--whole] [--keep DIR] PATH…");
  process.exit(2);
}

const collie = findCollie();
const folder = option.keep ? resolve(option.keep) : mkdtempSync(join(tmpdir(), "collie-real-"));
mkdirSync(folder, { recursive: true });

// Waits are short: there are no checks to wait for, and the forge is near.
const CONFIG = 'poll_interval = "1s"\nready_poll_interval = "5s"\nno_checks_grace = "1s"\nexternal_bot_timeout = "1s"\n';

/** Numbers from 0 to under 1, the same ones for the same seed. */
function random(seed) {
  let state = createHash("sha256").update(seed).digest().readUInt32LE();
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A repository's name on the forge. */
function nameOf(path) {
  const parts = resolve(path).split("/").filter((part) => !["repo", ".git", "repo.git"].includes(part));
  return basename(parts.at(-1)).replace(/\.git$/, "").replaceAll(/[^\w.-]/g, "-");
}

/**
 * Picks pairs of commits: of each four one is any commit, one a merge as its two sides were, one has renames, and one
 * is the largest of several; base and head are 1 to 20 commits apart. With --whole, one more goes from the first commit
 * to the last.
 */
async function pick(path, count) {
  const next = random(`${option.seed} ${nameOf(path)}`);
  const any = (list) => list[Math.floor(next() * list.length)];
  const git = (...args) => run("git", ["-C", path, "-c", "safe.directory=*", ...args]);
  const list = async (...args) => (await git(...args)).split("\n").filter(Boolean);
  const parents = new Map((await list("rev-list", "--parents", "HEAD")).map((line) => {
    const [commit, ...of] = line.split(" ");
    return [commit, of];
  }));
  const commits = [...parents.keys()].filter((commit) => parents.get(commit).length > 0);
  const merges = commits.filter((commit) => parents.get(commit).length === 2);
  const skip = Math.floor(next() * Math.min(500, commits.length / 2));
  const renames = await list("log", "--no-merges", "--diff-filter=R", "-M", `--skip=${skip}`, "-n", "30", "--format=%H", "HEAD");

  const back = (head) => {
    let base = head;
    for (let steps = 1 + Math.floor(next() * 20); steps > 0 && parents.get(base)?.length; steps -= 1) base = any(parents.get(base));
    return { base, head };
  };
  const size = async ({ base, head }) => {
    const stat = await git("diff", "--shortstat", base, head);
    return [...stat.matchAll(/(\d+) (?:insertion|deletion)/g)].reduce((sum, [, lines]) => sum + Number(lines), 0);
  };
  const kinds = [
    async () => back(any(commits)),
    async () => {
      if (merges.length === 0) return back(any(commits));
      const [base, head] = parents.get(any(merges));
      return { base, head };
    },
    async () => back(any(renames.length ? renames : commits)),
    async () => {
      const tries = Array.from({ length: 8 }, () => back(any(commits)));
      const sizes = await Promise.all(tries.map(size));
      return tries[sizes.indexOf(Math.max(...sizes))];
    },
  ];
  const pairs = new Map();
  for (let turn = 0; pairs.size < Math.min(count, commits.length) && turn < count * 20; turn += 1) {
    const pair = await kinds[turn % kinds.length]();
    const between = await git("rev-list", "--count", `${pair.base}..${pair.head}`);
    if (Number(between) > 0) pairs.set(`${pair.base} ${pair.head}`, pair);
  }
  if (option.whole) {
    const head = commits[0];
    const roots = await list("rev-list", "--max-parents=0", head);
    pairs.set("whole", { base: roots.at(-1), head });
  }
  return [...pairs.values()];
}

const violations = [];
function violation(text) {
  violations.push(text);
  console.log(`VIOLATION ${text}`);
}

/** What GitHub may answer to requests that are right: nothing found, nothing allowed without a password yet. */
const FINE = new Set(["401", "404", "dropped"]);

/** The comments of a pull request: bodies with what they lie on. */
async function commentsOf(forge, repo, number) {
  const [talk, inline, reviews] = await Promise.all([
    forge.all(`/repos/${repo}/issues/${number}/comments`),
    forge.all(`/repos/${repo}/pulls/${number}/comments`),
    forge.all(`/repos/${repo}/pulls/${number}/reviews`),
  ]);
  return { inline, all: [...talk, ...inline, ...reviews].filter((comment) => comment.body) };
}

const root = join(folder, "forge");

/** Whether all of a repository's history can be read; a partial copy cannot be fetched from. */
async function isWhole(path) {
  const args = ["rev-list", "--objects", "--missing=print", "HEAD"];
  const objects = await run("git", ["-C", path, "-c", "safe.directory=*", ...args]);
  return !/^\?/m.test(objects);
}

/** Brings a repository into the forge, which must not be running, and opens its pull requests; says how many. */
async function prepare(path) {
  const repo = `${OWNER}/${nameOf(path)}`;
  await run(collie, ["forge", "import", "--root", root, "--repo", repo, "--git", path]);
  const pulls = await pick(path, Number(option.pulls));
  for (const { base, head } of pulls) {
    const title = `${head.slice(0, 9)} onto ${base.slice(0, 9)}`;
    await run(collie, ["forge", "open-pr", "--root", root, "--repo", repo, "--base", base, "--head", head, "--title", title]);
  }
  return pulls.length;
}

/** Lets Collie work on a repository's pull requests; gives its row of the table. */
async function tryRepository(forge, path, pulls) {
  const name = nameOf(path);
  const repo = `${OWNER}/${name}`;
  await forge.requests();

  const start = Date.now();
  const watching = watch({
    collie, apiUrl: forge.apiUrl, home: join(folder, "home", name), repo, config: CONFIG,
    within: Number(option.bound) * 1000, untilSettled: true,
  });
  const status = await watching.ended;
  const seconds = (Date.now() - start) / 1000;
  const { lines, said, memory } = watching.seen;

  const settled = lines.filter((line) => line.type === "settled");
  if (status === null) violation(`${repo}: not settled within ${option.bound} s; last: ${unsettled(lines, settled)}`);
  else if (![0, 3, 4, 5].includes(status)) violation(`${repo}: collie watch ended with ${status}: ${said.slice(-5).join(" | ")}`);
  else if (settled.length !== pulls) violation(`${repo}: ${settled.length} of ${pulls} loops settled`);
  const panic = [...said, ...forge.said].find((line) => line.includes("panicked at"));
  if (panic) violation(`${repo}: ${panic}`);
  const peak = memory ? memory.peak / 1024 : 0;
  if (peak > Number(option.memory)) violation(`${repo}: took ${peak.toFixed(0)} MiB`);

  const { answers, total } = await forge.requests();
  for (const [code, times] of Object.entries(answers)) {
    const refused = code.startsWith("4") || code.startsWith("5");
    if (refused && !FINE.has(code)) violation(`${repo}: the forge answered ${times} requests with ${code}`);
  }
  const row = { name, ends: {}, p: { P0: 0, P1: 0, P2: 0, P3: 0 }, pushes: 0, inline: 0, posted: 0 };
  for (const end of settled) await judge(forge, repo, end, row);
  const count = (of) => Object.entries(of).map(([key, value]) => `${key} ${value}`).join(", ");
  return [
    name, pulls, count(row.ends), Object.values(row.p).join("/"), row.inline, row.posted, row.pushes, total,
    seconds.toFixed(1), `${peak.toFixed(0)} MiB`,
  ];
}

/** Where the loops stood that did not end. */
function unsettled(lines, settled) {
  const done = new Set(settled.map((line) => line.key));
  const last = new Map(lines.map((line) => [line.key, line]));
  const open = [...last.values()].filter((line) => !done.has(line.key));
  return open.map((line) => `${line.key} ${line.state} ${line.blocker?.code ?? ""}`).join("; ");
}

/** Looks at one pull request after its end, and adds it to the row of its repository. */
async function judge(forge, repo, end, row) {
  const number = Number(end.key.split("#")[1]);
  const reason = end.error?.code ?? (end.blocker?.needs_person ? end.blocker.code : undefined);
  const state = `${end.state.replace("pr_", "").replace("ready_to_merge", "ready")}${reason ? ` (${reason})` : ""}`;
  row.ends[state] = (row.ends[state] ?? 0) + 1;
  for (const finding of end.findings) row.p[finding.priority] += 1;
  row.pushes += end.rounds.filter((round) => round.commit).length;
  const { inline, all } = await commentsOf(forge, repo, number);
  row.inline += inline.length;
  row.posted += all.length;
  const tokens = all.flatMap(({ body }) => [...body.matchAll(/<!-- collie-action:(\S+) -->/g)].map(([, token]) => token));
  const twice = tokens.find((token, index) => tokens.indexOf(token) !== index);
  if (twice) violation(`${end.key}: the token ${twice} was posted twice`);
  console.log(`${end.key}  ${state}  ${end.findings.length} findings, ${all.length} comments  ${end.title}`);
  if (option.keep) {
    const entries = end.findings.map((finding) => JSON.stringify({ key: end.key, head: end.head_sha, ...finding }));
    if (entries.length) appendFileSync(join(folder, "findings.jsonl"), `${entries.join("\n")}\n`);
    const bodies = all.map(({ body, path, line }) => JSON.stringify({ key: end.key, path, line, body }));
    if (bodies.length) appendFileSync(join(folder, "comments.jsonl"), `${bodies.join("\n")}\n`);
  }
}

/** Does something for a repository; a failure is a violation, and the others go on. */
async function attempt(path, act) {
  try {
    return await act(path);
  } catch (error) {
    violation(`${nameOf(path)}: ${error.message}`);
    return undefined;
  }
}

const prepared = [];
for (const path of paths) {
  if (!(await isWhole(path))) {
    console.log(`${nameOf(path)} lacks objects and is left out`);
    continue;
  }
  const pulls = await attempt(path, prepare);
  if (pulls !== undefined) prepared.push({ path, pulls });
}
const forge = await startForge(collie, root);
const rows = [["repository", "pulls", "ends", "P0/P1/P2/P3", "inline", "comments", "pushes", "requests", "seconds", "peak"]];
try {
  for (const { path, pulls } of prepared) {
    const row = await attempt(path, () => tryRepository(forge, path, pulls));
    if (row) rows.push(row);
  }
  console.log();
  table(rows);
  console.log(`\nforge: ${(forge.memory().peak / 1024).toFixed(0)} MiB at its peak`);
} finally {
  await forge.stop();
  if (!option.keep) rmSync(folder, { recursive: true, force: true });
}
console.log(violations.length ? `${violations.length} violations` : "no violations");
process.exit(violations.length ? 1 : 0);
