// The long form of the fuzz targets: libFuzzer, led by what it covers, on whatever stable Rust is there. It needs a C++ compiler.
//
//   node scripts/fuzz.mjs                              every target, ten minutes each, one after the other
//   node scripts/fuzz.mjs --minutes 2 sanitizer paths  these two, two minutes each
//   node scripts/fuzz.mjs --list                       their names
//
// It says what was executed and found, and exits with 1 when something was. Inputs that lead to something new are kept in target/fuzz/corpus,
// and it goes on from them. An input that broke a property is in target/fuzz/finds; as a file of the target's corpus, which is in fuzz/NAME
// of its crate, it stays a test.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";

/** A crate with a folder `fuzz` has a target for each folder in it, and a test of that name. */
function knownTargets() {
  const crates = readdirSync("crates").filter((name) => name !== "fuzz" && existsSync(join("crates", name, "fuzz")));
  return crates.flatMap((crate) => readdirSync(join("crates", crate, "fuzz")).map((name) => ({ crate, name })));
}

function readArguments() {
  const chosen = { minutes: 10, names: [], list: false };
  const rest = process.argv.slice(2);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--list") chosen.list = true;
    else if (word === "--minutes") chosen.minutes = Number(rest.shift());
    else if (word.startsWith("--")) fail(`Unknown option ${word}: fuzz.mjs takes --minutes N, --list and names of targets.`);
    else chosen.names.push(word);
  }
  if (!(chosen.minutes > 0)) fail("--minutes wants a number above 0.");
  return chosen;
}

function fail(words) {
  console.error(words);
  process.exit(2);
}

/** Builds the crates' unit tests for libFuzzer; the test program of each crate. */
function build(crates) {
  const wrapper = resolve("scripts/rustc-for-fuzzing.sh");
  const args = ["test", "--lib", "--no-run", "--message-format=json-render-diagnostics", ...crates.flatMap((crate) => ["-p", `collie-${crate}`])];
  const env = { ...process.env, RUSTC_WRAPPER: wrapper, RUSTC_WORKSPACE_WRAPPER: wrapper, CARGO_INCREMENTAL: "0" };
  const { status, stdout } = spawnSync("cargo", args, { env, stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28, encoding: "utf8" });
  if (status !== 0) fail("The targets could not be built.");
  const programs = {};
  for (const line of stdout.split("\n").filter((line) => line.startsWith("{"))) {
    const artifact = JSON.parse(line);
    if (artifact.reason === "compiler-artifact" && artifact.executable) programs[artifact.target.name.replace("collie_", "")] = artifact.executable;
  }
  return programs;
}

/** The test's whole name: `text::fuzz_tests::paths`. */
function testName(program, name) {
  const { stdout } = spawnSync(program, ["--list", "--format=terse"], { encoding: "utf8" });
  const found = stdout.split("\n").map((line) => line.replace(/: test$/, "")).find((test) => test.endsWith(`fuzz_tests::${name}`));
  return found ?? fail(`No test is called fuzz_tests::${name}.`);
}

/** Runs one target; what it executed, and the inputs that broke its property. */
function fuzz({ crate, name }, program, seconds) {
  const folder = (kind) => {
    const path = resolve("target/fuzz", kind, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const [corpus, finds] = [folder("corpus"), folder("finds")];
  const before = new Set(readdirSync(finds));
  const dictionary = resolve("target/fuzz", `${name}.dict`);
  // Half a minute for one small input is a hang, on a slow machine too.
  const options = [`-max_total_time=${seconds}`, "-timeout=30", "-max_len=16384", "-rss_limit_mb=4096", "-print_final_stats=1", `-dict=${dictionary}`, `-artifact_prefix=${finds}/`];
  const env = {
    ...process.env,
    BOLERO_LIBFUZZER_ARGS: [corpus, resolve("crates", crate, "fuzz", name), ...options].join(" "),
    COLLIE_FUZZ_ENGINE: "libfuzzer",
    COLLIE_FUZZ_DICTIONARY: dictionary,
    CARGO_MANIFEST_DIR: resolve("crates", crate),
    RUST_BACKTRACE: "0",
  };
  return new Promise((done) => {
    const args = ["--exact", testName(program, name), "--nocapture", "--test-threads=1"];
    const child = spawn(program, args, { cwd: join("crates", crate), env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    const take = (chunk) => (said = (said + chunk).slice(-200_000));
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("close", (status) => {
      const executed = Number(said.match(/number_of_executed_units:\s*(\d+)/)?.[1] ?? 0);
      const covered = Number([...said.matchAll(/ cov: (\d+)/g)].at(-1)?.[1] ?? 0);
      const found = readdirSync(finds).filter((file) => !before.has(file) && !file.startsWith("slow-unit"));
      done({ executed, covered, found: found.map((file) => join(finds, file)), said, failed: status !== 0 && status !== 77 && found.length === 0 });
    });
  });
}

const { minutes, names, list } = readArguments();
const all = knownTargets();
if (list) {
  for (const { crate, name } of all) console.log(`${name}  (${crate})`);
  process.exit(0);
}
const unknown = names.filter((name) => !all.some((target) => target.name === name));
if (unknown.length > 0) fail(`No target is called ${unknown.join(", ")}: see --list.`);
const targets = all.filter(({ name }) => names.length === 0 || names.includes(name));
const programs = build([...new Set(targets.map(({ crate }) => crate))]);
let bad = 0;
console.log(`${targets.length} targets, ${minutes} min each, ${cpus().length} processors`);
for (const target of targets) {
  const outcome = await fuzz(target, programs[target.crate], Math.ceil(minutes * 60));
  const mark = outcome.failed || outcome.found.length > 0 ? "✗" : "✓";
  console.log(`${mark} ${target.name.padEnd(18)} ${String(outcome.executed).padStart(10)} executions  ${String(outcome.covered).padStart(6)} edges  ${outcome.found.length} finds`);
  for (const file of outcome.found) console.log(`    ${file}: ${JSON.stringify(readFileSync(file, "latin1").slice(0, 300))}`);
  if (outcome.failed || outcome.found.length > 0) {
    bad += 1;
    console.log(outcome.said.split("\n").filter((line) => !/^#\d|^\s+at |NEW_FUNC/.test(line)).slice(-40).join("\n"));
  }
}
process.exitCode = bad > 0 ? 1 : 0;
