#!/usr/bin/env node
// How often several review tools are right where they agree, by the join that a loop uses (crates/core/src/agreement.rs).
//
//   node scripts/bot-consensus.mjs CLONE           the rule as it ships, on the half that it was not fixed on
//   node scripts/bot-consensus.mjs CLONE --fit     thresholds, on the half that it is fixed on
//   node scripts/bot-consensus.mjs CLONE --apart   remarks on near lines that are kept as two in the data set: how many the join takes for one
//
// CLONE is withmartian/code-review-benchmark (its judges' files below offline/results), for --apart alibaba/aacr-bench; bare or not.
// `cargo build -p collie-core --example bot_consensus` comes first. Nothing of the data is kept.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";

const [clone, mode] = process.argv.slice(2);
const JOIN = process.env.BOT_CONSENSUS ?? "target/debug/examples/bot_consensus";
if (!clone || !existsSync(clone) || !existsSync(JOIN)) {
  console.error(`usage: node scripts/bot-consensus.mjs CLONE [--fit | --apart]; ${JOIN} must have been built`);
  process.exit(2);
}

const git = (...args) => execFileSync("git", ["-C", clone, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
const file = (path) => JSON.parse(git("show", `HEAD:${path}`));
const join = (pulls, rule) =>
  JSON.parse(execFileSync(JOIN, { input: JSON.stringify({ pulls, rule }), encoding: "utf8", maxBuffer: 1 << 28 }));
const hash = (text) => createHash("sha256").update(text).digest("hex");

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** The first half of some names in the order of their hashes: what a rule may be fixed on. */
function firstHalf(names) {
  const sorted = [...new Set(names)].sort((a, b) => (hash(a) < hash(b) ? -1 : 1));
  return new Set(sorted.slice(0, Math.ceil(sorted.length / 2)));
}

/** The project of a pull request: copies of a repository that were made for a benchmark are the repository. */
const projectOf = (url) => url.split("/")[4].replace(/-(graphite|greptile)$/, "");

/** What one judge made of each tool's remarks, one entry a pull request. */
function judged(judge) {
  const candidates = file(`offline/results/${judge}/candidates.json`);
  const evaluations = file(`offline/results/${judge}/evaluations.json`);
  return Object.entries(evaluations).map(([url, tools]) => {
    const pull = { project: projectOf(url), remarks: [], faults: new Set() };
    for (const [tool, said] of Object.entries(tools).filter(([, said]) => !said.skipped)) {
      const wrong = new Set(said.false_positives.map((one) => one.candidate));
      const found = groupBy(said.true_positives, (one) => one.matched_candidate);
      for (const one of [...said.true_positives, ...said.false_negatives]) pull.faults.add(one.golden_comment);
      for (const { text, path, line } of candidates[url]?.[tool] ?? []) {
        const faults = (found.get(text) ?? []).map((one) => one.golden_comment);
        pull.remarks.push({ tool, text, file: path ?? "", line, right: !wrong.has(text), faults });
      }
    }
    return pull;
  });
}

/** Precision, recall and F1 of claims: each is right where at least half of its remarks are. */
function figures(pulls, claimsOf) {
  let right = 0;
  let claims = 0;
  let found = 0;
  let faults = 0;
  for (const [at, pull] of pulls.entries()) {
    const hit = new Set();
    for (const remarks of claimsOf(pull, at)) {
      claims += 1;
      if (remarks.filter((remark) => remark.right).length * 2 < remarks.length) continue;
      right += 1;
      for (const fault of remarks.flatMap((remark) => remark.faults)) hit.add(fault);
    }
    found += hit.size;
    faults += pull.faults.size;
  }
  const precision = claims ? right / claims : 0;
  const recall = faults ? found / faults : 0;
  const f1 = precision + recall ? (2 * precision * recall) / (precision + recall) : 0;
  return { precision, recall, f1, claims };
}

function agreeing(pulls, least, rule) {
  const groups = join(pulls.map((pull) => pull.remarks), rule);
  return figures(pulls, (pull, at) =>
    groups[at]
      .map((group) => group.map((index) => pull.remarks[index]))
      .filter((group) => new Set(group.map((remark) => remark.tool)).size >= least),
  );
}

const percent = (share) => share.toFixed(2).replace(/^0/, "");
const shown = ({ precision, recall, f1, claims }) =>
  `${percent(precision)} ${percent(recall)} ${percent(f1)} (${claims})`.padEnd(22);

function martian() {
  const judges = git("ls-tree", "--name-only", "HEAD:offline/results")
    .split("\n")
    .filter((name) => name.includes("_") && !name.endsWith(".json"));
  const all = judges.map(judged);
  const fixedOn = firstHalf(all[0].map((pull) => pull.project));
  const half = (pulls) => pulls.filter((pull) => fixedOn.has(pull.project) === (mode === "--fit"));
  const halves = all.map(half);
  console.log(`projects: ${[...new Set(halves[0].map((pull) => pull.project))].join(", ")}; pull requests: ${halves[0].length}`);
  console.log(`precision recall F1 (claims), by judge: ${judges.join(", ")}`);
  const row = (name, of) => console.log(name.padEnd(24), halves.map((pulls) => shown(of(pulls))).join(" "));
  if (mode === "--fit") {
    for (let unplaced = 300; unplaced <= 700; unplaced += 50) {
      const rule = { near: unplaced, unplaced, lines: 6 };
      const two = halves.map((pulls) => agreeing(pulls, 2, rule));
      const mean = two.reduce((sum, one) => sum + one.f1, 0) / two.length;
      console.log(String(unplaced).padEnd(6), two.map(shown).join(" "), `mean F1 ${mean.toFixed(3)}`);
    }
    return;
  }
  const tools = [...new Set(halves[0].flatMap((pull) => pull.remarks.map((remark) => remark.tool)))].sort();
  for (const tool of tools) {
    row(tool, (pulls) => figures(pulls, (pull) => pull.remarks.filter((one) => one.tool === tool).map((one) => [one])));
  }
  row("any tool, unjoined", (pulls) => figures(pulls, (pull) => pull.remarks.map((one) => [one])));
  for (const least of [1, 2, 3, 4]) row(`${least} or more agree`, (pulls) => agreeing(pulls, least));
}

/** Remarks of different authors on near lines of one file that the curators of the data kept as two. */
function apart() {
  const entries = ["positive", "negative"].flatMap((kind) => file(`dataset/${kind}_samples.json`));
  const repository = (entry) => entry.githubPrUrl.split("/").slice(3, 5).join("/");
  const fixedOn = firstHalf(entries.map(repository));
  for (const [name, wanted] of [["half that the rule is fixed on", true], ["other half", false]]) {
    const byFile = groupBy(
      entries
        .filter((entry) => fixedOn.has(repository(entry)) === wanted)
        .flatMap((entry) => entry.comments.map((one) => ({ ...one, key: `${entry.githubPrUrl} ${one.path}` })))
        .filter((one) => one.from_line && one.side === "right"),
      (one) => one.key,
    );
    const pairs = [...byFile.values()].flatMap((remarks) =>
      remarks.flatMap((a, at) =>
        remarks.slice(0, at).filter((b) => a.source_model !== b.source_model && Math.abs(a.from_line - b.from_line) <= 6).map((b) => [a, b]),
      ),
    );
    const pulls = pairs.map((pair) =>
      pair.map((one) => ({ tool: one.source_model || "person", file: one.path, line: one.from_line, text: one.note })),
    );
    const joined = (rule) => join(pulls, rule).filter((groups) => groups.length === 1).length;
    const share = (count) => `${count} of ${pairs.length} (${((100 * count) / pairs.length).toFixed(1)} %)`;
    console.log(`${name}: joined as it ships ${share(joined())}`);
    if (!wanted) continue;
    for (let near = 300; near <= 700; near += 50) console.log(`  ${near}: ${share(joined({ near, unplaced: near, lines: 6 }))}`);
  }
}

if (mode === "--apart") apart();
else martian();
