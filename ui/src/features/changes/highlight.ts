import type { Root, RootContent } from "hast";
import type { CommitDiffView } from "../../generated/wire";
import { languageOfPath, loadLanguage, type LanguageName } from "./languages";
import type { Token } from "./paint";
import { sideText } from "./rows";

/** So many lines are read at once, which takes a few milliseconds. A comment or text that spans more is plain beyond that. */
export const BLOCK_LINES = 100;
/** A block with more characters is left plain. */
const MAX_BLOCK_CHARS = 20_000;

type Read = (language: LanguageName, text: string) => Root;

const readers = new Map<LanguageName, Promise<Read>>();

/** What reads a language; loaded once. */
function readerOf(language: LanguageName): Promise<Read> {
  const known = readers.get(language);
  if (known) return known;
  const loaded = (async () => {
    const [{ createLowlight }, definition] = await Promise.all([import("./lowlight-core"), loadLanguage(language)]);
    const lowlight = createLowlight({ [language]: definition });
    return (name: LanguageName, text: string) => lowlight.highlight(name, text);
  })();
  readers.set(language, loaded);
  // One that could not be loaded is asked for anew.
  loaded.catch(() => readers.delete(language));
  return loaded;
}

/** The pieces of each line of a tree. */
export function linesOf(tree: Root): Token[][] {
  const lines: Token[][] = [[]];
  const walk = (node: RootContent, kind: string | null) => {
    if (node.type === "text") {
      node.value.split("\n").forEach((text, index) => {
        if (index > 0) lines.push([]);
        if (text !== "") lines.at(-1)?.push({ text, kind });
      });
    } else if (node.type === "element") {
      const names = node.properties.className;
      const own = Array.isArray(names) ? String(names[0]) : kind;
      for (const child of node.children) walk(child, own);
    }
  };
  for (const child of tree.children) walk(child, null);
  return lines;
}

/** Which lines: a block of one side of a hunk. */
interface Block {
  file: number;
  hunk: number;
  side: "old" | "new";
  block: number;
}

/** The highlighting of one commit: made block by block as lines are shown, in the breaks of the page. */
export class Highlights {
  private readonly done = new Map<string, Token[][] | null>();
  private readonly hearers = new Set<() => void>();
  private queue: Block[] = [];
  private at_work = false;
  /** Goes up with each block. */
  version = 0;

  constructor(private readonly diff: Pick<CommitDiffView, "files">) {}

  /** The pieces of a line; null while they are not known, or for ever where its language is not. */
  tokens(file: number, hunk: number, side: "old" | "new", place: number): Token[] | null {
    const lines = this.done.get(keyOf({ file, hunk, side, block: Math.floor(place / BLOCK_LINES) }));
    return lines?.[place % BLOCK_LINES] ?? null;
  }

  /** Wants the block of a line made. */
  want(file: number, hunk: number, side: "old" | "new", place: number): void {
    const block = { file, hunk, side, block: Math.floor(place / BLOCK_LINES) };
    const key = keyOf(block);
    if (this.done.has(key)) return;
    this.done.set(key, null);
    if (languageOfPath(this.diff.files[file]?.file.path ?? "") === null) return;
    this.queue.push(block);
    void this.work();
  }

  subscribe = (hearer: () => void): (() => void) => {
    this.hearers.add(hearer);
    return () => this.hearers.delete(hearer);
  };

  private async work(): Promise<void> {
    if (this.at_work) return;
    this.at_work = true;
    for (let block = this.queue.shift(); block; block = this.queue.shift()) {
      await pause();
      await this.make(block).catch(() => undefined);
      this.version += 1;
      for (const hear of this.hearers) hear();
    }
    this.at_work = false;
  }

  private async make(block: Block): Promise<void> {
    const file = this.diff.files[block.file];
    const hunk = file?.hunks[block.hunk];
    const language = languageOfPath(file?.file.path ?? "");
    if (!hunk || language === null) return;
    const from = block.block * BLOCK_LINES;
    const text = sideText(hunk, block.side).slice(from, from + BLOCK_LINES).join("\n");
    if (text.length > MAX_BLOCK_CHARS) return;
    const read = await readerOf(language);
    this.done.set(keyOf(block), linesOf(read(language, text)));
  }
}

function keyOf({ file, hunk, side, block }: Block): string {
  return `${file} ${hunk} ${side} ${block}`;
}

/** Until the page has nothing else to do. */
function pause(): Promise<void> {
  return new Promise((done) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => done(), { timeout: 200 });
    else setTimeout(done, 0);
  });
}
