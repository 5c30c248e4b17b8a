// @vitest-environment jsdom
import { afterEach, expect, test } from "vitest";
import type { LoopView } from "../../generated/wire";
import { ago, aLoop, aReadyLoop, sha } from "../../test";
import { keepNews, newsBetween, reasonOf, type Notification } from "./notifications";

afterEach(() => localStorage.clear());

const OPENED = Date.now() - 60_000;
const loop = aLoop();
const kinds = (before: LoopView[], after: LoopView[]) => newsBetween(before, after, OPENED, "en").map(({ kind }) => kind);
const keptKeys = () => (JSON.parse(localStorage.getItem("collie-notifications") ?? '{"list":[]}') as { list: { key: string }[] }).list.map(({ key }) => key);

test("what becomes ready, needs somebody or fails is news, once", () => {
  const failed: LoopView = { ...loop, state: "failed", attention: "needs_you", blocker: null };
  const needs: LoopView = { ...loop, state: "needs_human", attention: "needs_you", blocker: null };
  const ready = aReadyLoop({ key: loop.key });
  expect(kinds([loop], [failed])).toEqual(["failed"]);
  expect(kinds([loop], [needs])).toEqual(["needs_you"]);
  expect(kinds([loop], [ready])).toEqual(["ready"]);
  expect(kinds([needs], [{ ...needs, title: "Another" }])).toEqual([]);
  expect(kinds([needs], [{ ...needs, run_id: "run-2" }])).toEqual(["needs_you"]);
  expect(kinds([ready], [{ ...ready, head_sha: sha("1234567") }])).toEqual(["ready"]);
  expect(kinds([failed], [loop])).toEqual([]);
  expect(kinds([loop], [{ ...loop, state: "merged", attention: "over", blocker: null }])).toEqual([]);
});

test("what is only now read is no news, what was begun since is", () => {
  const failed: LoopView = { ...loop, state: "failed", attention: "needs_you", started_at: ago(5) };
  expect(kinds([], [failed])).toEqual([]);
  expect(kinds([], [{ ...failed, started_at: ago(0) }])).toEqual(["failed"]);
});

test("the last fifty are kept, each once, and none of a kind that is off", () => {
  const many = Array.from({ length: 60 }, (_, nth) => aReadyLoop({ key: `a/a#${nth}`, started_at: ago(0) }));
  const news = newsBetween([], many, OPENED, "en");
  keepNews(news);
  keepNews(news.slice(30));
  expect(keptKeys()).toHaveLength(50);
  expect(keptKeys()[0]).toBe("a/a#59");
  localStorage.setItem("collie-notifications", JSON.stringify({ list: [], seenAt: "", off: ["ready"] }));
  keepNews(news);
  expect(keptKeys()).toEqual([]);
});

test("why something happened is said in the language that is shown, as far as it still stands", () => {
  const waits = (text: string, code: "draft" | "conflict" = "draft"): LoopView => ({
    ...loop,
    attention: "needs_you",
    blocker: { code, args: {}, text, needs_person: true },
  });
  const [told] = newsBetween([loop], [waits("It is a draft")], OPENED, "en") as [Notification];
  expect(reasonOf(told, waits("C’est un brouillon"), "fr")).toBe("C’est un brouillon");
  // What has become of it since is said elsewhere.
  expect(reasonOf(told, waits("En conflit", "conflict"), "fr")).toBe("");
  expect(reasonOf(told, { ...waits("C’est un brouillon"), run_id: "run-2" }, "fr")).toBe("");
  expect(reasonOf(told, undefined, "fr")).toBe("");
  expect(reasonOf(told, waits("Conflict", "conflict"), "en")).toBe("It is a draft");
  const stopped: LoopView = { ...loop, state: "failed", attention: "needs_you", blocker: null, error: { code: "ci_timeout", message: "Too slow", hints: [] } };
  const [failed] = newsBetween([loop], [stopped], OPENED, "en") as [Notification];
  expect(reasonOf(failed, { ...stopped, error: { code: "ci_timeout", message: "Trop lent", hints: [] } }, "fr")).toBe("Trop lent");
});
