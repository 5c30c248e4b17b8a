// Makes merges again that people made, in clones of real repositories, and holds the result against theirs.
//
//   node scripts/real-merges.mjs [--max N] CLONE…
//
// CLONE is a git repository on this machine, bare or not; it is only read, from HEAD. The parents of each merge are taken
// as head and base, as the pull request had them that it was; merges that had nothing to bring in are left out.
//   --max   merges of each clone that conflict, the newest first (60); and half as many that do not
// What is counted is in crates/git/examples/real_merges.rs: how git's own merge compares with what was committed, what is
// given up, and, with a person's resolution in place of an agent's, what the gates refuse and which lines are listed as
// left out. "In silence" are lines that one side added, that are gone, and that are not listed, judged by counting lines
// in `git diff`. Needs git and cargo. Prints a table; ends with 1 when a line was lost in silence.

import { spawnSync } from "node:child_process";
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { table } from "./on-a-forge.mjs";

const { values: option, positionals: clones } = parseArgs({ allowPositionals: true, options: { max: { type: "string", default: "60" } } });
if (clones.length === 0) {
  console.error("usage: node scripts/real-merges.mjs [--max N] CLONE…");
  process.exit(2);
}

const COLUMNS = [
  "merges", "exact", "clean, different", "clean: merges with listed lines", "given up", "given up: texts, an agent's",
  "person: passes", "person: merges with listed lines", "person: listed lines",
  "person: refused, scope", "person: refused, anti-tamper", "person: refused, markers", "person: refused, secrets", "person: refused, other",
  "lost in silence",
];

const args = ["run", "-q", "-p", "collie-git", "--example", "real_merges", "--", option.max, ...clones.map((clone) => resolve(clone))];
const { status, stdout } = spawnSync("cargo", args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });
if (status !== 0) process.exit(1);
const found = stdout.trim().split("\n").map((line) => JSON.parse(line));
const name = (path) => basename(path.replace(/\/(repo|\.git)$/, "")).replace(/\.git$/, "");
const all = COLUMNS.map((column) => [column, ...found.map(({ counts }) => counts[column] ?? 0)]);
table([["", ...found.map(({ clone }) => name(clone))], ...all]);
process.exit(found.some(({ counts }) => counts["lost in silence"] > 0) ? 1 : 0);
