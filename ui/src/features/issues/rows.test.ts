import { expect, test } from "vitest";
import type { BlockerView, LoopView } from "../../generated/wire";
import { textIn } from "../../i18n";
import { statePillOf } from "../../loop-state";
import { aListing, aLoop, anIssue, aPull, aReadyLoop } from "../../test";
import { besidePill, filterRows, rowsOfIssues, rowsOfPulls, summaryOf, type RowModel } from "./rows";

const t = textIn("en");

function blocker(needs_person: boolean, args: Record<string, unknown> = {}, text = "It waits"): BlockerView {
  return { code: "draft", args, text, needs_person };
}

function row(part: Partial<RowModel>): RowModel {
  return { key: "a/b#1", number: 1, title: "Title", author: "kim", ...part };
}

test("a line says its state in a word or two", () => {
  const check = (changes: Partial<LoopView>, tone: string, text: string) =>
    expect(statePillOf({ loop: aLoop({ blocker: null, ...changes }) }, t)).toEqual({ tone, text });
  check({ state: "pr_awaiting_checks" }, "run", "Waiting for checks");
  check({ state: "pr_fixing", iteration: 2, max_iterations: 5 }, "run", "Fixing · 3 of 5");
  check({ state: "pr_created", queue_position: 3 }, "none", "Queued · 3");
  check({ state: "pr_reviewing", blocker: blocker(true, { logins: ["ana"] }) }, "warn", "Waiting for @ana");
  check({ state: "pr_reviewing", blocker: blocker(true, { logins: ["ana", "lee", "sam"] }) }, "warn", "Waiting for @ana +2");
  check({ state: "pr_reviewing", blocker: blocker(true) }, "warn", "Waiting for you");
  check({ state: "pr_ready_to_merge" }, "ok", "Ready to merge");
  check({ state: "needs_human" }, "bad", "Needs you");
  check({ state: "failed" }, "bad", "Failed");
  check({ state: "merged" }, "ok", "Merged");
  check({ state: "cancelled" }, "none", "Cancelled");
  expect(statePillOf({ pull: aPull() }, t)).toEqual({ tone: "none", text: "Not started" });
  expect(statePillOf({ pull: aPull({ draft: true }) }, t)).toEqual({ tone: "none", text: "Draft" });
});

test("a line says in a sentence why it is where it is", () => {
  const check = (part: Partial<RowModel>, sentence: string) => expect(summaryOf(row(part), t)).toBe(sentence);
  check({ loop: aLoop() }, "2 of 7 checks not finished: build, e2e");
  check({ loop: aLoop({ error: { code: "stuck", message: "It came back", hints: [] } }) }, "It came back");
  check({ loop: aReadyLoop() }, "11 checks, 1 reviewer, coderabbitai");
  check({ loop: { ...aReadyLoop(), state: "merged", can_merge: false, blocker: null } }, "11 checks, 1 reviewer, coderabbitai");
  check({ loop: aLoop({ blocker: null, queue_position: 2 }) }, "Waiting for a free slot: position 2");
  const text = "Waiting for acme/api#3, which commits to the same branch";
  check({ loop: aLoop({ state: "pr_fixing", queue_position: 1, branch_holder: { pull: "acme/api#3", text } }) }, text);
  check({ loop: aLoop({ blocker: null, state: "merged" }) }, "Merged");
  check({ pull: aPull({ skip_reason: "Auto-merge is on" }) }, "Auto-merge is on");
  const draft = row({ pull: aPull({ draft: true, skip_reason: "Draft", author: "lee", head_ref: "docs" }) });
  expect(summaryOf(draft, t)).toBe("Draft");
  expect(summaryOf(besidePill(draft, t), t)).toBe("by lee · docs");
  check({ pull: aPull({ author: "lee", head_ref: "docs" }) }, "by lee · docs");
  check({ pull: aPull({ author: null, head_ref: "docs" }) }, "docs");
  check({ issue: anIssue({ author: "ana", comments: 1, labels: ["bug", "p1"] }) }, "by ana · 1 comment · bug · p1");
});

test("the rules are no reviewer of what is ready", () => {
  const { proof } = aReadyLoop();
  const verdicts = proof?.verdicts.filter(({ kind }) => kind === "rules") ?? [];
  const loop = aReadyLoop({ proof: proof && { ...proof, verdicts } });
  expect(summaryOf(row({ loop }), t)).toBe("11 checks, coderabbitai");
  expect(summaryOf(row({ loop: { ...loop, bots: [] } }), t)).toBe("11 checks, no reviewers");
});

test("a repository's lines are its pull requests, and loops that go on though they are not listed", () => {
  const listing = aListing({ pulls: [aPull({ number: 5 }), aPull({ number: 4 })] });
  const loops = [
    aLoop({ key: "acme/api#4" }),
    aLoop({ key: "acme/api#9" }),
    aLoop({ key: "acme/api#3", state: "merged" }),
    aLoop({ key: "acme/web#5" }),
  ];
  const rows = rowsOfPulls("acme/api", listing, loops);
  expect(rows.map(({ key, loop, pull }) => [key, loop !== undefined, pull !== undefined])).toEqual([
    ["acme/api#9", true, false],
    ["acme/api#5", false, true],
    ["acme/api#4", true, true],
  ]);
});

test("filters and words narrow the lines down", () => {
  const rows = rowsOfPulls(
    "acme/api",
    aListing({
      pulls: [
        aPull({ number: 1, title: "Retry webhooks", author: "kim", mine: true, head_ref: "retry" }),
        aPull({ number: 2, title: "Bump openssl", author: "renovate", by_agent: true, labels: ["dependencies"] }),
        aPull({ number: 3, title: "Retry exports", author: "ana" }),
      ],
    }),
    [],
  );
  const check = (filter: { mine?: boolean; agents?: boolean; query?: string }, numbers: number[]) =>
    expect(filterRows(rows, { mine: false, agents: false, query: "", ...filter }, "kim").map(({ number }) => number)).toEqual(numbers);
  check({}, [1, 2, 3]);
  check({ mine: true }, [1]);
  check({ agents: true }, [2]);
  check({ query: "retry" }, [1, 3]);
  check({ query: "ANA retry" }, [3]);
  check({ query: "#2" }, [2]);
  check({ query: "depend" }, [2]);
  check({ query: "nothing of the kind" }, []);
  const loops = rowsOfPulls("acme/api", undefined, [aLoop({ key: "acme/api#7", author: "kim" }), aLoop({ key: "acme/api#8", author: "ana" })]);
  expect(filterRows(loops, { mine: true, agents: false, query: "" }, "kim").map(({ number }) => number)).toEqual([7]);
});

test("issues have lines of their own", () => {
  expect(rowsOfIssues(aListing()).map(({ number, issue }) => [number, issue?.comments])).toEqual([[31, 4]]);
  expect(rowsOfIssues(undefined)).toEqual([]);
});
