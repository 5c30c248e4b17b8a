// A few loops on the durable engine while things break, by a fresh seed: see many-machines.mjs, which plays as many as one likes. Before that, the
// judge on records made by hand: each thing that none may do is told, and nothing else.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { wrongsOf } from "./many-machines/judge.mjs";
import { startActLog } from "./loopbench/hub.mjs";
import { TOOL_LOGIN } from "./loopbench/world.mjs";
import { repoOf, tellLandedPushes } from "./many-machines/request-log.mjs";
import { isGood } from "./many-machines/report.mjs";

/** What is played in every run: a few of each kind, whose ends no slow machine changes. */
const SHARE = "ready-*,ci-red-mended,ci-slow,people-ask-approve,bots-review";

const scripts = dirname(fileURLToPath(import.meta.url));
const installed = join(scripts, "../tests/restate/node_modules/@restatedev");

const score = { duplicates: 0, took_away: 0, merges: 0, why_premature: [], ended: true, right_end: true };
const clean = { score, tokens: ["a", "b", undefined, undefined], trees: ["one", "two"], left: [] };
/** What is told of records that differ from clean ones by that. */
const told = (change) => Object.entries(wrongsOf({ ...clean, ...change })).filter(([, count]) => count > 0);

function checkJudge() {
  assert.deepEqual(told({}), []);
  assert.deepEqual(told({ tokens: ["a", "b", "a"] }), [["one token posted twice", 1]]);
  assert.deepEqual(told({ trees: ["one", "one"] }), [["pushed twice", 1]]);
  assert.deepEqual(told({ left: ["half"] }), [["faults left at ready", 1]]);
  const scored = (change) => told({ score: { ...score, ...change } });
  assert.deepEqual(scored({ duplicates: 2 }), [["said twice", 2]]);
  assert.deepEqual(scored({ took_away: 1 }), [["took a person's work away", 1]]);
  assert.deepEqual(scored({ merges: 1 }), [["merged", 1]]);
  assert.deepEqual(scored({ why_premature: ["required check test is red", "planted fault half is in"] }), [["not ready at ready", 1]]);
  assert.deepEqual(scored({ ended: false, right_end: false }), [["not ended", 1]]);
  assert.deepEqual(scored({ right_end: false }), [["ended otherwise than the case allows", 1]]);
  const fine = { wrongs: wrongsOf(clean), mergeTries: 0, control: {}, problems: [] };
  assert.ok(isGood(fine));
  for (const bad of [{ wrongs: { merged: 1 } }, { mergeTries: 1 }, { control: { missed: ["merged"] } }, { control: { untried: "none" } }, { problems: ["a person could not push"] }]) assert.ok(!isGood({ ...fine, ...bad }));
  for (const path of ["/repos/octo/a-1/pulls/1/reviews", "/octo/a-1.git/git-receive-pack", "/octo/a-1/git-receive-pack"]) assert.equal(repoOf({ path }), "octo/a-1");
}

/** A push whose client was killed before the answer is one where the branch has it, once. */
async function checkLandedPushes() {
  const by = (...logins) => logins.map((login) => ({ by: login }));
  for (const [heads, answered, pushes] of [[by("ben"), 0, 0], [by("ben", TOOL_LOGIN), 0, 1], [by("ben", TOOL_LOGIN), 1, 1], [by("ben", "ana", TOOL_LOGIN, TOOL_LOGIN), 1, 2]]) {
    const acts = startActLog(new AbortController().signal);
    for (let number = 0; number < answered; number += 1) acts.tell("pushes");
    const call = async () => heads;
    await tellLandedPushes(call, { repo: "octo/a-1", acts });
    await tellLandedPushes(call, { repo: "octo/a-1", acts });
    assert.equal(acts.counts.pushes, pushes);
  }
}

checkJudge();
await checkLandedPushes();
if (process.env.COLLIE_RESTATE_SERVER || existsSync(installed)) {
  const size = process.env.COLLIE_TEST_LONG ? ["--loops", "200", "--faults", "60"] : ["--loops", "8", "--faults", "5", "--cases", SHARE];
  const { status } = spawnSync(process.execPath, [join(scripts, "many-machines.mjs"), ...size, "--within", "1200"], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} else console.log("loops on the durable engine: not tried, there is no restate-server (`bash scripts/setup.sh --tests` brings one)");
