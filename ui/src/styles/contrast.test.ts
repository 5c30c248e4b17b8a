import { expect, test } from "vitest";
import css from "./app.css?raw";

/** The colours that a theme sets, from some place on. */
function colours(selector: string, from = 0): Map<string, string> {
  const block = css.slice(css.indexOf(`${selector} {`, from)).split("}")[0] ?? "";
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = "", value = ""]) => [name, value]));
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const GROUNDS = ["bg", "panel", "side", "chip", "hover", "ok-bg", "run-bg", "warn-bg", "bad-bg"];
const DIFF_GROUNDS = ["add", "del", "add-word", "del-word"];

/** What is written on what. */
const WRITTEN: [string, string[]][] = [
  ["text", [...GROUNDS, ...DIFF_GROUNDS]],
  ["code-keyword", ["panel", ...DIFF_GROUNDS]],
  ["code-string", ["panel", ...DIFF_GROUNDS]],
  ["code-number", ["panel", ...DIFF_GROUNDS]],
  ["code-name", ["panel", ...DIFF_GROUNDS]],
  ["code-comment", ["panel", ...DIFF_GROUNDS]],
  ["dim", [...GROUNDS, "add", "del"]],
  ["faint", ["bg", "panel", "side", "chip", "hover"]],
  ["ok", ["ok-bg", "bg", "panel"]],
  ["run", ["run-bg", "bg", "panel"]],
  ["warn", ["warn-bg", "bg", "panel"]],
  ["bad", ["bad-bg", "bg", "panel"]],
  ["accent", ["bg", "panel"]],
  ["on-accent", ["accent"]],
  ["on-p", ["p0", "p1", "p2", "p3"]],
  ["bg", ["text"]],
];

/** What can be told apart without being read: switches, edges of fields, points. */
const SEEN: [string, string[]][] = [
  ["control", ["bg", "panel", "side"]],
  ["ok", ["side"]],
  ["run", ["side"]],
  ["bad", ["side"]],
];

test.each([":root", '[data-theme="dark"]'])("everything can be read and seen in the theme of %s", (selector) => {
  const theme = colours(selector);
  const weak = (pairs: [string, string[]][], least: number) =>
    pairs.flatMap(([front, grounds]) =>
      grounds.map((ground) => ({ pair: `${front} on ${ground}`, is: contrast(theme.get(front) ?? "", theme.get(ground) ?? "") })).filter(({ is }) => !(is >= least)),
    );
  expect(weak(WRITTEN, 4.5)).toEqual([]);
  expect(weak(SEEN, 3)).toEqual([]);
});

test.each([":root", '[data-theme="dark"]'])("who asks for more contrast gets it in the theme of %s", (selector) => {
  const from = css.indexOf("@media (prefers-contrast: more)");
  const stronger = colours(selector, from);
  const theme = new Map([...colours(selector), ...stronger]);
  const at = (front: string, ground: string) => contrast(theme.get(front) ?? "", theme.get(ground) ?? "");
  const weak = (fronts: string[], grounds: string[], least: number) => fronts.flatMap((front) => grounds.filter((ground) => !(at(front, ground) >= least)).map((ground) => `${front} on ${ground}: ${at(front, ground)}`));
  expect(weak(["text", "dim", "faint"], GROUNDS.slice(0, 5), 7)).toEqual([]);
  expect(weak(["ok", "run", "warn", "bad", "accent"], ["bg", "panel"], 7)).toEqual([]);
  expect(weak(["line", "control"], ["bg", "panel", "side"], 3)).toEqual([]);
});

test("what is typed into has an edge that can be seen", () => {
  const sources = Object.entries(import.meta.glob<string>(["../**/*.tsx", "../**/editing.ts", "!../**/*.test.tsx"], { eager: true, query: "?raw", import: "default" }));
  expect(sources.length).toBeGreaterThan(50);
  const faint = sources.flatMap(([file, text]) => {
    const fields = [...text.matchAll(/<(?:input|select|textarea)\b[^>]*?className="([^"]*)"/gs)].map(([, classes = ""]) => classes);
    const weak = fields.some((classes) => /\bborder-line\b/.test(classes)) || /border-control\/\d/.test(text);
    return weak ? [file] : [];
  });
  expect(faint).toEqual([]);
});
