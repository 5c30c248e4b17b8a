// Checks from Linux that Collie builds for Windows and macOS, C sources included, and runs what of it runs under Wine.
//
//   macOS    `cargo check` with Zig's compiler for C (PyPI: cargo-zigbuild), since linking needs Apple's SDK
//   Windows  the command is built and linked with mingw-w64; under Wine it says its version and `collie doctor` what is missing, and the tests run that
//            need neither a Unix nor git
//
// The desktop app is checked for Windows; for macOS its notifications want Apple's headers. What is missing here is named with what installs it; then the
// rest is checked, and the exit status is 1.
// By hand: it takes minutes, and 5 GB below target/.
//
//   npm run check:platforms [-- macos|windows]

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonEnvironment } from "./python-environment.mjs";
import { runCommand } from "./run-command.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const MACOS = "aarch64-apple-darwin";
const WINDOWS = "x86_64-pc-windows-gnu";
/** How long one call may take: most of it compiles. */
const MINUTES = 60;
/** Crates whose tests need neither a Unix nor git, with what of them is run. */
const UNDER_WINE = [
  ["collie-platform", "--lib"], ["collie-hardening", "--lib"], ["collie-sandbox", "--lib"], ["collie-git", "--test", "credential_channel"],
  ["collie-git", "--lib", "--", "--skip", "counts_of_lines_are_gits_own"],
];
/** What Wine lacked before version 9, and Rust asks for random numbers. */
const RANDOM_NUMBERS = `#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return RtlGenRandom(data, (ULONG)length); }
`;
const problems = [];

function has(program, ...args) {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Runs a step in the repository; says how it went, and what it said where it failed. Gives its lines, or nothing. */
async function step(name, command, args, env = {}) {
  const began = performance.now();
  const { RUSTFLAGS: _, ...inherited } = process.env;
  const { status, lines } = await runCommand(command, args, { cwd: root, env: { ...inherited, CARGO_TERM_COLOR: "never", ...env }, minutes: MINUTES });
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`${status === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  if (status === 0) return lines;
  console.log(lines.slice(-40).join("\n"));
  problems.push(name);
  return undefined;
}

/** Whether Rust can compile for a system; its standard library is fetched where it is missing. */
async function hasRust(triple) {
  return (await step(`Rust's standard library for ${triple}`, "rustup", ["target", "add", triple])) !== undefined;
}

/** The page need not be built: what is checked is Rust. */
const DESKTOP = ["--package", "collie-desktop", "--no-default-features"];

async function checkMacos() {
  if (!(await hasRust(MACOS))) return;
  const bin = await pythonEnvironment("platforms").catch((error) => {
    problems.push(`no C compiler for macOS: python3 with venv, and pip, bring Zig's (${error.message})`);
  });
  if (!bin) return;
  const env = { PATH: bin + delimiter + process.env.PATH };
  await step("macOS: the command is checked", join(bin, "cargo-zigbuild"), ["check", "--locked", "--target", MACOS, "--package", "collie-cli"], env);
}

async function checkWindows() {
  if (!(await hasRust(WINDOWS))) return;
  if (!has("x86_64-w64-mingw32-gcc", "--version")) {
    problems.push("no C compiler for Windows: install mingw-w64");
    return;
  }
  const built = await step("Windows: the command is built", "cargo", ["build", "--locked", "--target", WINDOWS, "--package", "collie-cli"]);
  await step("Windows: the desktop app is checked", "cargo", ["check", "--locked", "--target", WINDOWS, ...DESKTOP]);
  if (!has("wine", "--version")) problems.push("nothing was run for Windows: install wine and wine64");
  else if (built) await runUnderWine();
}

async function runUnderWine() {
  const folder = mkdtempSync(join(tmpdir(), "collie-wine-"));
  const env = { WINEPREFIX: join(folder, "prefix"), WINEDEBUG: "-all", WINEDLLOVERRIDES: "mscoree=;mshtml=", CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER: "wine" };
  const collie = join(target, WINDOWS, "debug/collie.exe");
  try {
    if (!(await step("Wine starts", "wine", ["wineboot", "--init"], env))) return;
    addRandomNumbers(join(env.WINEPREFIX, "drive_c/windows/system32"), folder);
    const home = { COLLIE_HOME: `Z:${join(folder, "home").replaceAll("/", "\\")}` };
    mkdirSync(join(folder, "home"));
    const version = await step("Wine: collie says its version", "wine", [collie, "--version"], { ...env, ...home });
    if (version && !version.some((line) => /^collie \d/.test(line))) problems.push(`collie --version says ${version}`);
    await askDoctor(collie, { ...env, ...home });
    for (const [name, ...part] of UNDER_WINE) {
      await step(`Wine: tests of ${[name, ...part].join(" ")}`, "cargo", ["test", "--locked", "--target", WINDOWS, "--package", name, ...part], env);
    }
  } finally {
    await runCommand("wineserver", ["--kill"], { env: { ...process.env, ...env }, minutes: 1 });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Gives an old Wine what Rust's programs load. */
function addRandomNumbers(system, folder) {
  const library = join(system, "bcryptprimitives.dll");
  if (existsSync(library)) return;
  const source = join(folder, "random.c");
  writeFileSync(source, RANDOM_NUMBERS);
  execFileSync("x86_64-w64-mingw32-gcc", ["-shared", "-o", library, source, "-ladvapi32"]);
}

/** Doctor has to end, and to say that there is no sandbox. */
async function askDoctor(collie, env) {
  const { lines } = await runCommand("wine", [collie, "doctor", "--json"], { cwd: root, env: { ...process.env, ...env }, minutes: 5 });
  const said = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  const sandbox = said.find((line) => line.name === "sandbox");
  const fine = sandbox?.status === "note" && sandbox.text.includes("windows") && said.length > 5;
  console.log(`${fine ? "ok    " : "FAILED"} Wine: collie doctor`);
  for (const line of said) console.log(`         ${line.status} ${line.name}: ${line.text}`);
  if (!fine) problems.push(`collie doctor says ${lines.join("\n")}`);
}

const asked = process.argv[2];
if (asked && !["macos", "windows"].includes(asked)) {
  console.error(`Unknown system ${asked}: try-platforms.mjs takes macos or windows, or nothing for both.`);
  process.exit(2);
}
if (asked !== "windows") await checkMacos();
if (asked !== "macos") await checkWindows();
for (const problem of problems) console.error(`problem: ${problem}`);
process.exit(problems.length ? 1 : 0);
