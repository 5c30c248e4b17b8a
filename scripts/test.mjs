// Runs everything that must hold, one step after the other, and ends with the line `N passed, N failed`.
// Prints a line for each step and test program, and the whole output of whatever failed.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";

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
const total = { passed: 0, failed: 0 };

/** Runs a command; hands each line of its output on; resolves to its exit status and everything it said. */
function run(command, args, onLine = () => {}, extra = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env: { ...env, ...extra }, stdio: ["ignore", "pipe", "pipe"] });
    const lines = [];
    const take = (stream) => createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      onLine(line);
    });
    take(child.stdout);
    take(child.stderr);
    child.on("error", (error) => resolve({ status: 127, lines: [String(error)] }));
    child.on("close", (status) => resolve({ status: status ?? 1, lines }));
  });
}

function count(name, passed, failed, seconds) {
  total.passed += passed;
  total.failed += failed;
  const mark = failed ? paint(31, "✗") : paint(32, "✓");
  const detail = passed + failed === 1 ? "" : `  ${passed} passed${failed ? `, ${failed} failed` : ""}`;
  console.log(`${mark} ${name}${detail}  ${paint(2, `${seconds.toFixed(1)} s`)}`);
}

const since = (start) => (Date.now() - start) / 1000;

/** A step that passes when its command exits with 0. */
async function step(name, command, args, extra) {
  const start = Date.now();
  const { status, lines } = await run(command, args, undefined, extra);
  count(name, status === 0 ? 1 : 0, status === 0 ? 0 : 1, since(start));
  if (status !== 0) console.log(lines.join("\n"));
}

/** `cargo test`: one line for each test program that has tests; the output of what failed. */
async function cargoTests(args) {
  let program = "";
  let start = Date.now();
  let programs = 0;
  let held = [];
  const onLine = (line) => {
    const plain = line.replace(/\x1b\[[0-9;]*m/g, "").trim();
    const running = plain.match(/^Running (?:unittests )?(\S+) \(.*?([^/\\]+?)-[0-9a-f]+\)$/) ?? plain.match(/^(Doc-tests) (\S+)$/);
    if (running) {
      program = `${running[2]} ${running[1]}`;
      start = Date.now();
      held = [];
    }
    held.push(line);
    const result = plain.match(/^test result: \w+\. (\d+) passed; (\d+) failed;/);
    if (result) {
      programs += 1;
      const [passed, failed] = [Number(result[1]), Number(result[2])];
      if (passed + failed > 0) count(program, passed, failed, since(start));
      if (failed > 0) console.log(held.join("\n"));
    }
  };
  const { status, lines } = await run("cargo", ["test", ...args], onLine, linted);
  // A test program that did not build, or died, reports no result of its own.
  if (status !== 0 && total.failed === 0) {
    count("cargo test", 0, 1, since(start));
    console.log(lines.slice(-60).join("\n"));
  }
  if (programs === 0 && status === 0) count("cargo test found no test", 0, 1, since(start));
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
  if (failed > 0) console.log(lines.slice(-120).join("\n"));
}

/** The demo, as a person would run it: each scenario counts as one test. */
async function demo() {
  const start = Date.now();
  const ended = [];
  const { status, lines } = await run("cargo", ["run", "--quiet", "--package", "collie-cli", "--", "demo", "--json"], (line) => {
    if (line.startsWith("{")) {
      const said = JSON.parse(line);
      if (said.type === "scenario") ended.push(said);
    }
  }, linted);
  for (const said of ended) count(`demo ${said.scenario}`, said.as_designed ? 1 : 0, said.as_designed ? 0 : 1, said.elapsed_ms / 1000);
  const bad = ended.filter((said) => !said.as_designed);
  for (const said of bad) console.log(`  ${said.problems.join("\n  ")}`);
  if (ended.length === 0 || (status !== 0 && bad.length === 0)) {
    count("demo", 0, 1, since(start));
    console.log(lines.slice(-60).join("\n"));
  }
}

await step("format", "cargo", ["fmt", "--all", "--check"]);
// The program holds the page that was built.
await step("ui build", "npm", ["run", "--silent", "ui:build"]);
await step("build without a lint", "cargo", ["test", "--quiet", "--workspace", "--all-targets", "--no-run"], linted);
await cargoTests(["--workspace", "--no-fail-fast"]);
for (const file of readdirSync("scripts").filter((name) => /^check-.*\.mjs$/.test(name)).sort()) {
  await step(file.replace(/\.mjs$/, ""), "node", [join("scripts", file)]);
}
await componentTests();
await demo();
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
