import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { LoopView } from "../../generated/wire";
import { fakeHost, renderUI } from "../../test";
import { aProvenLoop, aReviewer, someExcerpts } from "./fixtures";
import { LoopDetail } from "./LoopDetail";

const UNREAD = /has read this change/;

async function show(changes: Partial<LoopView>) {
  const loop = aProvenLoop(changes);
  const host = fakeHost({ answers: { loops: [loop], excerpts: someExcerpts, timeline: [] } });
  renderUI(<LoopDetail loopKey={loop.key} onClose={() => undefined} />, { host });
  const evidence = within(screen.getByRole("region", { name: "Evidence" }));
  await userEvent.setup({ delay: null }).click(evidence.getByRole("button", { name: /^Verdicts/ }));
  return evidence;
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
  it("is said to be unread, and the rules to have found no pattern", async () => {
    const verdicts = await show(readByRulesAlone(0));
    expect(screen.getByText(UNREAD)).toBeVisible();
    expect(screen.getByText(/the rules found nothing that they know/)).toBeVisible();
    expect(verdicts.getByText("no pattern fired")).toBeVisible();
    expect(screen.queryByText(/approved/)).toBeNull();
  });

  it("has suggestions where only such patterns fired", async () => {
    const verdicts = await show(readByRulesAlone(2));
    expect(verdicts.getByText("suggestions only")).toBeVisible();
    expect(screen.queryByText(/approved/)).toBeNull();
  });

  it("is not said to be unread once somebody has read it", async () => {
    await show({});
    expect(screen.queryByText(UNREAD)).toBeNull();
  });
});
