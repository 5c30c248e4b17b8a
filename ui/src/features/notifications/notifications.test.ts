// @vitest-environment jsdom
import { afterEach, expect, test } from "vitest";
import type { LoopView } from "../../generated/wire";
import { ago, aLoop, aReadyLoop, sha } from "../../test";
import { keepNews, newsBetween } from "./notifications";

afterEach(() => localStorage.clear());

const OPENED = Date.now() - 60_000;
const loop = aLoop();
const kinds = (before: LoopView[], after: LoopView[]) => newsBetween(before, after, OPENED).map(({ kind }) => kind);
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
  const news = newsBetween([], many, OPENED);
  keepNews(news);
  keepNews(news.slice(30));
  expect(keptKeys()).toHaveLength(50);
  expect(keptKeys()[0]).toBe("a/a#59");
  localStorage.setItem("collie-notifications", JSON.stringify({ list: [], seenAt: "", off: ["ready"] }));
  keepNews(news);
  expect(keptKeys()).toEqual([]);
});
