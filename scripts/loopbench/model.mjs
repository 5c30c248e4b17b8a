// The scripted model of a case: it knows the planted truth, tells as much of it as its skill says, and counts what it was asked.

import { setTimeout as wait } from "node:timers/promises";
import { serveModel } from "../scripted-model.mjs";
import { lineOf } from "./cases.mjs";

/** Tokens of a text: four characters each, for everybody alike. */
export const tokensOf = (text) => Math.ceil(text.length / 4);

/** The words of a whole request, as it was sent: prompts, tools and schema. */
function asked({ entries, body }) {
  const said = entries.map(({ text, result, call }) => text ?? result ?? call ?? "").join("\n");
  return said + JSON.stringify(body.tools ?? "") + JSON.stringify(body.response_format ?? "");
}

/** What a dialect may ask: what the model finds in a text that it is shown, and what it makes of what it is asked to fix. */
export function mind(planned, fileAtHead) {
  const { model, planted, asks } = planned;
  const everything = [...planted, ...asks];
  const stands = (fault) => {
    const text = fileAtHead(fault.file) ?? "";
    return fault.old ? text.includes(fault.old) : (fault.edits ?? []).some(([before]) => text.includes(before));
  };
  const isShown = (fault, text) => text.includes(lineOf(fault).trim());
  const withPlace = (fault) => {
    const at = (fileAtHead(fault.file) ?? "").split("\n").indexOf(lineOf(fault));
    return { ...fault, line: lineOf(fault), number: at < 0 ? undefined : at + 1 };
  };
  /** Which planted fault or ask a text is about: by its words, its log, or its line. */
  const about = (text) => {
    const flat = text.replace(/\s+/g, " ");
    const says = (part) => part && flat.includes(part.replace(/\s+/g, " ").trim());
    return everything.find(({ title, words }) => says(title) || says(words)) ?? everything.find(({ log }) => says(log)) ?? everything.find((one) => text.includes(lineOf(one).trim()));
  };
  const isFalse = (text) => model.false.find(({ title }) => text.includes(title));
  return {
    /** The findings that it makes in a text: true ones that stand and are shown, then false ones whose line is shown. */
    findings: (text) => [
      ...planted.filter((fault) => model.finds.includes(fault.id) && stands(fault) && isShown(fault, text)).map((fault) => ({ ...withPlace(fault), isTrue: true })),
      ...model.false.filter((fault) => isShown(fault, text)).map((fault) => ({ ...withPlace(fault), isTrue: false })),
    ],
    stands, about, isFalse,
    /** Whether it stands by a finding when it is asked to check it. */
    upholds: (text) => !isFalse(text) || !model.doubts_false,
    /** What it does about something that it is asked to fix: edits of files, and what it says of it. */
    remedy: (text) => {
      const one = about(text);
      if (!one && isFalse(text)) return { edits: [], says: "rejected", reason: "The code does not do what the finding says." };
      if (!one) return model.unknown === "humours" ? { append: "explained", edits: [], says: "fixed", reason: "Explained it." } : { edits: [], says: "rejected", reason: "I cannot tell what is asked for." };
      if (model.fixes.includes(one.id)) {
        const edits = one.edits ?? [[one.old, one.new]];
        return { id: one.id, edits: [{ file: one.file, edits }, ...(one.also ?? [])], says: "fixed", reason: `Mended: ${one.title ?? one.id}.` };
      }
      if (model.otherwise === "pretends") return { id: one.id, file: one.file, append: "looked at", edits: [], says: "fixed", reason: "It is done." };
      if (model.otherwise === "tampers") return { id: one.id, tampers: true, edits: [], says: "fixed", reason: "The tests pass now." };
      if (model.otherwise === "breaks") return { id: one.id, file: one.file, breaks: true, edits: [], says: "fixed", reason: "Rewrote it." };
      return { id: one.id, edits: [], says: "rejected", reason: "I do not know how to mend it." };
    },
  };
}

/**
 * Serves the model of a case in a dialect, which turns a request and the model's mind into an answer. `usage` is what was asked so far.
 */
export async function startModel(planned, { answer }, { fileAtHead, onAsked = () => {} }) {
  const usage = { requests: 0, tokens_in: 0, tokens_out: 0 };
  const problems = [];
  const names = [...new Set([...planned.planted, ...planned.asks, ...planned.model.false].map(({ file }) => file))];
  const filesAtHead = async () => new Map(await Promise.all(names.map(async (file) => [file, await fileAtHead(file)])));
  const server = await serveModel(async (request) => {
    const read = tokensOf(asked(request));
    usage.requests += 1;
    usage.tokens_in += read;
    onAsked();
    if (planned.model.delay_s > 0) await wait(planned.model.delay_s * 1000);
    try {
      const files = await filesAtHead();
      const thinking = mind(planned, (file) => files.get(file));
      const said = answer({ ...request, text: request.entries.map(({ text }) => text ?? "").join("\n"), mind: thinking, planned });
      usage.tokens_out += tokensOf(said.text ?? JSON.stringify(said));
      return { ...said, tokensRead: read };
    } catch (error) {
      problems.push(error.stack);
      throw error;
    }
  });
  return { url: `${server.url("model")}/v1`, usage, problems, asked: server.asked, stop: server.stop };
}
