#!/usr/bin/env node
// Finds candidates for the cases of `collie eval` in the histories of cloned repositories.
//
//   node scripts/eval-cases.mjs [--most N] [--clean] [--review] CLONE…
//
// A candidate with a fault is the commit that brought lines in which a later small fix mended (SZZ: `git blame` of what the fix took out). A
// clean one is a commit whose lines nobody has touched for years. It prints JSON, one candidate a line; with --review what a person must read
// to judge it: the hunk of the change and the fix. A candidate is no case before somebody has read both: docs/eval.md says what to look for.

import { execFileSync } from "node:child_process";
import { basename } from "node:path";

const args = process.argv.slice(2);
const flag = (name) => {
  const at = args.indexOf(name);
  if (at >= 0) args.splice(at, 1);
  return at >= 0;
};
const value = (name, usual) => {
  const at = args.indexOf(name);
  return at >= 0 ? Number(args.splice(at, 2)[1]) : usual;
};
const review = flag("--review");
const clean = flag("--clean");
const most = value("--most", 10);
const skip = value("--skip", 0);

/** What a fix may change at most, in lines of source. */
const MAX_FIX_LINES = 20;
/** What the change that brought the fault may change at most: a reviewer reads it in one go. */
const MAX_CHANGE_LINES = 400;
/** How long lines must have stood to count as clean. */
const CLEAN_YEARS = 3;
const DAY = 86400;

const SOURCE = /\.(rs|go|py|js|jsx|ts|tsx|mjs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala)$/;
const NOT_SOURCE = /(^|\/)(tests?|spec|specs|__tests__|testing|vendor|third_party|dist|docs?|examples?|benchmarks?|benches|node_modules)\/|[._-](test|spec)s?\.|_test\.|(^|\/)test_|\.min\.|\.d\.ts$/i;
const FIX = /\b(fix(e[sd])?|bug|regression|crash|panic|incorrect|wrong(ly)?|off.by.one|leak|race|deadlock|overflow|underflow|broken|missing (check|return|break))\b/i;
const NO_FIX = /\b(typo|docs?|documentation|readme|changelog|lint(er)?|flake8|clippy|warnings?|format(ting)?|whitespace|spelling|tests?|ci|travis|build|compile|compilation|version|release|deprecat\w+|revert|merge|comment|style|cleanup|rename)\b/i;

/** Functions begin where git's own patterns say. */
const DRIVERS = { rs: "rust", go: "golang", py: "python", java: "java", kt: "kotlin", rb: "ruby", php: "php", c: "cpp", h: "cpp", cc: "cpp", cpp: "cpp", hpp: "cpp", cs: "csharp" };

function git(clone, ...rest) {
  return execFileSync("git", ["-C", clone, ...rest], { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
}

function attempt(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const isSource = (path) => SOURCE.test(path) && !NOT_SOURCE.test(path);

/** All commits with one parent: hash, time, subject, and lines added and removed by path. */
function commits(clone) {
  const text = git(clone, "log", "--no-merges", "-M", "--numstat", "--format=%x01%H%x00%P%x00%ct%x00%s");
  return text
    .split("\x01")
    .slice(1)
    .map((entry) => {
      const [head, ...rest] = entry.split("\n");
      const [hash, parents, time, subject] = head.split("\0");
      const files = rest
        .map((line) => line.split("\t"))
        .filter((parts) => parts.length === 3 && parts[0] !== "-")
        .map(([added, removed, path]) => ({ path, added: Number(added), removed: Number(removed) }));
      return { hash, parents: parents.split(" ").filter(Boolean), time: Number(time), subject, files };
    })
    .filter((commit) => commit.parents.length === 1);
}

/** What a commit took out, as ranges of lines before it, by path before it. */
function removed(clone, hash) {
  const text = git(clone, "show", "-M", "-U0", "--format=", hash);
  const ranges = [];
  let path;
  for (const line of text.split("\n")) {
    if (line.startsWith("--- ")) path = line.slice(4).replace(/^a\//, "");
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+/.exec(line);
    if (hunk && path !== "/dev/null" && isSource(path)) {
      const [from, count] = [Number(hunk[1]), Number(hunk[2] ?? 1)];
      if (count > 0) ranges.push({ path, from, to: from + count - 1 });
    }
  }
  return ranges;
}

/** Who brought each line in: commit, line and path there. Blank lines and comments tell nothing. */
function blame(clone, commit, { path, from, to }) {
  const text = git(clone, "blame", "-w", "-M", "--porcelain", "-L", `${from},${to}`, commit, "--", path);
  const lines = [];
  const names = new Map();
  let current;
  for (const line of text.split("\n")) {
    const head = /^([0-9a-f]{40}) (\d+) \d+/.exec(line);
    if (head) current = { hash: head[1], line: Number(head[2]) };
    else if (line.startsWith("filename ")) names.set(current.hash, line.slice(9));
    else if (line.startsWith("\t")) {
      const code = line.trim();
      if (code && !/^(\/\/|#(?!\[)|\*|\/\*|"""|[{}()[\];,]+$)/.test(code)) lines.push({ ...current, code });
    }
  }
  return lines.map((line) => ({ ...line, path: names.get(line.hash) }));
}

/** The lines of the function around a line at a commit, by git's patterns. */
function functionAround(clone, commit, path, line) {
  const driver = DRIVERS[path.split(".").pop()];
  const text = attempt(() => git(clone, "show", `${commit}:${path}`));
  if (!driver || text === undefined) return undefined;
  const lines = text.split("\n");
  const begins = {
    rust: /^\s*(pub(\([^)]*\))?\s+)?(async\s+|const\s+|unsafe\s+|extern\s+"[^"]*"\s+)*fn\b/,
    golang: /^func\b/,
    python: /^\s*(async\s+)?def\b/,
    java: /^\s*(public|private|protected|static|final|synchronized|abstract|\s)+[\w<>[\],.? ]+\([^;]*$/,
    kotlin: /^\s*([\w]+\s+)*fun\b/,
    ruby: /^\s*def\b/,
    php: /^\s*([\w]+\s+)*function\b/,
    cpp: /^[A-Za-z_][\w\s*,:<>~&]*\([^;]*$/,
    csharp: /^\s*(public|private|protected|internal|static|async|override|virtual|\s)+[\w<>[\],.? ]+\([^;]*$/,
  }[driver];
  let from = line;
  while (from > 1 && !begins.test(lines[from - 1])) from -= 1;
  if (!begins.test(lines[from - 1])) return undefined;
  const indent = /^\s*/.exec(lines[from - 1])[0].length;
  let to = Math.max(line, from + 1);
  const depth = (text) => /^\s*/.exec(text)[0].length;
  while (to < lines.length && (!lines[to].trim() || depth(lines[to]) > indent || /^\s*[{})]/.test(lines[to]))) {
    to += 1;
    if (/^\s*}/.test(lines[to - 1]) && depth(lines[to - 1]) <= indent) break;
  }
  while (to > line && !lines[to - 1].trim()) to -= 1;
  return to - from > 300 ? undefined : [from, to];
}

function repositoryName(clone) {
  const parts = clone.replace(/\/+$/, "").replace(/\/(repo|\.git)$/, "");
  const url = attempt(() => git(clone, "remote", "get-url", "origin").trim()) ?? "";
  const named = /github\.com[:/]([^/]+\/[^/]+?)(\.git)?$/.exec(url)?.[1];
  return named ?? basename(parts).replace("+", "/");
}

const lines = (files) => files.reduce((sum, file) => sum + file.added + file.removed, 0);

function faultCandidates(clone, all) {
  const byHash = new Map(all.map((commit) => [commit.hash, commit]));
  const found = [];
  const taken = new Set();
  for (const fix of all) {
    const source = fix.files.filter((file) => isSource(file.path));
    const fits = FIX.test(fix.subject) && !NO_FIX.test(fix.subject) && source.length >= 1 && source.length <= 2;
    if (!fits || lines(source) > MAX_FIX_LINES || fix.files.length > 6) continue;
    const origins = new Map();
    let blamed = 0;
    for (const range of removed(clone, fix.hash)) {
      for (const line of attempt(() => blame(clone, fix.parents[0], range)) ?? []) {
        blamed += 1;
        origins.set(line.hash, [...(origins.get(line.hash) ?? []), line]);
      }
    }
    // One commit brought all of it in: the cause is clear.
    if (origins.size !== 1) continue;
    const [hash, mended] = [...origins][0];
    const cause = byHash.get(hash);
    if (!cause || taken.has(hash) || fix.time - cause.time < DAY || new Set(mended.map((line) => line.path)).size !== 1) continue;
    const changed = cause.files.filter((file) => isSource(file.path));
    if (lines(changed) > MAX_CHANGE_LINES || lines(changed) < 4 || changed.length > 8 || cause.files.length > 20) continue;
    taken.add(hash);
    const numbers = mended.map((line) => line.line).sort((a, b) => a - b);
    const path = mended[0].path;
    found.push({
      repository: repositoryName(clone),
      base: cause.parents[0],
      head: hash,
      fixed_by: fix.hash,
      file: path,
      lines: [numbers[0], numbers.at(-1)],
      within: functionAround(clone, hash, path, numbers[0]),
      changed: lines(changed),
      blamed,
      cause: cause.subject,
      fix: fix.subject,
    });
    if (found.length >= most + skip) break;
  }
  return found.slice(skip);
}

function cleanCandidates(clone, all) {
  const newest = all[0].time;
  const found = [];
  for (const commit of all) {
    const source = commit.files.filter((file) => isSource(file.path));
    const old = newest - commit.time > CLEAN_YEARS * 365 * DAY;
    const size = lines(source);
    if (!old || FIX.test(commit.subject) || NO_FIX.test(commit.subject) || source.length < 1 || source.length > 3) continue;
    if (commit.files.length > 6 || size < 8 || size > 120 || source.some((file) => file.path.includes("=>"))) continue;
    const stands = source.every((file) => {
      if (file.added === 0) return false;
      const text = attempt(() => git(clone, "blame", "-w", "-s", "-l", "HEAD", "--", file.path));
      return text && text.split("\n").filter((line) => line.startsWith(commit.hash)).length >= file.added;
    });
    if (!stands) continue;
    found.push({ repository: repositoryName(clone), base: commit.parents[0], head: commit.hash, changed: size, cause: commit.subject });
    if (found.length >= most + skip) break;
  }
  return found.slice(skip);
}

/** What a person reads to judge a candidate. */
function show(clone, one) {
  console.log(`\n===== ${one.repository} ${one.head.slice(0, 10)} (${one.changed} lines): ${one.cause}`);
  if (!one.fixed_by) {
    console.log(git(clone, "show", "-U3", "--format=", one.head).split("\n").filter((line) => line.length < 300).slice(0, 90).join("\n"));
    return;
  }
  console.log(`----- ${one.file}:${one.lines.join("-")}${one.within ? ` in ${one.within.join("-")}` : ""}; at that head:`);
  const text = git(clone, "show", `${one.head}:${one.file}`).split("\n");
  const from = Math.max(1, one.lines[0] - 8);
  for (let at = from; at <= Math.min(text.length, one.lines[1] + 6, from + 45); at += 1) {
    const mark = at >= one.lines[0] && at <= one.lines[1] ? ">" : " ";
    console.log(`${mark}${at}: ${text[at - 1].slice(0, 160)}`);
  }
  console.log(`----- fixed by ${one.fixed_by.slice(0, 10)}: ${one.fix}`);
  const said = git(clone, "show", "-s", "--format=%b", one.fixed_by).trim().split("\n").slice(0, 6).join("\n");
  if (said) console.log(said);
  const diff = git(clone, "show", "-U2", "--format=", one.fixed_by, "--", one.file).split("\n").slice(4, 50);
  console.log(diff.map((line) => line.slice(0, 160)).join("\n"));
}

if (args.length === 0) {
  console.error("usage: node scripts/eval-cases.mjs [--most N] [--skip N] [--clean] [--review] CLONE…");
  process.exit(2);
}
for (const clone of args) {
  const all = commits(clone);
  for (const one of clean ? cleanCandidates(clone, all) : faultCandidates(clone, all)) {
    if (review) show(clone, one);
    else console.log(JSON.stringify(one));
  }
}
