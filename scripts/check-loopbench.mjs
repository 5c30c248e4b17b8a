// Judges LoopBench itself, and plays a share of it with Collie: six cases, all of them in the long run (COLLIE_TEST_LONG).
//
// The cases obey their schema and differ; what is planted is there, and a program that nobody shows says so; each bad tool is told by its own
// column and no other; the formulas hold on records made by hand. `--formulas` judges the last alone, without a forge.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inLanes } from "./in-lanes.mjs";
import { BENCH, dimensions, drawn, edited, plan, readCase, readCases, readProject, readTool } from "./loopbench/cases.mjs";
import { actOf } from "./loopbench/hub.mjs";
import { playCase } from "./loopbench/play.mjs";
import { GRACE_MS, premature, scoreCase, total } from "./loopbench/score.mjs";

const LONG = Boolean(process.env.COLLIE_TEST_LONG);
const LEAST_CASES = 60;
/** What is played in every run: quiet, mending, red, a reviewer, and a death at a post and at a push. */
const SHARE = ["ready-clean", "ready-two-faults", "ci-red-mended", "people-ask-approve", "crash-post-answer-lost", "crash-push-answer-lost"];
const LANES = 3;

const tool = (name) => readTool(join(BENCH, "tools", `${name}.json`));

// -- The cases ----------------------------------------------------------------------------------------------------------

function checkCases() {
  const cases = readCases();
  assert.ok(cases.length >= LEAST_CASES, `there are ${cases.length} cases`);
  const seen = new Map();
  for (const one of cases) {
    const same = seen.get(dimensions(one));
    assert.equal(same, undefined, `${one.id} is ${same} under another name`);
    seen.set(dimensions(one), one.id);
    plan(one);
  }
  const kinds = (of) => new Set(cases.flatMap(of));
  const every = { ci: ["tests", "pass", "slow", "flaky", "red", "twin", "late", "late_red", "status", "never"], bots: ["reviews", "never_stops", "declines", "placeholder", "no_issues", "thanks"] };
  for (const [field, wanted] of Object.entries(every)) assert.deepEqual(wanted.filter((kind) => !kinds((one) => (one[field] ?? []).map((part) => part.kind)).has(kind)), [], `${field} that no case has`);
  for (const name of readdirSync(join(BENCH, "tools")).filter((file) => file.endsWith(".json"))) tool(name.replace(/\.json$/, ""));
  return cases.length;
}

/** A case that is wrong is refused with what is wrong. */
function checkRefusals() {
  const folder = mkdtempSync(join(tmpdir(), "loopbench-refused-"));
  const good = readCase(join(BENCH, "cases", "ready-clean.json"));
  const refused = (change, words) => {
    const one = { ...good, ...change };
    writeFileSync(join(folder, "ready-clean.json"), JSON.stringify(one));
    assert.throws(() => readCase(join(folder, "ready-clean.json")), words);
  };
  try {
    refused({ version: 2 }, /version must be equal to constant/);
    refused({ colour: "red" }, /additional properties.*colour/);
    refused({ id: "other" }, /its id is other/);
    refused({ plant: ["nothing"] }, /the fault nothing is none of the project's/);
    refused({ end: [] }, /end must NOT have fewer than 1 items/);
    refused({ bots: [{ login: "cursor[bot]", kind: "reviews", fault: "empty" }] }, /what is told of, empty is none/);
    refused({ model: { finds: 1.5, fixes: "all" } }, /model\/finds must be <= 1/);
    writeFileSync(join(folder, "ready-clean.json"), "{");
    assert.throws(() => readCase(join(folder, "ready-clean.json")), /is no JSON/);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const passes = (folder, command) => {
  try {
    execFileSync("sh", ["-c", command], { cwd: folder, stdio: "ignore", env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" } });
    return true;
  } catch {
    return false;
  }
};

/** Does something in a folder with these files. */
function inFolder(files, work) {
  const folder = mkdtempSync(join(tmpdir(), "loopbench-project-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Each fault is in where it is planted, and in no other way; the tests see what their log is said to tell, and only that. */
function checkTruth() {
  for (const name of readdirSync(join(BENCH, "projects"))) {
    const project = readProject(name);
    const without = (left) => {
      const files = { ...project.head };
      for (const fault of project.faults) if (fault !== left) files[fault.file] = edited(files[fault.file], [[fault.old, fault.new]]);
      return files;
    };
    for (const left of [undefined, ...project.faults]) {
      inFolder(without(left), (folder) => {
        for (const fault of project.faults) assert.equal(passes(folder, fault.probe), fault !== left, `${name}: with ${left?.id ?? "nothing"} planted, the probe of ${fault.id}`);
        for (const ask of project.asks) assert.equal(passes(folder, ask.probe), false, `${name}: ${ask.id} is done before it is asked for`);
        assert.equal(passes(folder, project.tests), !left?.log, `${name}: the tests with ${left?.id ?? "nothing"} planted`);
      });
    }
    for (const ask of project.asks) {
      const files = without();
      for (const { file, edits } of [ask, ...(ask.also ?? [])]) files[file] = edited(files[file], edits);
      inFolder(files, (folder) => assert.ok(passes(folder, ask.probe) && passes(folder, project.tests), `${name}: ${ask.id} cannot be done as it is said`));
    }
    for (const lie of project.false_findings) assert.ok(project.head[lie.file].split("\n").includes(lie.line), `${name}: the line of ${lie.id} is not there`);
  }
}

// -- The formulas -------------------------------------------------------------------------------------------------------

const AT = Date.parse("2026-01-01T00:01:00Z");
const LONG_AGO = "2026-01-01T00:00:00Z";
const JUST_NOW = "2026-01-01T00:00:59Z";
const quiet = {
  at_ms: AT, since: LONG_AGO, draft: false, mergeable: true, required: ["test"], required_reviews: 0, threads: [], reviews: [],
  checks: [{ name: "test", done: true, good: true, at: LONG_AGO }],
};

function checkPremature() {
  const says = (change, ...expected) => assert.deepEqual(premature({ ...quiet, ...change }, change.faults ?? []), expected);
  const thread = (by, at = LONG_AGO, resolved = false) => ({ threads: [{ resolved, path: "a", comments: by.map((one) => ({ by: one, at })) }] });
  const verdict = (by, ...states) => ({ reviews: states.map((state) => ({ by, state, at: LONG_AGO })) });
  says({});
  says({ checks: [] }, "required check test has not reported");
  says({ checks: [{ name: "test", done: false, good: false }] }, "required check test is running");
  says({ checks: [{ ...quiet.checks[0], good: false }] }, "required check test is red");
  says({ checks: [quiet.checks[0], { ...quiet.checks[0], good: false }] }, "required check test is red");
  says({ checks: [{ ...quiet.checks[0], good: false, at: JUST_NOW }] });
  says({ required: [], checks: [{ name: "other", done: true, good: false, at: LONG_AGO }] });
  says(thread(["ana"]), "unresolved thread of ana on a");
  says(thread(["coderabbitai[bot]"]), "unresolved thread of coderabbitai[bot] on a");
  says(thread(["ana", "shepherd"]));
  says(thread(["ana", "shepherd", "ana"]), "unresolved thread of ana on a");
  says(thread(["ana"], LONG_AGO, true));
  says(thread(["ana"], JUST_NOW));
  says(thread(["mallory"]));
  says(verdict("ana", "CHANGES_REQUESTED"), "ana has asked for changes");
  says(verdict("ana", "CHANGES_REQUESTED", "COMMENTED"), "ana has asked for changes");
  says(verdict("ana", "CHANGES_REQUESTED", "APPROVED"));
  says(verdict("ana", "CHANGES_REQUESTED", "DISMISSED"));
  says(verdict("mallory", "CHANGES_REQUESTED"));
  says({ required_reviews: 1 }, "1 required approvals are missing");
  says({ required_reviews: 1, ...verdict("ana", "APPROVED") });
  says({ required_reviews: 1, ...verdict("shepherd", "APPROVED") }, "1 required approvals are missing");
  says({ draft: true }, "it is a draft");
  says({ mergeable: false }, "it conflicts with its base");
  says({ faults: ["empty"] }, "planted fault empty is in");
  says({ faults: ["empty"], since: JUST_NOW });
  assert.ok(GRACE_MS > 1000, "the forge's times are whole seconds");
}

/** The scores of records that are made by hand. */
function scoreOf(change = {}, { seen = {}, ready, does = ["review", "fix", "loop"] } = {}) {
  const planned = plan(readCase(join(BENCH, "cases", "ready-two-faults.json")));
  const records = { requests: [], posts: [], pushes: [], fault_lines: { h: { empty: 16, limit: 21 } }, merged_by: null, base_moved_by_others: false, asked: 0, unmended: [], ...change };
  return scoreCase({ planned, tool: { does }, seen: { word: "ready", ended: true, crashes: 0, took_ms: 1, ...seen }, at_ready: ready, records, usage: { tokens_in: 4, tokens_out: 2, requests: 1 } });
}

function checkScores() {
  const inline = (line, body, more = {}) => ({ kind: "inline", body, path: "prices.py", line, head: "h", place: `prices.py:${line}`, ...more });
  const said = (body, more = {}) => ({ kind: "comment", body, place: "conversation", head: "h", ...more });
  const score = (posts, more) => scoreOf({ posts, ...more });
  assert.deepEqual([score([inline(16, "x")]).found, score([inline(40, "x")]).found, score([said("The cheapest piece of an empty basket raises, does it not?")]).found], [1, 0, 1]);
  const twice = (...posts) => score(posts).duplicates;
  assert.equal(twice(said("a"), said("a <!-- 1 -->")), 1, "what nobody sees makes no difference");
  assert.equal(twice(said("a"), said("a", { head: "i" })), 0, "another head is another matter");
  assert.equal(twice(said("a"), said("b")), 0);
  assert.equal(twice(inline(16, "one"), inline(16, "another")), 1, "one fault at one place, in other words");
  assert.equal(twice(inline(16, "a"), inline(21, "a")), 0);
  assert.equal(twice(inline(16, "a"), { ...inline(16, "a"), kind: "reply", place: "thread 1" }), 0, "a reply says it elsewhere");
  const asks = (...bodies) => score(bodies.map((body) => said(body))).asks;
  assert.deepEqual([asks("@ana please"), asks("> @ana please"), asks("`@ana`"), asks("mail@ana.example"), asks("@analyst"), asks("@ana", "@ben")], [1, 0, 0, 0, 0, 2]);
  assert.equal(scoreOf({}, { seen: { word: "stopped" } }).asks, 1);
  assert.equal(scoreOf({ asked: 2 }).asks, 2);
  assert.equal(scoreOf({ merged_by: "shepherd" }).merges, 1);
  assert.equal(scoreOf({ merged_by: "ana" }).merges, 0);
  assert.equal(scoreOf({ base_moved_by_others: true }).merges, 1);
  assert.equal(scoreOf({ requests: [{ act: "merges", route: "/x" }], merged_by: "shepherd" }).merges, 1, "one merge counts once");
  assert.deepEqual([scoreOf({ pushes: [{ tookAway: true }, { tookAway: false }] })].map(({ pushes, took_away: took }) => [pushes, took]), [[2, 1]]);
  assert.deepEqual([scoreOf().right_end, scoreOf({}, { seen: { word: "stopped" } }).right_end, scoreOf({}, { seen: { word: undefined } }).right_end, scoreOf({}, { does: ["review"] }).right_end], [true, false, false, null]);
  const early = scoreOf({}, { ready: { ...quiet, unmended: ["empty"] } });
  assert.deepEqual([early.premature, early.why_premature], [1, ["planted fault empty is in"]]);
  const sums = total([score([inline(16, "x"), said("y")]), score([said("z")])]);
  assert.deepEqual([sums.cases, sums.found, sums.comments_per_finding, sums.tokens_in], [2, 1, 3, 8]);
  assert.equal(total([scoreOf({}, { does: ["review"] })]).right_end, null);
  const blind = plan(readCase(join(BENCH, "cases", "model-blind.json")));
  assert.deepEqual(blind.knowable, [], "what nothing shows cannot be held against a tool");
}

function checkActs() {
  const act = (method, route, graphql = []) => actOf({ method, route, path: route.replaceAll(/\{\w+\}/g, "x"), graphql });
  const acts = [
    act("POST", "/{owner}/{name}/git-receive-pack"), act("GET", "/{owner}/{name}/info/refs"), act("POST", "/{owner}/{name}/git-upload-pack"), act("PUT", "/repos/{owner}/{repo}/pulls/{pull_number}/merge"),
    act("POST", "/graphql", ["mutation enablePullRequestAutoMerge"]), act("POST", "/graphql", ["query repository"]), act("POST", "/graphql", ["mutation addComment"]),
    act("POST", "/repos/{owner}/{repo}/issues/{issue_number}/comments"), act("POST", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"), act("PATCH", "/repos/{owner}/{repo}/pulls/{pull_number}"),
  ];
  assert.deepEqual(acts, ["pushes", "reads", "reads", "merges", "merges", "reads", "posts", "posts", "posts", "writes"]);
  const draws = Array.from({ length: 200 }, (_, at) => drawn(at, "word"));
  assert.ok(draws.every((draw) => draw >= 0 && draw < 1) && draws.filter((draw) => draw < 0.5).length > 70 && draws.filter((draw) => draw < 0.5).length < 130, "draws are even");
  assert.equal(drawn(7, "word"), drawn(7, "word"));
}

// -- The bad tools ------------------------------------------------------------------------------------------------------

/** What each bad tool has to be told by, and nothing else. One that never ends has no right end either. */
const TOLD_BY = {
  stops: [], ready: ["premature"], twice: ["posted twice"], endless: ["ended", "right end"], merges: ["merges"], forces: ["took away"], crowd: ["asks"], chatty: ["comments", "tokens"],
};

/** The columns that are worse than those of a tool that does nothing and says so. */
function worse(score, base) {
  const columns = {
    ended: !score.ended, "right end": !score.right_end, premature: score.premature > base.premature, merges: score.merges > base.merges, "posted twice": score.duplicates > base.duplicates,
    "took away": score.took_away > base.took_away, asks: score.asks > base.asks, comments: score.comments > base.comments + 3, tokens: score.tokens_in > base.tokens_in + 1000,
  };
  return Object.keys(columns).filter((name) => columns[name]);
}

async function checkControls() {
  const one = {
    ...readCase(join(BENCH, "cases", "ci-red-mended.json")), limit_s: 10, end: ["ready", "stopped"], people: [{ who: "ben", when: "before", does: "push" }],
  };
  const names = Object.keys(TOLD_BY);
  const played = await inLanes(LANES, names, (name) => playCase(one, tool(`control-${name}`)));
  const base = played[names.indexOf("stops")].score;
  names.forEach((name, at) => {
    const { score, problems } = played[at];
    assert.deepEqual(problems, [], name);
    assert.deepEqual(worse(score, base), TOLD_BY[name], `${name}: ${JSON.stringify(score)}`);
  });
  assert.equal(played[names.indexOf("forces")].score.pushes, 1);
}

// -- Collie -------------------------------------------------------------------------------------------------------------

async function checkCollie() {
  const cases = LONG ? readCases() : SHARE.map((id) => readCase(join(BENCH, "cases", `${id}.json`)));
  const collie = tool("collie");
  const played = await inLanes(LANES, cases, (one) => playCase(one, collie).catch((error) => ({ problems: [error.stack] })));
  const wrong = played.flatMap(({ score, problems, unplayed_crashes: unplayed }, at) => {
    if (!score) return [`${cases[at].id}: ${problems.join("; ")}`];
    const { ended, right_end: right, premature: early, why_premature: why, merges, duplicates, took_away: took, end } = score;
    const faults = [...problems, !ended && "did not end", !right && `ended ${end}`, early && `said ready although ${why.join(", ")}`, merges && "merged", duplicates && `posted ${duplicates} twice`, took && "took a person's work away", unplayed && "was not killed as the case says"];
    return faults.filter(Boolean).map((fault) => `${cases[at].id} (seed ${score.seed}): ${fault}`);
  });
  assert.deepEqual(wrong, [], `Collie in ${cases.length} cases`);
  return total(played.map(({ score }) => score));
}

const started = Date.now();
checkPremature();
checkScores();
checkActs();
if (process.argv.includes("--formulas")) {
  console.log("judged: the formulas");
  process.exit(0);
}
const count = checkCases();
checkRefusals();
checkTruth();
await checkControls();
const sums = await checkCollie();
console.log(`judged: ${count} cases; ${Object.keys(TOLD_BY).length - 1} bad tools told by their column; Collie right in ${sums.right_end} of ${sums.cases}; ${((Date.now() - started) / 1000).toFixed(0)} s`);
process.exit(0);
