// How much of what people fix the built-in rules would have noticed.
//
//   node scripts/rule-recall.mjs [--fixes N] [--seed N] [--list FILE] CLONE…
//
// Takes small fixes of real histories back: commits whose subject says that they fix something, in at most three files of code outside tests
// and at most thirty lines. What stood there before is what a pull request would have brought in; a fix is noticed when a rule finds
// something on a line that it mended. N fixes of each clone are taken (75), spread over its history by the seed (1).
// Needs git and a built `collie`; the environment variable COLLIE names another than the one in target/.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { findCollie } from "./on-a-forge.mjs";

const { values: options, positionals: clones } = parseArgs({
  allowPositionals: true,
  options: {
    fixes: { type: "string", default: "75" },
    seed: { type: "string", default: "1" },
    list: { type: "string" },
  },
});
if (clones.length === 0) {
  console.error("usage: node scripts/rule-recall.mjs [--fixes N] [--seed N] [--list FILE] CLONE…");
  process.exit(2);
}

const MAX_FILES = 3;
const MAX_LINES = 30;
const CODE = /\.(py|js|jsx|mjs|cjs|ts|tsx|rs|go)$/;
const TEST = /(^|\/)(tests?|__tests__|spec|specs|testdata|fixtures?|e2e|examples?|benches)\/|_test\.|\.test\.|\.spec\.|(^|\/)(test_|conftest)/;
const collie = findCollie();

function git(clone, ...args) {
  return execFileSync("git", ["-C", clone, ...args], { encoding: "utf8", maxBuffer: 1 << 30 });
}

/** The lines of the old version that a commit mended, by file; null where it is no small fix of code. */
function mendedLines(clone, commit) {
  const files = new Map();
  let path = null;
  let lines = 0;
  for (const line of git(clone, "diff", "-U0", "--no-renames", "--diff-filter=M", `${commit}^`, commit).split("\n")) {
    if (line.startsWith("--- a/")) path = line.slice(6);
    const hunk = line.match(/^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/);
    if (!hunk || path === null || !CODE.test(path) || TEST.test(path)) continue;
    const [start, removed, added] = [Number(hunk[1]), Number(hunk[2] ?? 1), Number(hunk[3] ?? 1)];
    lines += removed + added;
    // Where the fix only added, the lines on both sides are what it is about.
    const range = removed > 0 ? [start, start + removed - 1] : [start, start + 1];
    files.set(path, [...(files.get(path) ?? []), range]);
  }
  return files.size > 0 && files.size <= MAX_FILES && lines <= MAX_LINES ? files : null;
}

/** Small fixes of a clone's history, in an order that the seed decides. */
function fixesOf(clone) {
  const log = git(clone, "log", "--no-merges", "--format=%H %s", "-n", "20000").trim().split("\n");
  const order = (commit) => createHash("sha256").update(options.seed + commit).digest("hex");
  const named = log.filter((line) => /^\w+ (.*\b)?(fix(e[sd])?|bug)\b/i.test(line)).map((line) => line.slice(0, 40));
  named.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  const fixes = [];
  for (const commit of named) {
    if (fixes.length >= Number(options.fixes)) break;
    const files = mendedLines(clone, commit);
    if (files) fixes.push({ commit, files });
  }
  return fixes;
}

const folder = mkdtempSync(join(tmpdir(), "collie-recall-"));
const noticed = [];
let all = 0;
try {
  for (const clone of clones) {
    const root = join(folder, String(all));
    const fixes = fixesOf(clone);
    for (const { commit, files } of fixes) {
      for (const path of files.keys()) {
        const file = join(root, commit, path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, git(clone, "show", `${commit}^:${path}`));
      }
    }
    const printed = fixes.length ? execFileSync(collie, ["rules", "try", "--json", "."], { cwd: root, encoding: "utf8", maxBuffer: 1 << 30 }) : "";
    const found = printed.split("\n").filter(Boolean).map((line) => JSON.parse(line)).filter((line) => line.type === "rule_match");
    const by = new Map(fixes.map((fix) => [fix.commit, fix]));
    const hits = new Map();
    for (const match of found) {
      const [commit, path] = [match.path.slice(0, 40), match.path.slice(41)];
      const ranges = by.get(commit)?.files.get(path) ?? [];
      if (ranges.some(([first, last]) => match.line <= last && first <= match.end_line)) hits.set(commit, { commit, rule: match.rule, path, line: match.line });
    }
    noticed.push(...[...hits.values()].map((hit) => ({ clone: git(clone, "remote", "get-url", "origin").trim(), ...hit })));
    all += fixes.length;
    console.log(`${clone}: ${hits.size} of ${fixes.length} fixes noticed`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${noticed.length} of ${all} fixes noticed, ${((100 * noticed.length) / Math.max(1, all)).toFixed(1)} %`);
if (options.list) writeFileSync(options.list, noticed.map((hit) => JSON.stringify(hit) + "\n").join(""));
