import { describe, expect, it } from "vitest";
import type { BlockerCode, CheckLine, LoopView, StopCode, TimelineLine } from "../../generated/wire";
import { aFinding, aLoop } from "../../test";
import { aCheck, anOpenCheck, aProvenLoop, aReviewer, aReviewingLoop, aStoppedLoop, aTimeline, manyFindings } from "./fixtures";
import { countFindings, groupFindings, isOpen, openFirst, splitPath } from "./findings";
import { checkText, escalatedBy, loopTone, stepsOf } from "./lifecycle";
import { collapseRepeats, firstLines, groupTimeline } from "./timeline";

const stopped = (code: StopCode) => aStoppedLoop({ error: { code, message: "", hints: [] } });
const waits = (code: BlockerCode, needs_person: boolean) => aLoop({ blocker: { code, args: {}, text: "", needs_person } });

const { proof } = aProvenLoop();
const unfixed = proof && { ...proof, fixed: [] };

describe("the four steps", () => {
  it.each<[string, LoopView, string]>([
    ["starting", aLoop({ state: "pr_created" }), "now todo todo todo"],
    ["waiting for checks", aLoop(), "now todo todo todo"],
    ["kept back by auto-merge", waits("auto_merge", true), "waits todo todo todo"],
    ["waiting for checks of a fix", aReviewingLoop({ state: "pr_awaiting_checks" }), "now again done todo"],
    ["reviewing", aReviewingLoop({ iteration: 0 }), "done now todo todo"],
    ["reviewing a fix", aReviewingLoop(), "done now done todo"],
    ["waiting for a person's review", aReviewingLoop({ blocker: waits("awaiting_reviewer", true).blocker }), "done waits done todo"],
    ["fixing what reviewers found", aReviewingLoop({ state: "pr_fixing", stages: [{ reviewers: [aReviewer({ status: "reviewed" })] }] }), "done done now todo"],
    ["fixing red checks", aReviewingLoop({ state: "pr_fixing", ci: { ...aLoop().ci, status: "failed" } }), "failed again now todo"],
    ["fixing red checks that no review was before", aReviewingLoop({ state: "pr_fixing", iteration: 0, stages: [], ci: { ...aLoop().ci, status: "failed" } }), "failed again now todo"],
    ["reviewing what is red on the base too", aReviewingLoop({ iteration: 0, ci: { ...aLoop().ci, status: "failed" } }), "failed now todo todo"],
    ["ready", aProvenLoop(), "done done done done"],
    ["ready without a fix", aProvenLoop({ iteration: 0, proof: unfixed }), "done done skipped done"],
    ["merged without a fix", aProvenLoop({ state: "merged", iteration: 0, proof: unfixed }), "done done skipped done"],
    ["ready after a fix by somebody else", aProvenLoop({ iteration: 0 }), "done done done done"],
    ["stuck", aStoppedLoop(), "done done failed todo"],
    ["checks timed out", stopped("ci_timeout"), "failed done done todo"],
    ["a reviewer failed", stopped("review_failed"), "done failed done todo"],
    ["access lost", stopped("access_lost"), "done done done failed"],
    ["cancelled", aReviewingLoop({ state: "cancelled" }), "done again done todo"],
  ])("%s", (_, loop, expected) => {
    const { checks, review, fix, ready } = stepsOf(loop);
    expect([checks, review, fix, ready].join(" ")).toBe(expected);
  });
});

describe("the colour of a situation", () => {
  it.each<[LoopView, string]>([
    [aLoop(), "run"],
    [aLoop({ queue_position: 1 }), "none"],
    [waits("draft", true), "warn"],
    [waits("rate_limited", false), "warn"],
    [waits("unauthorized", true), "bad"],
    [aProvenLoop(), "ok"],
    [aStoppedLoop(), "bad"],
    [aLoop({ state: "closed" }), "none"],
  ])("%#", (loop, tone) => expect(loopTone(loop)).toBe(tone));
});

describe("checks", () => {
  it.each<[CheckLine, string]>([
    [aCheck("x", "success"), "review-check-success"],
    [aCheck("x", "timed_out"), "review-check-timed_out"],
    [aCheck("x", "action_required"), "review-check-action_required"],
    [anOpenCheck("x", "missing"), "review-check-missing"],
    [{ ...aCheck("x", "success"), conclusion: null }, "review-check-running"],
  ])("%#", (check, text) => expect(checkText(check)).toBe(text));
});

describe("findings", () => {
  it("are put together by priority or by the review that first told of them, what is open first", () => {
    const findings = [
      aFinding({ fingerprint: "a", priority: "P0", status: "fixed", first_round: 1 }),
      aFinding({ fingerprint: "b", priority: "P0", status: "stuck", first_round: 2 }),
      aFinding({ fingerprint: "c", priority: "P2", first_round: 1 }),
    ];
    const told = (grouping: "priority" | "round") =>
      groupFindings(findings, grouping).map(({ key, findings }) => `${key}:${findings.map((one) => one.fingerprint).join("")}`);
    expect(told("priority")).toEqual(["P0:ba", "P2:c"]);
    expect(told("round")).toEqual(["2:b", "1:ca"]);
    expect(openFirst(findings).map((one) => one.fingerprint)).toEqual(["b", "c", "a"]);
  });

  it("are counted by their fate; praise is nothing to be done", () => {
    const findings = [...manyFindings(7), aFinding({ kind: "praise" })];
    expect(countFindings(findings)).toEqual({ open: 4, fixed: 2, dismissed: 0, settled: 1 });
  });

  it("stand though they were declined, unless they were suggestions", () => {
    const fates = (["P1", "P3"] as const).map((priority) => isOpen(aFinding({ priority, status: "rejected" })));
    expect(fates).toEqual([true, false]);
  });

  it("keep the name of their file apart from its folder", () => {
    expect(splitPath("a/b/c.rs")).toEqual({ folder: "a/b/", name: "c.rs" });
    expect(splitPath("c.rs")).toEqual({ folder: "", name: "c.rs" });
  });
});

describe("the timeline", () => {
  it("has the latest first, by run and day, and nothing twice or lost", () => {
    const lines = aTimeline(100);
    const groups = groupTimeline(lines);
    expect(groups.flatMap((group) => group.lines.map((line) => line.seq))).toEqual(lines.map((line) => line.seq).reverse());
    expect(groups[0]?.run).toBe(2);
    expect(groups.at(-1)?.run).toBe(1);
    for (const group of groups) expect(new Set(group.lines.map((line) => new Date(line.at).toDateString())).size).toBe(1);
    expect(firstLines(groups, 30).flatMap((group) => group.lines)).toHaveLength(30);
  });

  it("counts readings that changed nothing, and keeps whatever says more", () => {
    const read: TimelineLine = { seq: 1, at: "2026-03-14T10:00:00Z", event: "observed", from: "pr_reviewing", to: "pr_reviewing", text: "GitHub was read", notes: [], quiet: true, waits_for: null, bots_awaited: null, review: null, pushed: null, worker: null, usage: null };
    const lines = [read, read, { ...read, notes: ["a bot"] }, read, { ...read, from: "pr_created" as const }, { ...read, text: "Cancelled" }];
    expect(collapseRepeats(lines).map(({ times }) => times)).toEqual([2, 1, 1, 1, 1]);
  });
});

it("knows who asked whom in", () => {
  expect(escalatedBy(aReviewingLoop(), "sam")).toEqual(["quinn"]);
  expect(escalatedBy(aReviewingLoop(), "quinn")).toEqual([]);
});
