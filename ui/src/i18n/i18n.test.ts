import { expect, test } from "vitest";
import { formatAge, formatDate, formatDollars, formatDuration, formatFullTime, formatMoment, formatNumber, formatRelativeTime, formatTime, hasText, languageOf, textIn, type Language } from ".";

const NOW = Date.parse("2026-03-14T12:00:00Z");
const before = (seconds: number) => new Date(NOW - seconds * 1000);
/** Spaces that look alike are alike. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");

test("a text has its arguments, plurals and numbers as the language writes them", () => {
  const check = (language: Language, id: string, args: Record<string, string | number>, text: string) => expect(plain(textIn(language)(id, args))).toBe(text);
  check("en", "list-issue", { comments: 1 }, "1 comment");
  check("en", "list-issue", { comments: 0 }, "0 comments");
  check("fr", "list-issue", { comments: 0 }, "0 commentaire");
  check("fr", "list-issue", { comments: 1234 }, "1 234 commentaires");
  check("en", "list-issue-by", { author: "ana", comments: 1234 }, "by ana · 1,234 comments");
});

test("whatever the engine passes over is said in words", () => {
  const step = import.meta.glob<string>("../../../crates/core/src/step/*.rs", { query: "?raw", import: "default", eager: true });
  const reasons = Object.values(step).flatMap((source) => [...source.matchAll(/\.ignore\("(\w+)"\)/g)].map(([, reason]) => reason ?? ""));
  expect(reasons).toContain("older_snapshot");
  for (const language of ["en", "fr"] as const) {
    const said = (reason: string) => textIn(language)("note-ignored", { reason });
    expect(reasons.filter((reason) => said(reason) === said("something new"))).toEqual([]);
  }
});

test("a key without a text, or a text without an argument, is found at once", () => {
  expect(() => textIn("en")("no-such-text")).toThrow("no text for no-such-text in en");
  expect(() => textIn("fr")("review-branches")).toThrow(/review-branches in fr/);
  expect(hasText("en", "no-such-text")).toBe(false);
  expect(hasText("fr", "state-merged")).toBe(true);
});

test("amounts and times are written as the language does", () => {
  const check = (is: string, should: string) => expect(plain(is)).toBe(should);
  check(formatNumber("en", 4812), "4,812");
  check(formatNumber("fr", 4812), "4 812");
  check(formatDuration("en", 45_999), "45 s");
  check(formatDuration("en", 760_000), "12 min 40 s");
  check(formatDuration("fr", 7_500_000), "2 h 5 min");
  check(formatDuration("en", -5), "0 s");
  check(formatAge("en", before(59), NOW), "59 s");
  check(formatAge("en", before(750), NOW), "12 min");
  check(formatAge("fr", before(750), NOW), "12 min");
  check(formatAge("en", before(3 * 86_400), NOW), "3 d");
  check(formatAge("fr", before(3 * 86_400), NOW), "3 j");
  check(formatAge("en", before(-30), NOW), "0 s");
  check(formatRelativeTime("en", before(180), NOW), "3 minutes ago");
  check(formatRelativeTime("fr", before(-7_200), NOW), "dans 2 heures");
  check(formatTime("en", new Date(2026, 2, 14, 9, 5)), "09:05");
});

test("a time of another day bears its day, and the whole of it its zone", () => {
  const check = (is: string, should: string | RegExp) => expect(plain(is)).toMatch(should);
  const now = new Date(2026, 2, 14, 12).getTime();
  const at = (...parts: [number, number, number, number, number]) => new Date(...parts);
  check(formatMoment("en", at(2026, 2, 14, 9, 5), now), /^09:05$/);
  check(formatMoment("en", at(2026, 2, 13, 21, 5), now), /^13 Mar,? (at )?21:05$/);
  check(formatMoment("en", at(2026, 2, 15, 0, 10), now), /^15 Mar,? (at )?00:10$/);
  check(formatMoment("fr", at(2026, 2, 13, 21, 5), now), /^13 mars,? (à )?21:05$/);
  check(formatMoment("en", at(2025, 11, 31, 21, 5), now), /^31 Dec 2025, 21:05$/);
  check(formatDate("en", at(2026, 2, 14, 21, 5)), /^14 Mar 2026, 21:05$/);
  check(formatFullTime("en", at(2026, 2, 14, 21, 5)), /^14 Mar 2026, 21:05:00 (GMT|UTC)([+−-]\d+(:\d+)?)?$/);
});

test("money has two digits, and what is less than a cent is no long row of zeros", () => {
  const check = (language: Language, dollars: number, text: string) => expect(plain(formatDollars(textIn(language), language, dollars))).toBe(text);
  check("en", 0, "$0.00");
  check("en", 0.005, "< $0.01");
  check("en", 0.000042, "< $0.01");
  check("en", 0.01, "$0.01");
  check("en", 4.9, "$4.90");
  check("fr", 0.005, "< 0,01 $");
});

test("the language is one there are texts for", () => {
  expect(["fr", "fr-CA", "FR", "en-GB", "de", ""].map(languageOf)).toEqual(["fr", "fr", "fr", "en", "en", "en"]);
});
