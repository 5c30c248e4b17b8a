// How often the built-in rules are right, on code that none of them was tuned on.
//
//   node scripts/rule-precision.mjs [--half tuned|held-out] [--todo FILE] [--judge FILE] [--table] CLONE…
//
// Scans whole clones of public repositories with `collie rules try`, as though every file were new, and counts for each rule what was judged
// by eye. Repositories fall into two halves by the SHA-256 of their name: rules are tuned on one, and judged once, last, on the other.
//
//   --todo FILE    writes what nobody has judged yet, one JSON object a line, with the lines around it.
//   --judge FILE   takes such lines with a `verdict`, and a `why`, into the list that is kept.
//   --table        prints the figures as the table of the rules' README.
//
// Needs git and a built `collie`; the environment variable COLLIE names another than the one in target/.
//
// A verdict is `true` (worth saying), `trivial` (right, and not worth saying) or `false`. What is kept of a finding is where it was and a hash
// of its line, not other people's code; so a change of a rule shows at once what it wins and what it loses.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findCollie } from "./on-a-forge.mjs";

const JUDGED = new URL("../crates/rules/tests/judged.jsonl", import.meta.url);
const VERDICTS = ["true", "trivial", "false"];

const { values: options, positionals: clones } = parseArgs({
  allowPositionals: true,
  options: {
    half: { type: "string" },
    todo: { type: "string" },
    judge: { type: "string" },
    table: { type: "boolean", default: false },
  },
});
if (clones.length === 0 && !options.judge && !options.table) {
  console.error("usage: node scripts/rule-precision.mjs [--half tuned|held-out] [--todo FILE] [--judge FILE] [--table] CLONE…");
  process.exit(2);
}

const readLines = (file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)) : []);
const keyOf = (finding) => [finding.repository, finding.path, finding.rule, finding.hash].join(" ");

/** The half that a repository falls into. */
const halfOf = (repository) => (createHash("sha256").update(repository).digest()[0] % 2 ? "held-out" : "tuned");

function git(clone, ...args) {
  return execFileSync("git", ["-C", clone, ...args], { encoding: "utf8", maxBuffer: 1 << 30 }).trim();
}

/** What the rules say of a clone, each finding with its repository and commit. */
function findingsOf(clone) {
  const repository = git(clone, "remote", "get-url", "origin").replace(/\.git$/, "").split("/").slice(-2).join("/");
  if (options.half && halfOf(repository) !== options.half) return [];
  const commit = git(clone, "rev-parse", "HEAD");
  const printed = execFileSync(findCollie(), ["rules", "try", "--json", "."], { cwd: clone, encoding: "utf8", maxBuffer: 1 << 30 });
  const found = printed.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const counts = new Map();
  return found
    .filter((line) => line.type === "rule_match")
    .map(({ rule, priority, path, line, end_line, message }) => {
      const lines = readFileSync(join(clone, path), "utf8").split("\n");
      const text = lines.slice(line - 1, end_line).map((one) => one.trim()).join("\n");
      const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
      const key = [path, rule, hash].join(" ");
      const nth = (counts.get(key) ?? 0) + 1;
      counts.set(key, nth);
      const around = lines.slice(Math.max(0, line - 9), end_line + 6).map((one) => one.slice(0, 300)).join("\n");
      return { repository, commit, rule, priority, path, line, hash: nth === 1 ? hash : `${hash}-${nth}`, message, around };
    });
}

const judged = new Map(readLines(JUDGED).map((finding) => [keyOf(finding), finding]));

if (options.judge) {
  for (const { repository, commit, rule, path, line, hash, verdict, why } of readLines(options.judge)) {
    if (!VERDICTS.includes(verdict)) throw new Error(`${repository} ${path}:${line}: the verdict is ${verdict}: expected one of ${VERDICTS.join(", ")}`);
    const finding = { repository, commit, rule, path, line, hash, verdict, ...(why ? { why } : {}) };
    judged.set(keyOf(finding), finding);
  }
  const sorted = [...judged.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  writeFileSync(JUDGED, sorted.map((finding) => JSON.stringify(finding) + "\n").join(""));
}

const found = clones.flatMap(findingsOf);
const scanned = new Set(found.map((finding) => finding.repository));
if (options.todo) {
  const open = found.filter((finding) => !judged.has(keyOf(finding)));
  writeFileSync(options.todo, open.map((finding) => JSON.stringify(finding) + "\n").join(""));
  console.log(`${open.length} of ${found.length} findings are to be judged: ${options.todo}`);
}

/** Counts by rule of what was judged; with clones, of what is found in them now. */
function countByRule() {
  const rules = new Map();
  const row = (rule, priority) => {
    if (!rules.has(rule)) rules.set(rule, { rule, priority, true: 0, trivial: 0, false: 0, open: 0, won: 0, lost: 0 });
    return rules.get(rule);
  };
  for (const finding of found) {
    const verdict = judged.get(keyOf(finding))?.verdict ?? "open";
    row(finding.rule, finding.priority)[verdict] += 1;
  }
  const now = new Set(found.map(keyOf));
  for (const finding of judged.values()) {
    if (!scanned.has(finding.repository) || now.has(keyOf(finding))) continue;
    row(finding.rule, "-")[finding.verdict === "false" ? "won" : "lost"] += 1;
  }
  return [...rules.values()].sort((a, b) => (a.rule < b.rule ? -1 : 1));
}

/** How many findings a rule's claim holds for, of how many: a suggestion (P3) claims no more than that it is right. */
const claims = (row) => [row.true + (row.priority === "P3" ? row.trivial : 0), row.true + row.trivial + row.false];

/** The share that a rule's claim holds for. */
function precision(row) {
  const [right, all] = claims(row);
  return all === 0 ? "" : `${Math.round((100 * right) / all)} %`;
}

/** Between what the true share lies with a probability of 95 %, by Wilson, as shares. */
function interval(right, all) {
  const z = 1.96;
  const middle = (right + (z * z) / 2) / (all + z * z);
  const half = (z / (all + z * z)) * Math.sqrt((right * (all - right)) / all + (z * z) / 4);
  return [middle - half, middle + half];
}

function intervalText(row) {
  const [right, all] = claims(row);
  if (all === 0) return "";
  const [low, high] = interval(right, all).map((share) => Math.round(100 * share));
  return `${low} to ${high} %`;
}

/** Whether a bar is met: by the whole interval; by what was found so far, which is too few findings to tell; or not. */
function barText(row, bar) {
  const [right, all] = claims(row);
  if (all === 0) return "";
  if (right / all < bar) return "missed";
  return interval(right, all)[0] >= bar ? "met" : "too few";
}

if (found.length > 0) {
  const rows = countByRule();
  const columns = ["rule", "priority", "true", "trivial", "false", "right", "95 % sure", "bar"];
  const cellsOf = (row) => [row.priority, row.true, row.trivial, row.false, precision(row), intervalText(row), barText(row, 0.9)];
  if (options.table) {
    console.log(`| ${columns.join(" | ")} |\n|${"---|".repeat(columns.length)}`);
    for (const row of rows) console.log(`| \`${row.rule}\` | ${cellsOf(row).join(" | ")} |`);
  } else {
    console.log([...columns, "open", "no longer found: false", "others"].join("\t"));
    for (const row of rows) console.log([row.rule, ...cellsOf(row), row.open, row.won, row.lost].join("\t"));
  }
  for (const priority of ["P0", "P1", "P2", "P3"]) {
    const of = rows.filter((row) => row.priority === priority);
    const sum = (name) => of.reduce((all, row) => all + row[name], 0);
    const all = { priority, true: sum("true"), trivial: sum("trivial"), false: sum("false") };
    const share = precision(all) && `, ${precision(all)} (${intervalText(all)}), ${barText(all, priority < "P2" ? 0.98 : 0.9)}`;
    console.log(`${priority}: ${all.true} true, ${all.trivial} trivial, ${all.false} false${share}`);
  }
}
