// Breaks our safeguards, one at a time, and says which tests notice. The list is in tests/mutants.
//
//   node scripts/mutants.mjs                    all of them
//   node scripts/mutants.mjs redirect git.mjs   those whose name or list has one of these words
//   node scripts/mutants.mjs --list             their names, and whether each still fits the code
//
// It works on a copy of what is committed, in target/mutants, with a build of its own: the first run compiles everything. Each test has to
// pass before, and to fail once its safeguard is broken. It exits with 1 when a mutant was not noticed, or does not fit the code any more.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { runCommand } from "./run-command.mjs";

const LISTS = "tests/mutants";
/** A test that hangs has noticed something too. */
const MINUTES = 15;
/** The first time everything is built. */
const FIRST_MINUTES = 90;

async function readMutants() {
  const files = readdirSync(LISTS).filter((file) => file.endsWith(".mjs")).sort();
  const lists = await Promise.all(files.map(async (file) => ({ file, mutants: (await import(pathToFileURL(resolve(LISTS, file)))).default })));
  return lists.flatMap(({ file, mutants }) => mutants.map((mutant) => ({ ...mutant, list: file })));
}

/** The file with its safeguard broken; null where the text that is to be replaced does not stand there exactly once. */
function mutate(root, { file, find, replace }) {
  const path = join(root, file);
  if (!existsSync(path)) return null;
  const parts = readFileSync(path, "utf8").split(find);
  return parts.length === 2 ? parts.join(replace) : null;
}

/** A copy of the commit that is checked out, with what is built there kept from run to run. */
function copyCommit(folder) {
  const git = (...args) => {
    const { status, stderr } = spawnSync("git", args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  };
  if (existsSync(folder)) {
    git("-C", folder, "fetch", "--quiet", "origin");
    git("-C", folder, "reset", "--quiet", "--hard", spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).stdout.trim());
  } else {
    mkdirSync(resolve(folder, ".."), { recursive: true });
    git("clone", "--quiet", ".", folder);
  }
  // Built by `npm run ui:build`; the crates that include it do not compile without.
  rmSync(join(folder, "ui/dist"), { recursive: true, force: true });
  if (existsSync("ui/dist")) cpSync("ui/dist", join(folder, "ui/dist"), { recursive: true });
  // Some tests read what others publish as packages.
  const packages = join(folder, "node_modules");
  if (existsSync("node_modules") && !existsSync(packages)) symlinkSync(resolve("node_modules"), packages);
}

/** Runs a test: what `cargo test` takes, or, where it begins with `node`, a script, which counts as one test when it says what it has judged. */
async function testRun(folder, test, minutes = MINUTES) {
  const [first, ...rest] = test.split(" ").filter(Boolean);
  if (first === "node") return runCommand("node", rest, { cwd: folder, minutes });
  const env = { CARGO_INCREMENTAL: "0", ...process.env, INSTA_UPDATE: "no" };
  return runCommand("cargo", ["test", "--quiet", first, ...rest], { cwd: folder, minutes, env });
}

/** Tests that ran, by what cargo says of each program, or a script of itself. */
const ranTests = (lines) =>
  lines.reduce((sum, line) => {
    if (line.startsWith("judged: ")) return sum + 1;
    const said = line.match(/^test result: .*? (\d+) passed; (\d+) failed/);
    return said ? sum + Number(said[1]) + Number(said[2]) : sum;
  }, 0);

async function judge(folder, mutant) {
  const path = join(folder, mutant.file);
  const broken = mutate(folder, mutant);
  if (broken === null) return { mark: "✗", why: `does not fit ${mutant.file} any more` };
  const original = readFileSync(path, "utf8");
  writeFileSync(path, broken);
  try {
    const { status, lines } = await testRun(folder, mutant.test);
    if (lines.some((line) => /^error(\[E\d+\])?:? /.test(line) && !/test failed/.test(line)) && ranTests(lines) === 0) {
      return { mark: "✗", why: "does not compile", lines };
    }
    if (status === 0) return { mark: "✗", why: ranTests(lines) === 0 ? `no test is called so: ${mutant.test}` : `not noticed by ${mutant.test}` };
    return { mark: "✓", why: "" };
  } finally {
    writeFileSync(path, original);
  }
}

const words = process.argv.slice(2);
const all = await readMutants();
if (words[0] === "--list") {
  for (const mutant of all) console.log(`${mutate(".", mutant) === null ? "✗" : " "} ${mutant.list.padEnd(12)} ${mutant.name}`);
  process.exit(0);
}
const chosen = all.filter(({ name, list }) => words.length === 0 || words.some((word) => name.includes(word) || list.includes(word)));
const folder = resolve("target/mutants");
copyCommit(folder);
// First all tests on the code as it is, with one build for each package.
const red = new Set();
for (const test of [...new Set(chosen.map((mutant) => mutant.test))].sort()) {
  const { status, lines } = await testRun(folder, test, FIRST_MINUTES);
  if (status === 0 && ranTests(lines) > 0) continue;
  red.add(test);
  console.log(`red without a mutant, or no test: ${test}\n${lines.slice(-30).join("\n")}`);
}
let missed = 0;
for (const mutant of chosen.sort((a, b) => a.file.localeCompare(b.file))) {
  const began = Date.now();
  const { mark, why, lines } = red.has(mutant.test) ? { mark: "✗", why: `red without it, or no test: ${mutant.test}` } : await judge(folder, mutant);
  if (mark === "✗") missed += 1;
  console.log(`${mark} ${mutant.list.padEnd(12)} ${mutant.name} (${Math.round((Date.now() - began) / 1000)} s)${why && `\n    ${why}`}`);
  if (lines) console.log(lines.filter((line) => /^(error|  -->)/.test(line)).slice(0, 8).map((line) => `    ${line}`).join("\n"));
}
console.log(`${chosen.length} safeguards broken, ${chosen.length - missed} noticed, ${missed} not`);
process.exitCode = missed > 0 ? 1 : 0;
