// Runs everything that must hold, one step after the other, and ends with the line `N passed, N failed`.
// Prints a line for each step and test program, and the whole output of whatever failed; at the end once more what failed, each in short.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { runCommand } from "./run-command.mjs";
import { failedTests } from "./failed-tests.mjs";

const long = process.argv.includes("--long");
const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code, text) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);
const env = {
  ...process.env,
  PATH: [process.env.PATH, join(homedir(), ".cargo", "bin")].join(delimiter),
  CARGO_TERM_COLOR: colour ? "always" : "never",
  // Tests that repeat something at random do so more often.
  ...(long ? { COLLIE_TEST_LONG: "1" } : {}),
};
// Clippy is rustc with more lints. As the compiler of the workspace's own crates it lints what it builds, and nothing is
// compiled once for the lints and once for the tests. Its arguments come as `cargo clippy` hands them on.
const linted = { RUSTC_WORKSPACE_WRAPPER: "clippy-driver", CLIPPY_ARGS: "-Dwarnings__CLIPPY_HACKERY__" };
/** All crates, with `collie worker`, which no release has. */
const WORKSPACE = ["--workspace", "--features", "collie-cli/restate"];
const targetFolder = process.env.CARGO_TARGET_DIR ?? "target";
const total = { passed: 0, failed: 0 };
/** What failed, each with its last words: its whole output may be thousands of lines above the end. */
const failures = [];
/** So many lines of the output of a failed step are shown at the end. */
const LAST_LINES = 15;
const fail = (name, lines) => failures.push({ name, lines: lines.slice(-LAST_LINES) });

/** No step lasts longer, but the build. Without a limit, a test that hangs would leave everybody waiting without a word. */
const STEP_MINUTES = long ? 60 : 25;
const BUILD_MINUTES = 60;

const run = (command, args, { extra = {}, minutes = STEP_MINUTES, ...more } = {}) =>
  runCommand(command, args, { env: { ...env, ...extra }, minutes, ...more });

function count(name, passed, failed, seconds) {
  total.passed += passed;
  total.failed += failed;
  const mark = failed ? paint(31, "✗") : paint(32, "✓");
  const detail = passed + failed === 1 ? "" : `  ${passed} passed${failed ? `, ${failed} failed` : ""}`;
  console.log(`${mark} ${name}${detail}  ${paint(2, `${seconds.toFixed(1)} s`)}`);
}

const since = (start) => (Date.now() - start) / 1000;

/** A step that passes when its command exits with 0. */
async function step(name, command, args, { extra, minutes } = {}) {
  const start = Date.now();
  const { status, lines } = await run(command, args, { extra, ...(minutes ? { minutes } : {}) });
  count(name, status === 0 ? 1 : 0, status === 0 ? 0 : 1, since(start));
  if (status === 0) return;
  console.log(lines.join("\n"));
  fail(name, lines);
}

/** Builds every test program with its lints; gives each as its name, file and folder. What cargo says is shown when it fails. */
async function buildTests() {
  const start = Date.now();
  const programs = [];
  const args = ["test", ...WORKSPACE, "--no-run", "--message-format=json-render-diagnostics"];
  const onLine = (line) => {
    const artifact = line.startsWith("{") ? JSON.parse(line) : {};
    if (artifact.reason !== "compiler-artifact" || !artifact.executable) return;
    // Tests that start this one would build it anew, with features of its own.
    if (artifact.target.name === "collie-fake-agent") env.COLLIE_FAKE_AGENT = artifact.executable;
    if (artifact.target.name === "collie-sandbox-supervisor") env.COLLIE_SANDBOX_SUPERVISOR = artifact.executable;
    if (!artifact.profile.test) return;
    const folder = dirname(artifact.manifest_path);
    programs.push({ name: `${relative(process.cwd(), folder) || "src-tauri"} ${artifact.target.name}`, file: artifact.executable, folder });
  };
  const { status, lines } = await run("cargo", args, { onLine, extra: linted, minutes: BUILD_MINUTES });
  const built = status === 0 && programs.length > 0;
  count("build without a lint", built ? 1 : 0, built ? 0 : 1, since(start));
  if (built) return programs;
  const said = lines.filter((line) => !line.startsWith("{"));
  console.log(said.join("\n"));
  fail("build without a lint", said);
  return [];
}

/** Counts what a run of tests reported; a run that died reports nothing of the test that it died in. */
function countTests(name, { status, lines }, start) {
  let [passed, failed] = [0, 0];
  for (const line of lines) {
    const result = line.match(/^test result: \w+\. (\d+) passed; (\d+) failed;/);
    if (result) [passed, failed] = [passed + Number(result[1]), failed + Number(result[2])];
  }
  if (status !== 0 && failed === 0) failed = 1;
  if (passed + failed > 0) count(name, passed, failed, since(start));
  if (failed === 0) return;
  console.log(lines.join("\n"));
  const tests = failedTests(lines);
  if (tests.length === 0) fail(name, lines);
  for (const test of tests) failures.push({ name: `${name}: ${test.name}`, lines: test.lines });
}

/** What the provers say of what they searched and played: the size of the space, and the seeds. */
const SEARCHED = /^played |^[^:]+: \d+ situations, /;

/** Runs a test program where `cargo test` would. */
async function testProgram({ name, file, folder }) {
  const start = Date.now();
  const isProver = name.startsWith("crates/sim ");
  const ended = await run(file, isProver ? ["--show-output"] : [], { extra: { CARGO_MANIFEST_DIR: folder }, cwd: folder });
  countTests(name, ended, start);
  if (isProver) for (const line of ended.lines.filter((said) => SEARCHED.test(said))) console.log(`  ${line}`);
}

/** New schedules for as long as `COLLIE_SIM_SECONDS` says; how many were played on which commit is added up in `target/sim/played.jsonl`. */
async function simulate() {
  const seconds = Number(process.env.COLLIE_SIM_SECONDS ?? 600);
  const { lines } = await run("git", ["rev-parse", "HEAD"]);
  const args = ["--for", String(seconds), "--record", join(targetFolder, "sim", "played.jsonl"), "--commit", lines[0] ?? ""];
  const cargo = ["run", "--quiet", "--profile", "sim", "--package", "collie-sim", "--bin", "sim", "--", ...args];
  await step(`schedules for ${seconds} s`, "cargo", cargo, { minutes: BUILD_MINUTES + seconds / 60 });
}

async function docTests() {
  const start = Date.now();
  countTests("documentation", await run("cargo", ["test", "--workspace", "--doc"], { extra: linted, minutes: BUILD_MINUTES }), start);
}

/** The programs that take longest: they are begun first, so that none of them runs alone at the end. */
const LONGEST = ["src-tauri desktop", "crates/engine it", "crates/cli it", "crates/app it", "crates/agents acp"];

const rank = ({ name }) => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length);

/** Does every task, two at a time: tests wait more than they compute. */
async function inTwoLanes(tasks) {
  const left = [...tasks];
  const lane = async () => {
    for (let task = left.shift(); task; task = left.shift()) await task();
  };
  await Promise.all([lane(), lane()]);
}

/** The window's component tests. */
async function componentTests() {
  const start = Date.now();
  const folder = mkdtempSync(join(tmpdir(), "collie-vitest-"));
  const file = join(folder, "report.json");
  const { status, lines } = await run("npx", ["vitest", "run", "--root", "ui", "--reporter=default", "--reporter=json", `--outputFile.json=${file}`]);
  let passed = 0;
  let failed = 0;
  try {
    const report = JSON.parse(readFileSync(file, "utf8"));
    passed = report.numPassedTests;
    failed = report.numFailedTests;
  } catch {
    // Without a report nothing is known to have passed.
  }
  rmSync(folder, { recursive: true });
  if (failed === 0 && (status !== 0 || passed === 0)) failed = 1;
  count("ui components", passed, failed, since(start));
  if (failed === 0) return;
  console.log(lines.slice(-120).join("\n"));
  fail("ui components", lines);
}

/** The demo, as a person would run it: each scenario counts as one test. */
async function demo() {
  const start = Date.now();
  const ended = [];
  const onLine = (line) => {
    if (line.startsWith("{")) {
      const said = JSON.parse(line);
      if (said.type === "scenario") ended.push(said);
    }
  };
  const { status, lines } = await run(join(targetFolder, "debug", "collie"), ["demo", "--json"], { onLine });
  for (const said of ended) count(`demo ${said.scenario}`, said.as_designed ? 1 : 0, said.as_designed ? 0 : 1, said.elapsed_ms / 1000);
  const bad = ended.filter((said) => !said.as_designed);
  for (const said of bad) {
    console.log(`  ${said.problems.join("\n  ")}`);
    fail(`demo ${said.scenario}`, said.problems);
  }
  if (ended.length === 0 || (status !== 0 && bad.length === 0)) {
    count("demo", 0, 1, since(start));
    console.log(lines.slice(-60).join("\n"));
    fail("demo", lines);
  }
}

/** Every fuzz target for a minute under libFuzzer; each counts as one test. */
async function fuzzing() {
  const start = Date.now();
  let targets = 0;
  const onLine = (line) => {
    if (!/^[✓✗] /.test(line)) return;
    targets += 1;
    count(`fuzz${line.slice(1).replace(/ +/g, " ")}`, line.startsWith("✓") ? 1 : 0, line.startsWith("✗") ? 1 : 0, since(start));
  };
  const { status, lines } = await run("node", [join("scripts", "fuzz.mjs"), "--minutes", "1"], { onLine });
  if (targets === 0) count("fuzz", 0, 1, since(start));
  if (status === 0) return;
  console.log(lines.slice(-200).join("\n"));
  fail("fuzz", lines);
}

await step("format", "cargo", ["fmt", "--all", "--check"]);
// The program holds the page that was built.
await step("ui build", "npm", ["run", "--silent", "ui:build"]);
const programs = (await buildTests()).sort((one, other) => rank(one) - rank(other));
// Benches are run by hand: that they can be is known once they compile.
await step("benches without a lint", "cargo", ["test", ...WORKSPACE, "--benches", "--no-run"], { extra: linted, minutes: BUILD_MINUTES });
const checks = readdirSync("scripts").filter((name) => /^check-.*\.mjs$/.test(name)).sort();
await inTwoLanes([
  ...programs.map((program) => () => testProgram(program)),
  ...checks.map((file) => () => step(file.replace(/\.mjs$/, ""), "node", [join("scripts", file)])),
  componentTests,
  demo,
]);
await docTests();
if (long) {
  await step("the model within wide bounds", "cargo", ["test", "--profile", "sim", "-p", "collie-sim", "--", "--test-threads=1"], { extra: { COLLIE_SIM_LONG: "1" } });
  await simulate();
  await fuzzing();
}
for (const { name, lines } of failures) console.log(`\n${paint(31, "✗")} ${name}\n  ${lines.join("\n  ")}`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
