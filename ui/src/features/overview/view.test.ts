import { expect, test } from "vitest";
import type { LoopView, PullLine } from "../../generated/wire";
import { ago, aLoop, aPull, aReadyLoop } from "../../test";
import { markOf, type Snoozes } from "../../snooze";
import { loopsOf } from "./fixtures";
import { countStandings, standingOf } from "./standing";
import { FIRST_VIEW, itemsOf, matchesOf, pullMatchesOf, type Looking, type View } from "./view";

const NOW = Date.now();
const looking = (more: Partial<Looking> = {}): Looking => ({ only: null, login: "kim", snoozes: {}, now: NOW, folded: [], ...more });
const blocked = (code: "fixing" | "bots_pending", needs_person = false): Partial<LoopView> => ({ blocker: { code, args: {}, text: "It waits", needs_person } });

function linesOf(loops: LoopView[], view: Partial<View> = {}, more: Partial<Looking> = {}, pulls: PullLine[] = []): string[] {
  const whole = { ...FIRST_VIEW, ...view };
  const at = looking(more);
  const items = itemsOf(matchesOf(loops, whole, at), whole, at, pullMatchesOf(pulls, loops, whole, at));
  return items.map((item) => (item.kind === "group" ? `${item.standing ?? item.repo} ${item.count}` : item.id));
}

test("a loop needs a person, is ready, at work, waits for others, or is over", () => {
  const check = (changes: Partial<LoopView>, standing: string, snoozes: Snoozes = {}) => expect(standingOf(aLoop(changes), snoozes, NOW)).toBe(standing);
  check({ state: "needs_human" }, "needs-you");
  check({ state: "failed" }, "needs-you");
  check({ state: "pr_reviewing", ...blocked("bots_pending", true) }, "needs-you");
  check({ state: "pr_reviewing", ...blocked("bots_pending") }, "waiting");
  check({ state: "pr_created", blocker: null, queue_position: 2 }, "waiting");
  check({ state: "pr_fixing", ...blocked("fixing") }, "working");
  check({ state: "pr_reviewing", blocker: null }, "working");
  check({ state: "pr_ready_to_merge", ...blocked("bots_pending", true) }, "ready");
  check({ state: "merged", blocker: null }, "done");
  const { key } = aLoop();
  check({ state: "failed" }, "snoozed", { [key]: { until: "time", at: NOW + 1 } });
  check({ state: "failed" }, "needs-you", { [key]: { until: "time", at: NOW } });
  check({ state: "merged" }, "done", { [key]: { until: "time", at: NOW + 1 } });
});

test("a loop that is snoozed until it changes comes back with the change", () => {
  const loop = aLoop({ state: "failed" });
  const snoozes: Snoozes = { [loop.key]: { until: "change", mark: markOf(loop) } };
  expect(standingOf({ ...loop, title: "Another title", updated_at: ago(0) }, snoozes, NOW)).toBe("snoozed");
  expect(standingOf({ ...loop, head_sha: "a".repeat(40) }, snoozes, NOW)).toBe("needs-you");
  expect(standingOf({ ...loop, state: "pr_fixing", attention: "working", blocker: null }, snoozes, NOW)).toBe("working");
});

test("what is counted in the sidebar is what its page lists, of each repository too", () => {
  const loops = loopsOf(200);
  const [first, second] = loops.filter((loop) => loop.attention === "needs_you");
  const snoozes: Snoozes = { [first?.key ?? ""]: { until: "time", at: NOW + 60_000 } };
  const counts = countStandings(loops, snoozes, NOW);
  for (const only of ["needs-you", "ready", "working"] as const) {
    const listed = matchesOf(loops, FIRST_VIEW, looking({ only, snoozes }));
    expect(listed).toHaveLength(counts.all[only]);
    expect(listed.length).toBeGreaterThan(0);
    // No point beside a repository whose list has nothing of the kind.
    for (let nth = 1; nth <= 20; nth += 1) {
      const repo = `acme/service-${nth}`;
      expect(listed.filter(({ key }) => key.startsWith(`${repo}#`))).toHaveLength(counts.of(repo)[only]);
    }
  }
  expect(matchesOf(loops, FIRST_VIEW, looking({ only: "needs-you", snoozes }))).not.toContain(first);
  expect(matchesOf(loops, FIRST_VIEW, looking({ only: "needs-you", snoozes }))).toContain(second);
  expect(counts.of("acme/nothing")).toEqual({ "needs-you": 0, ready: 0, working: 0 });
});

const SOME = [
  aLoop({ key: "b/b#1", title: "Zebra", started_at: ago(1) }),
  aLoop({ key: "a/a#2", title: "apple", started_at: ago(9), author: "ana", usage: { input_tokens: 1, output_tokens: 1, cost_usd: 2 } }),
  aLoop({ key: "a/a#10", title: "Mango", state: "merged", updated_at: ago(3) }),
  aReadyLoop({ key: "b/b#7", title: "Pear", started_at: ago(100) }),
];

test("loops are grouped by state, and keep their places within", () => {
  expect(linesOf(SOME)).toEqual(["ready 1", "b/b#7", "waiting 2", "a/a#2", "b/b#1", "done 1", "a/a#10"]);
  expect(linesOf(SOME, { grouping: "repository" })).toEqual(["a/a 2", "a/a#10", "a/a#2", "b/b 2", "b/b#7", "b/b#1"]);
  expect(linesOf(SOME, {}, { folded: ["state waiting"] })).toEqual(["ready 1", "b/b#7", "waiting 2", "done 1", "a/a#10"]);
});

test("loops are sorted as asked", () => {
  const check = (sorting: View["sorting"], keys: string[]) => expect(linesOf(SOME, { grouping: "none", sorting })).toEqual(keys);
  check("repository", ["a/a#10", "a/a#2", "b/b#7", "b/b#1"]);
  check("newest", ["b/b#1", "a/a#10", "a/a#2", "b/b#7"]);
  check("oldest", ["b/b#7", "a/a#2", "a/a#10", "b/b#1"]);
  check("title", ["a/a#2", "a/a#10", "b/b#7", "b/b#1"]);
  check("cost", ["a/a#2", "a/a#10", "b/b#7", "b/b#1"]);
});

test("names with numbers are in the order that people count in", () => {
  const counted = ["acme/api10", "acme/api9", "acme/Web"].map((repo, index) => aLoop({ key: `${repo}#${index + 1}`, title: `Step ${10 - index}` }));
  const order = (view: Partial<View>) => linesOf(counted, { grouping: "none", ...view });
  expect(order({ sorting: "repository" })).toEqual(["acme/api9#2", "acme/api10#1", "acme/Web#3"]);
  expect(order({ sorting: "title" })).toEqual(["acme/Web#3", "acme/api9#2", "acme/api10#1"]);
  expect(linesOf(counted, { grouping: "repository" }).filter((line) => line.includes(" "))).toEqual(["acme/api9 1", "acme/api10 1", "acme/Web 1"]);
});

test("filters and words narrow the list down", () => {
  const check = (view: Partial<View>, keys: string[]) => expect(linesOf(SOME, { grouping: "none", ...view })).toEqual(keys);
  check({ mine: true }, ["a/a#10", "b/b#7", "b/b#1"]);
  check({ repositories: ["b/b"] }, ["b/b#7", "b/b#1"]);
  check({ query: "b/b PEAR" }, ["b/b#7"]);
  check({ query: "nothing of the kind" }, []);
});

const PULLS = [
  aPull({ key: "b/b#9", number: 9, title: "Quince", author: "kim", head_ref: "fruit", labels: ["late"], updated_at: ago(2) }),
  aPull({ key: "a/a#3", number: 3, title: "Lime", author: "ana", updated_at: ago(50) }),
  // It has a loop by now; the list is older than that.
  aPull({ key: "b/b#7", number: 7, title: "Pear" }),
];

test("pull requests without a loop are a group before what is done, and stand among the others in every other order", () => {
  const lines = (view: Partial<View> = {}, more: Partial<Looking> = {}) => linesOf(SOME, view, more, PULLS);
  expect(lines()).toEqual(["ready 1", "b/b#7", "waiting 2", "a/a#2", "b/b#1", "not-started 2", "a/a#3", "b/b#9", "done 1", "a/a#10"]);
  expect(lines({}, { folded: ["state not-started"] })).toContain("not-started 2");
  expect(lines({}, { folded: ["state not-started"] })).not.toContain("a/a#3");
  expect(lines({ grouping: "repository" })).toEqual(["a/a 3", "a/a#10", "a/a#3", "a/a#2", "b/b 3", "b/b#9", "b/b#7", "b/b#1"]);
  expect(lines({ grouping: "none", sorting: "newest" })).toEqual(["b/b#1", "b/b#9", "a/a#10", "a/a#2", "a/a#3", "b/b#7"]);
});

test("the filters are those of loops", () => {
  const lines = (view: Partial<View>, more: Partial<Looking> = {}) => linesOf([], { grouping: "none", ...view }, more, PULLS.slice(0, 2));
  expect(lines({ mine: true })).toEqual(["b/b#9"]);
  expect(lines({ repositories: ["a/a"] })).toEqual(["a/a#3"]);
  expect(lines({ query: "fruit LATE" })).toEqual(["b/b#9"]);
  expect(lines({}, { only: "working" })).toEqual([]);
});
