import { describe, expect, it } from "vitest";
import { aChangedFile, aDiff, aFileDiff, aHunk, anOddDiff } from "./fixtures";
import { Highlights, linesOf } from "./highlight";
import { languageOfPath } from "./languages";
import { paint, wordMarks } from "./paint";
import { diffRows, rowHeight, sideText, wrappedRows, type DiffRow, type Layout } from "./rows";

const side = (line: { number: number; sign: string; text: string } | null) => (line === null ? "" : `${line.number}${line.sign}${line.text}`);

function shown(lines: string[], layout: Layout): string[] {
  const diff = { files: [aFileDiff(aChangedFile("a.ts", 1, 1), [aHunk(lines, { old_start: 7, new_start: 9 })])] };
  return diffRows(diff, layout).flatMap((row) => (row.kind === "line" ? [`${side(row.old)}|${side(row.new)}`] : []));
}

describe("the rows of a diff", () => {
  const lines = [" a", "-b", "-c", "+B", " d", "+e", "-f", " g"];

  it("stand below each other with the number of each side", () => {
    expect(shown(lines, "unified")).toEqual(["7 a|9 a", "8-b|", "9-c|", "|10+B", "10 d|11 d", "|12+e", "11-f|", "12 g|13 g"]);
  });

  it("stand beside each other where one takes the place of the other", () => {
    expect(shown(lines, "split")).toEqual(["7 a|9 a", "8-b|10+B", "9-c|", "10 d|11 d", "|12+e", "11-f|", "12 g|13 g"]);
  });

  it("tell files, what is to be said of them, and hunks", () => {
    const kinds = (rows: DiffRow[]) => rows.map((row) => row.kind).filter((kind, index, all) => kind !== "line" || all[index - 1] !== "line");
    expect(kinds(diffRows(aDiff, "unified"))).toEqual(["file", "hunk", "line", "hunk", "line", "file", "hunk", "line"]);
    expect(kinds(diffRows(anOddDiff, "split")).slice(0, 8)).toEqual(["file", "note", "file", "note", "file", "note", "hunk", "line"]);
    const ordinals = diffRows(aDiff, "split").flatMap((row) => (row.kind === "hunk" ? [row.ordinal] : []));
    expect(ordinals).toEqual([0, 1, 2]);
  });

  it("say which line has no end, and take the mark for no line", () => {
    const diff = { files: [aFileDiff(aChangedFile("a", 1, 1), [aHunk(["-a", "\\", "+b"])])] };
    const rows = diffRows(diff, "unified").flatMap((row) => (row.kind === "line" ? [[row.old?.unended, row.new?.unended]] : []));
    expect(rows).toEqual([
      [true, undefined],
      [undefined, false],
    ]);
    expect(sideText(aHunk(["-a", "\\", "+b", " c"]), "old")).toEqual(["a", "c"]);
    expect(sideText(aHunk(["-a", "\\", "+b", " c"]), "new")).toEqual(["b", "c"]);
  });

  it("take as much room as their text, tabs included", () => {
    expect([wrappedRows("", 10), wrappedRows("a".repeat(10), 10), wrappedRows("a".repeat(11), 10), wrappedRows("\t\tabc", 10), wrappedRows("abc", 0)]).toEqual([1, 1, 2, 2, 1]);
  });
});

it("are as high as they are drawn, in the size of text", () => {
  const rows = diffRows(aDiff, "unified");
  const px = (kind: DiffRow["kind"], rem: number) => rem * rowHeight(rows.find((row) => row.kind === kind), { files: [] }, 200);
  expect([px("file", 16), px("hunk", 16), px("line", 16)]).toEqual([44, 26, 18]);
  expect([px("file", 32), px("hunk", 32), px("line", 32)]).toEqual([88, 52, 36]);
  expect(rowHeight({ kind: "note", file: 0 }, { files: [] }, 200)).toBe(2.125);
});

describe("the words of a line", () => {
  const words = (text: string, other: string) => wordMarks(text, other).map(([from, to]) => text.slice(from, to));

  it("are marked where they differ", () => {
    expect(words("return new Session(tenant, region);", "return new Session(tenant);")).toEqual([", region"]);
    expect(words("same", "same")).toEqual([]);
  });

  it("are not marked where the lines have little in common, or are long", () => {
    expect(words("let known = self.entries;", "if x { y }")).toEqual([]);
    expect(words("a".repeat(500), `${"a".repeat(499)} b`)).toEqual([]);
  });

  it("are cut where their colour or their mark changes, and lose nothing", () => {
    const tokens = [
      { text: "let ", kind: "hljs-keyword" },
      { text: "ab", kind: null },
    ];
    expect(paint("let ab", tokens, [[2, 5]])).toEqual([
      { text: "le", kind: "hljs-keyword", marked: false },
      { text: "t ", kind: "hljs-keyword", marked: true },
      { text: "a", kind: null, marked: true },
      { text: "b", kind: null, marked: false },
    ]);
    // A highlighter that says something else is not believed.
    expect(paint("let cd", tokens, [])).toEqual([{ text: "let cd", kind: null, marked: false }]);
  });
});

describe("highlighting", () => {
  it("knows a language by the name of the file", () => {
    const known = ["a/b.tsx", "Dockerfile", "x.RS", "Makefile", "rs", "a.unknown", ".rs"].map(languageOfPath);
    expect(known).toEqual(["typescript", "dockerfile", "rust", "makefile", null, null, "rust"]);
  });

  it("cuts what spans lines at their ends", () => {
    const comment = { type: "element" as const, tagName: "span", properties: { className: ["hljs-comment"] }, children: [{ type: "text" as const, value: "/* a\nb */" }] };
    expect(linesOf({ type: "root", children: [comment, { type: "text", value: "\n\nx" }] })).toEqual([
      [{ text: "/* a", kind: "hljs-comment" }],
      [{ text: "b */", kind: "hljs-comment" }],
      [],
      [{ text: "x", kind: null }],
    ]);
  });

  it("is made for the lines that are wanted, and tells when it is there", async () => {
    const highlights = new Highlights(aDiff);
    const told = new Promise<void>((done) => highlights.subscribe(done));
    expect(highlights.tokens(1, 0, "new", 0)).toBeNull();
    highlights.want(1, 0, "new", 0);
    await told;
    const tokens = highlights.tokens(1, 0, "new", 0) ?? [];
    expect(tokens[0]).toEqual({ text: "export", kind: "hljs-keyword" });
    expect(tokens.map(({ text }) => text).join("")).toBe(sideText(aDiff.files[1]!.hunks[0]!, "new")[0]);
    expect(highlights.tokens(1, 0, "old", 0)).toBeNull();
  });
});
