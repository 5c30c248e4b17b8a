// Measures `collie review` beside PR-Agent: the same pull requests, the same forge, the same model, in one run, by turns.
//
//   node scripts/compare-pr-agent.mjs [--rounds N] [--context-tokens N] [--only NAMES] [--keep DIR] CLONES
//
// CLONES is a folder with whole clones of pallets/flask, gin-gonic/gin, sharkdp/fd, expressjs/express and psf/requests, or the
// clones themselves; they are only read. A clone has a commit of CASES; what merging it brought in is the pull request.
//   --rounds          reviews of each pull request by each (5)
//   --context-tokens  what Collie may show at most (its own default)
//   --only            names of pull requests, with commas (all five)
//   --keep            a folder to leave the forge and all prompts in
// The model is scripted, answers at once and finds nothing: time is what either takes around it. Tokens where both show the same are those of
// Collie's prompt without what PR-Agent does not show: guidelines, the repository, issues, commits, code beside the change, and of the changed
// files the unchanged lines that PR-Agent leaves out. Instructions, title, description and all lines of the change stay. PR-Agent (version
// in scripts/pr-agent-requirements.txt) lives in an environment below target/, and needs Python 3.12 or later (PYTHON names it).
// Needs git, Linux and `cargo build --release -p collie-cli`; COLLIE names another build. Prints the tables of docs/measurements.md.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { environment, findCollie, memoryOf, OWNER, run, startForge, table } from "./on-a-forge.mjs";
import { prAgentBin, vocabulary } from "./pr-agent-environment.mjs";
import { serveModel } from "./scripted-model.mjs";

const { values: option, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "5" }, "context-tokens": { type: "string" }, only: { type: "string" }, keep: { type: "string" } },
});
if (paths.length === 0) {
  console.error("usage: node scripts/compare-pr-agent.mjs [--rounds N] [--context-tokens N] [--only NAMES] [--keep DIR] CLONES");
  process.exit(2);
}

/** The commit that brought each pull request in; five of the 21 of docs/measurements.md, one a repository. */
const CASES = {
  flask: "00e2aac9371d94011279a6340ec3e7ecc86f097e",
  gin: "025950afe980be14531c51c2790dcb966da1d3fd",
  fd: "125cb81a5bc7b35005fbc9299052763d682915c1",
  express: "082d6d1253c590cb3c8920327c76e70328a1bd80",
  requests: "0c030f78d24f29a459dbf39b28b4cc765e2153d7",
};
const NAMES = option.only ? option.only.split(",") : Object.keys(CASES);
const ROUNDS = Number(option.rounds);
/** Who reviews, in the order of each round. */
const SUBJECTS = ["PR-Agent", "Collie, cold", "Collie, warm"];
const ANSWERS = {
  "pr-agent": "review:\n  estimated_effort_to_review_[1-5]: |\n    2\n  relevant_tests: |\n    No\n  key_issues_to_review: []\n  security_concerns: |\n    No\n",
  collie: JSON.stringify({ earlier: [], findings: [], fullReport: "Nothing was found.", escalations: [], conclusion: "approve" }),
};

const collie = findCollie();
const folder = option.keep ? resolve(option.keep) : mkdtempSync(join(tmpdir(), "collie-beside-"));
mkdirSync(folder, { recursive: true });
const root = join(folder, "forge");
const git = (path, ...args) => run("git", ["-C", path, "-c", "safe.directory=*", ...args]);

/** The clone that has a commit, below the given folders or among them. */
async function cloneWith(commit) {
  const below = (path) => readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => join(path, entry.name));
  for (const path of paths.flatMap((given) => [given, ...below(given), ...below(given).map((one) => join(one, "repo")).filter(existsSync)])) {
    const found = await git(path, "cat-file", "-e", `${commit}^{commit}`).then(() => true, () => false);
    if (found) return path;
  }
  throw new Error(`no clone given has ${commit}`);
}

/** Brings a case into the forge with a pull request for each review: all go from the same commit to the same commit. */
async function prepare(name) {
  const path = await cloneWith(CASES[name]);
  const source = join(folder, "source", name);
  const repo = `${OWNER}/${name}`;
  const commit = CASES[name];
  await run("git", ["-c", "safe.directory=*", "clone", "--quiet", "--bare", "--no-hardlinks", path, source]);
  // What came later is no part of it, and its default branch is what the change went into.
  const refs = await git(source, "for-each-ref", "--format=%(refname)");
  const drop = refs.split("\n").filter(Boolean).map((ref) => `delete ${ref}\n`);
  const parents = (await git(source, "rev-parse", `${commit}^@`)).split("\n").filter(Boolean);
  const head = parents[1] ?? commit;
  const total = ROUNDS * SUBJECTS.length;
  const heads = Array.from({ length: total }, (_, at) => `create refs/heads/change-${at} ${head}\n`);
  for (const updates of [drop, [`create refs/heads/main ${parents[0]}\n`, ...heads]]) {
    execFileSync("git", ["-C", source, "update-ref", "--stdin"], { input: updates.join("") });
  }
  await git(source, "symbolic-ref", "HEAD", "refs/heads/main");
  await run(collie, ["forge", "import", "--root", root, "--repo", repo, "--git", source]);
  const message = (await git(source, "log", "-1", "--format=%B", commit)).trim();
  for (let at = 0; at < total; at += 1) {
    const branches = ["--base", "main", "--head", `change-${at}`, "--title", message.split("\n")[0]];
    await run(collie, ["forge", "open-pr", "--root", root, "--repo", repo, ...branches]);
  }
  const lines = await git(source, "diff", "--shortstat", `${parents[0]}...${head}`);
  const changed = [...lines.matchAll(/(\d+) (?:insertion|deletion)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  return { name, repo, commit, changed, body: message.split("\n").slice(1).join("\n").trim() };
}

const commandOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
};

/**
 * Memory of a process and all below it, in KiB. A child that has not begun its own program yet has its parent's command line and its
 * parent's pages: they are counted once.
 */
function treeMemory(pid, parent = "") {
  const own = memoryOf(pid);
  const command = commandOf(pid);
  if (!own || (command && command === parent)) return 0;
  let children = "";
  try {
    children = readdirSync(`/proc/${pid}/task`).map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")).join(" ");
  } catch {
    return own.now;
  }
  return own.now + children.split(/\s+/).filter(Boolean).reduce((sum, child) => sum + treeMemory(child, command), 0);
}

/** The numbers of the lines of the head that PR-Agent's prompt shows, by file. */
function linesShown(prompt) {
  const files = new Map();
  let lines = new Set();
  let inside = "";
  // Its instructions have an example before.
  for (const line of prompt.slice(prompt.lastIndexOf("The PR code diff:")).split("\n")) {
    const file = line.match(/^## File: '(.*)'/);
    if (file) files.set(file[1], (lines = new Set()));
    if (/^__(new|old) hunk__\s*$/.test(line)) inside = line.trim();
    else if (file || line.startsWith("@@ ")) inside = "";
    else if (inside === "__new hunk__") lines.add(Number(line.match(/^\d+/)?.[0]));
  }
  return files;
}

/** Collie's prompt without what PR-Agent did not show. Lines that are gone stay, whether PR-Agent showed them or not. */
function withoutMore(prompt, shown) {
  const last = (text) => prompt.lastIndexOf(text);
  const pull = prompt.indexOf("## The pull request\n");
  const pullEnd = prompt.slice(pull + 1).search(/^(A linked issue:|## )/m) + pull + 1;
  const instructions = prompt.slice(0, Math.min(...["## Guidelines of this repository", "## The pull request\n"].map((text) => prompt.indexOf(text)).filter((at) => at >= 0)));
  // A row of code begins with its number or its sign, so that these are none.
  const change = prompt.slice(last("\n## The change\n")).split(/\n## (?!The change\n)/)[0];
  const files = [...change.matchAll(/^(A[^\n]*)\n(`{3,})text\n(.*?)\n\2$/gms)].flatMap(([, head, fence, body]) => {
    const [path, ...rows] = body.split("\n");
    const lines = shown.get(path);
    const kept = rows.filter((row) => !/^ *\d+( |$)/.test(row) || lines?.has(Number.parseInt(row, 10)));
    return lines ? [[head, `${fence}text`, path, ...kept, fence].join("\n")] : [];
  });
  if (files.length !== shown.size) throw new Error(`of ${shown.size} files that PR-Agent shows ${files.length} were found in Collie's prompt`);
  return [instructions, prompt.slice(pull, pullEnd), "## The change\n", files.join("\n\n"), "", prompt.slice(last("## Your task\n"))].join("\n");
}

/** Runs a program to its end; gives its time in milliseconds and the peak of its memory in MiB. */
async function measured(program, args, env) {
  const start = process.hrtime.bigint();
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"], cwd: folder });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const ended = new Promise((done) => child.on("close", done));
  let peak = 0;
  let running = true;
  const looking = (async () => {
    while (running) {
      // The highest of the one that was started is never missed; that of all together is looked for every 10 ms.
      peak = Math.max(peak, treeMemory(child.pid), memoryOf(child.pid)?.peak ?? 0);
      await wait(10);
    }
  })();
  const status = await ended;
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  running = false;
  await looking;
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${said.slice(-4000)}`);
  return { ms, mib: peak / 1024, said };
}

/** Tokens of texts by one vocabulary, o200k_base, whoever sent them. */
function countTokens(bin, cache, texts) {
  const count = "import json,sys,tiktoken; e=tiktoken.get_encoding('o200k_base'); print(json.dumps([len(e.encode(t,disallowed_special=())) for t in json.load(sys.stdin)]))";
  const env = { ...process.env, TIKTOKEN_CACHE_DIR: cache };
  return JSON.parse(execFileSync(join(bin, "python"), ["-c", count], { input: JSON.stringify(texts), encoding: "utf8", env, maxBuffer: 1 << 28 }));
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const spread = (values, digits = 0) => {
  const shown = [median(values), Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
  return shown[1] === shown[2] ? shown[0] : `${shown[0]} (${shown[1]}–${shown[2]})`;
};

async function main() {
  const bin = await prAgentBin();
  const cache = vocabulary(join(folder, "tiktoken"));
  const cases = [];
  for (const name of NAMES) cases.push(await prepare(name));
  // Collie takes no answer of a model that read less than it was sent.
  const size = (entries) => entries.reduce((sum, { text }) => sum + (text ?? "").length, 0);
  const model = await serveModel(({ seat, entries }) => ({ text: ANSWERS[seat], tokensRead: Math.ceil(size(entries) / 4) }));
  const forge = await startForge(collie, root);
  const origin = new URL(forge.apiUrl).origin;

  const review = {
    "PR-Agent": ({ repo }, number) => measured(join(bin, "pr-agent"), [`--pr_url=${origin}/${repo}/pull/${number}`, "review"], {
      GITHUB__BASE_URL: forge.apiUrl, GITHUB__USER_TOKEN: `forge-${OWNER}`, OPENAI__KEY: "none", OPENAI__API_BASE: `${model.url("pr-agent")}/v1`,
      CONFIG__MODEL: "openai/gpt-4o", CONFIG__FALLBACK_MODELS: "[]", CONFIG__LOG_LEVEL: "ERROR", TIKTOKEN_CACHE_DIR: cache,
      LITELLM_LOCAL_MODEL_COST_MAP: "True", HOME: folder,
    }),
    Collie: ({ repo }, number, home) => measured(collie, ["review", String(number), "--repo", repo, "--json"], environment(home, forge.apiUrl)),
  };
  const settings = [
    '[llm]\nprovider = "compatible"\nmodel = "scripted"', `url = "${model.url("collie")}/v1"`,
  ].join("\n");
  const bounded = option["context-tokens"] ? `${settings}\ncontext_tokens = ${option["context-tokens"]}` : settings;

  const results = [];
  try {
    for (const one of cases) {
      for (let number = 1; number <= ROUNDS * SUBJECTS.length; number += 1) {
        await forge.send("PATCH", `/api/v3/repos/${one.repo}/pulls/${number}`, { body: { body: one.body } });
      }
      for (let round = 0; round < ROUNDS; round += 1) {
        const home = join(folder, "home", one.name, String(round));
        mkdirSync(home, { recursive: true });
        writeFileSync(join(home, "config.toml"), bounded);
        for (const [at, subject] of SUBJECTS.entries()) {
          const number = round * SUBJECTS.length + at + 1;
          await forge.requests();
          const before = model.asked.length;
          const act = review[subject] ?? review.Collie;
          const { ms, mib, said } = await act(one, number, home);
          const { routes, total } = await forge.requests();
          const gitRequests = Object.entries(routes).filter(([route]) => /\.git|info\/refs|git-(upload|receive)-pack/.test(route)).reduce((sum, [, times]) => sum + times, 0);
          const asked = model.asked.slice(before);
          if (asked.length === 0) throw new Error(`${subject} asked no model about ${one.name}: ${said.slice(-2000)}`);
          const talk = [...await forge.all(`/repos/${one.repo}/issues/${number}/comments`), ...await forge.all(`/repos/${one.repo}/pulls/${number}/reviews`)];
          if (talk.length === 0) throw new Error(`${subject} posted nothing on ${one.name}: ${said.slice(-2000)}`);
          const prompt = asked.map(({ entries }) => entries.map(({ text }) => text ?? "").join("\n")).join("\n");
          const schema = asked.map(({ body }) => (body.response_format ? JSON.stringify(body.response_format) : "")).join("");
          results.push({ name: one.name, subject, ms, mib, requests: total, gitRequests, calls: asked.length, prompt, schema, routes });
          if (option.keep) writeFileSync(join(folder, `${one.name}-${round}-${subject.replace(/\W+/g, "-")}.json`), JSON.stringify({ ms, mib, routes, prompt, schema, said }, null, 1));
        }
      }
    }
  } finally {
    await forge.stop();
    await model.stop();
  }
  const prompts = countTokens(bin, cache, results.map(({ prompt }) => prompt));
  const schemas = countTokens(bin, cache, results.map(({ schema }) => schema));
  for (const [at, result] of results.entries()) Object.assign(result, { tokens: prompts[at], schemaTokens: schemas[at] });
  report(cases, results);
  const same = cases.map(({ name }) => {
    const [theirs, ours] = ["PR-Agent", "Collie, warm"].map((subject) => results.find((one) => one.name === name && one.subject === subject));
    return { name, theirs: theirs.tokens, prompt: withoutMore(ours.prompt, linesShown(theirs.prompt)) };
  });
  reportSame(same, countTokens(bin, cache, same.map(({ prompt }) => prompt)));
}

function reportSame(same, tokens) {
  console.log("\nTokens where both show the same: Collie's prompt without what PR-Agent does not show");
  const rows = same.map(({ name, theirs }, at) => [name, theirs, tokens[at], (theirs / tokens[at]).toFixed(2)]);
  table([["pull request", "PR-Agent", "Collie", "PR-Agent's by Collie's"], ...rows]);
}

function report(cases, results) {
  const of = (name, subject, field) => results.filter((one) => one.name === name && one.subject === subject).map((one) => one[field]);
  const rows = cases.flatMap(({ name, changed }) => SUBJECTS.map((subject) => [
    `${name}, ${changed} lines`, subject, spread(of(name, subject, "ms")), spread(of(name, subject, "mib")), spread(of(name, subject, "requests")),
    spread(of(name, subject, "gitRequests")), spread(of(name, subject, "calls")), spread(of(name, subject, "tokens")), spread(of(name, subject, "schemaTokens")),
  ]));
  table([["pull request", "who", "ms", "MiB", "requests", "of them git", "calls", "prompt tokens", "schema tokens"], ...rows]);
  console.log(`\nPR-Agent's by Collie's, median of ${ROUNDS} by median of ${ROUNDS} each`);
  const ratio = (name, field, subject) => median(of(name, "PR-Agent", field)) / median(of(name, subject, field));
  const lines = [["time, cold", "ms", "Collie, cold"], ["time, warm", "ms", "Collie, warm"], ["memory, cold", "mib", "Collie, cold"],
    ["memory, warm", "mib", "Collie, warm"], ["requests, cold", "requests", "Collie, cold"], ["requests, warm", "requests", "Collie, warm"], ["prompt tokens", "tokens", "Collie, warm"]];
  table([["", ...cases.map(({ name }) => name), "median (least–most)"], ...lines.map(([what, field, subject]) => {
    const each = cases.map(({ name }) => ratio(name, field, subject));
    return [what, ...each.map((value) => value.toFixed(2)), spread(each, 2)];
  })]);
}

try {
  await main();
} finally {
  if (!option.keep) rmSync(folder, { recursive: true, force: true });
}
