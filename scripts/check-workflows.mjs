// Holds action.yml and the workflow files to the schemas that are published for them, by check-jsonschema, and looks for what makes workflows unsafe, by
// zizmor; both live in an environment of their own below target/, made once from scripts/workflows-requirements.txt (pip, PyPI). Then: each input and output
// of the action is one that its scripts and `collie action` know, and a release's notes and archive are what the workflow and the action take them for.
// Without python3 the judges are not asked, and the line says so.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { notesOf, versionOf } from "../packaging/release/notes.mjs";
import { pythonEnvironment } from "./python-environment.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const read = (...parts) => readFileSync(join(root, ...parts), "utf8");
const workflows = readdirSync(join(root, ".github/workflows")).map((name) => join(root, ".github/workflows", name));
const problems = [];

/** Runs a judge; gives what it says where it refuses, else nothing. */
function refusal(program, args) {
  try {
    execFileSync(program, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    return undefined;
  } catch (error) {
    return `${error.stdout}${error.stderr}` || String(error);
  }
}

async function askJudges() {
  const bin = await pythonEnvironment("workflows");
  const schema = (name, files) => refusal(join(bin, "check-jsonschema"), ["--builtin-schema", `vendor.github-${name}`, ...files]);
  problems.push(schema("workflows", workflows), schema("actions", [join(root, "action.yml")]));
  problems.push(refusal(join(bin, "zizmor"), ["--offline", "--no-progress", "--quiet", "."]));
  // The control: what is wrong is refused.
  const folder = mkdtempSync(join(tmpdir(), "collie-workflows-"));
  const spoilt = join(folder, "action.yml");
  writeFileSync(spoilt, read("action.yml").replace("using: composite", "using: compost"));
  if (!schema("actions", [spoilt])) problems.push("a spoilt action.yml is taken for a sound one");
  const injected = read("action.yml").replace('run: bash "$ACTION_PATH/packaging/action/review.sh"', "run: echo ${{ inputs.fail-on }} && curl ${{ github.event.issue.title }}");
  writeFileSync(spoilt, injected);
  if (!refusal(join(bin, "zizmor"), ["--offline", "--no-progress", "--quiet", spoilt])) problems.push("an injection is not seen");
  rmSync(folder, { recursive: true });
}

/** The names of one level below a heading of action.yml. */
function namesBelow(heading) {
  const [, part] = read("action.yml").match(new RegExp(`^${heading}:\\n([\\s\\S]*?)(?=^\\S)`, "m"));
  return [...part.matchAll(/^ {2}([\w-]+):$/gm)].map(([, name]) => name);
}

function holdActionTogether() {
  const [action, review, source] = [read("action.yml"), read("packaging/action/review.sh"), read("crates/cli/src/action.rs")];
  for (const name of namesBelow("inputs")) if (!action.includes(`inputs.${name}`)) problems.push(`the input ${name} goes nowhere`);
  for (const [, name] of action.matchAll(/^ {8}(INPUT_\w+):/gm)) if (!review.includes(`\${${name}:-`)) problems.push(`review.sh does not read ${name}`);
  const outputs = source.slice(source.indexOf("fn outputs("), source.indexOf("fn unwritable("));
  const written = [...outputs.matchAll(/^ {8}\("([\w-]+)", /gm)].map(([, name]) => name);
  const told = namesBelow("outputs");
  for (const name of told) if (!written.includes(name)) problems.push(`\`collie action\` does not write the output ${name}`);
  for (const name of written) if (!told.includes(name)) problems.push(`action.yml does not hand on the output ${name}`);
  if (told.length < 10) problems.push("hardly any output was looked at");
  for (const [, flag] of review.matchAll(/^flag (--[\w-]+)/gm)) {
    const field = flag.slice(2).replaceAll("-", "_");
    if (!new RegExp(`pub ${field}:`).test(read("crates/cli/src/args.rs") + read("crates/cli/src/model_args.rs"))) problems.push(`there is no flag ${flag}`);
  }
}

function holdReleaseTogether() {
  const version = versionOf(read("Cargo.toml"));
  if (!/^\d+\.\d+\.\d+/.test(version ?? "")) problems.push(`the version is read as ${version}`);
  if (!notesOf(read("CHANGELOG.md"), version)) problems.push("a release would have no notes");
  const changelog = "# C\n\n## Unreleased\n\nnew\n\n## [1.2.0] - 2026-01-01\n\nold\n";
  if (notesOf(changelog, "1.2.0") !== "old" || notesOf(changelog, "2.0.0") !== "new") problems.push("notes are taken from the wrong part");
  const targets = (text) => [...text.matchAll(/target[:=] ?([\w-]+-(?:linux|apple|pc)-[\w-]+)/g)].map(([, target]) => target).sort();
  const [built, fetched] = [targets(read(".github/workflows/release.yml")), targets(read("packaging/action/install.sh"))];
  if (built.join() !== fetched.join() || built.length < 5) problems.push(`the release builds ${built}, and the action fetches ${fetched}`);
}

holdActionTogether();
holdReleaseTogether();
let hasPython = true;
try {
  execFileSync("python3", ["--version"], { stdio: "ignore" });
} catch {
  hasPython = false;
}
if (hasPython) await askJudges();
const found = problems.filter(Boolean);
if (found.length > 0) console.error(found.join("\n"));
console.log(`workflows and action: ${found.length === 0 ? "sound" : "see above"}${hasPython ? "" : "; the judges were not asked, there is no python3"}`);
process.exitCode = found.length > 0 ? 1 : 0;
