// LoopBench: how well a tool takes pull requests from open to ready, among CI, bots, people and crashes. docs/loopbench.md has the rest.
//
//   node scripts/loopbench.mjs [--tool NAME|FILE]… [--cases PATTERNS] [--seed N] [--jobs N] [--json FILE] [--keep] [-- COMMAND…]
//
//   --tool   a file of loopbench/tools without .json, or a path to one (collie); several are played one after the other
//   --cases  ids with * and ?, separated by commas (all)
//   --seed   is added to the seed of each case (0)
//   --jobs   cases at once (3)
//   --json   writes all scores, with the forge's records that they come from
//   --keep   leaves the folder of each case, and names it
//   COMMAND  a tool without a file: it says `loopbench: ready` or `loopbench: stopped` in a line of its output
//
// Needs a built `collie` (COLLIE names another), whose forge the cases are played on, git, sh, Node and python3. Ends with 1 when a case
// could not be played; scores are no failure.

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BENCH, readCases, readTool } from "./loopbench/cases.mjs";
import { playCase } from "./loopbench/play.mjs";
import { printCases, printTotals } from "./loopbench/report.mjs";
import { total } from "./loopbench/score.mjs";

const USAGE = "usage: node scripts/loopbench.mjs [--tool NAME|FILE]… [--cases PATTERNS] [--seed N] [--jobs N] [--json FILE] [--keep] [-- COMMAND…]";

/** A tool by its name or its file. */
function findTool(name) {
  const path = [name, join(BENCH, "tools", `${name}.json`)].find((one) => one.endsWith(".json") && existsSync(one));
  if (!path) throw new Error(`there is no tool ${name}: name a file of ${join(BENCH, "tools")}, or a path to one`);
  return readTool(path);
}

/** A command as a tool: it speaks by lines. */
const commandTool = (command) => ({
  version: 1, name: command[0], does: ["review", "fix", "loop"], command, folder: process.cwd(),
  word: Object.fromEntries(["ready", "stopped", "closed"].map((end) => [end, [{ line: `^loopbench: ${end}\\b` }]])),
});

/** Runs what a tool has to have prepared; what it prints as NAME=VALUE is for its environment. */
function prepared(tool) {
  if (!tool.prepare) return {};
  const [program, ...args] = tool.prepare.map((part) => part.replaceAll("{folder}", tool.folder).replaceAll("{node}", process.execPath));
  const said = execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  return Object.fromEntries(said.split("\n").map((line) => /^([A-Z_0-9]+)=(.*)$/.exec(line)).filter(Boolean).map(([, name, value]) => [name, value]));
}

/** Plays all cases with a tool, so many at once; gives what came of each, in order. */
async function playAll(cases, tool, { seed, jobs, keep }) {
  const extra = prepared(tool);
  const left = cases.map((one, at) => ({ one, at }));
  const results = [];
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { one, at } = next;
      const begun = Date.now();
      try {
        results[at] = await playCase(one, tool, { seed, keep, extra });
      } catch (error) {
        results[at] = { problems: [error.stack] };
      }
      const { score, problems, folder } = results[at];
      console.error(`${problems.length ? "!" : "·"} ${tool.name} ${one.id}: ${score?.end ?? (score?.ended ? "ended" : "did not end")} in ${((Date.now() - begun) / 1000).toFixed(1)} s${folder ? `, kept ${folder}` : ""}`);
      for (const problem of problems) console.error(`  ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, jobs) }, lane));
  return results;
}

async function main() {
  const { values: option, positionals: command } = parseArgs({
    allowPositionals: true,
    options: {
      tool: { type: "string", multiple: true }, cases: { type: "string", default: "*" }, seed: { type: "string", default: "0" },
      jobs: { type: "string", default: "3" }, json: { type: "string" }, keep: { type: "boolean", default: false },
    },
  });
  const [seed, jobs] = [Number(option.seed), Number(option.jobs)];
  if (!Number.isInteger(seed) || !Number.isInteger(jobs) || jobs < 1) throw new Error(`--seed and --jobs are whole numbers. ${USAGE}`);
  const cases = readCases(option.cases);
  if (cases.length === 0) throw new Error(`no case of ${join(BENCH, "cases")} is called ${option.cases}`);
  const tools = command.length > 0 ? [commandTool(command)] : (option.tool ?? ["collie"]).map(findTool);
  const played = [];
  for (const tool of tools) played.push({ tool, results: await playAll(cases, tool, { seed, jobs, keep: option.keep }) });
  const scored = played.map(({ tool, results }) => ({ tool, scores: results.flatMap(({ score }) => (score ? [score] : [])) }));
  for (const { tool, scores } of scored) printCases(tool, scores);
  printTotals(scored.map(({ tool, scores }) => ({ tool, sums: total(scores) })));
  if (option.json) {
    const all = played.map(({ tool, results }, at) => ({ tool: tool.name, total: total(scored[at].scores), cases: results }));
    writeFileSync(option.json, `${JSON.stringify({ version: 1, seed, tools: all }, null, 1)}\n`);
  }
  const bad = played.flatMap(({ results }) => results).filter(({ problems }) => problems.length > 0).length;
  if (bad > 0) console.error(`${bad} of ${cases.length * tools.length} cases could not be played as they should be: see above`);
  return bad > 0 ? 1 : 0;
}

main().then((status) => process.exit(status), (error) => {
  console.error(error.message);
  process.exit(2);
});
