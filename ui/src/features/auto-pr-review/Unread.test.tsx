import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { LoopView } from "../../generated/wire";
import { fakeHost, renderUI } from "../../test";
import { aProvenLoop, aReviewer, someExcerpts } from "./fixtures";
import { LoopDetail } from "./LoopDetail";

const UNREAD = /^Nobody has read this change/;

function show(changes: Partial<LoopView>) {
  const loop = aProvenLoop(changes);
  const host = fakeHost({ answers: { loops: [loop], excerpts: someExcerpts, timeline: [] } });
  renderUI(<LoopDetail loopKey={loop.key} onClose={() => undefined} />, { host });
  return { proof: within(screen.getByRole("region", { name: "Proof" })), reviewers: within(screen.getByRole("region", { name: "Reviewers" })) };
}

/** Ready, and looked at by the rules alone. */
function readByRulesAlone(findings: number): Partial<LoopView> {
  const proven = aProvenLoop();
  const head_sha = proven.head_sha;
  const rules = { name: "rules", kind: "rules", verdict: "approve", head_sha, findings } as const;
  return {
    stages: [{ reviewers: [aReviewer({ ...rules, status: "reviewed" })] }],
    current_stage: 0,
    proof: { ...proven.proof!, head_sha: head_sha!, verdicts: [rules], unread: true },
  };
}

describe("a change that only rules have looked at", () => {
  it("is said to be unread, and the rules to have found no pattern", () => {
    const { proof, reviewers } = show(readByRulesAlone(0));
    expect(proof.getByText(UNREAD)).toBeVisible();
    expect(proof.getByText("no pattern fired")).toBeVisible();
    expect(reviewers.queryByText(/approved/)).toBeNull();
  });

  it("has suggestions where only such patterns fired", () => {
    const { proof, reviewers } = show(readByRulesAlone(2));
    expect(proof.getByText("suggestions only")).toBeVisible();
    expect(reviewers.queryByText(/approved/)).toBeNull();
  });

  it("is not said to be unread once somebody has read it", () => {
    expect(show({}).proof.queryByText(UNREAD)).toBeNull();
  });
});
