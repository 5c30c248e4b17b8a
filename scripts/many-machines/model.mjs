// One scripted model for all worlds. What it is shown names the pull request, and by that it has the mind of that world's case.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { answer } from "../../loopbench/tools/collie-dialect.mjs";
import { mind, tokensOf } from "../loopbench/model.mjs";
import { fileAt } from "../loopbench/records.mjs";
import { OWNER } from "../loopbench/world.mjs";
import { serveModel } from "../scripted-model.mjs";

const NAMED = new RegExp(`^(${OWNER}/[\\w.-]+)#1\\b`, "m");
/** What a session begins with, by kind. */
const SESSIONS = { reviews: "You review one pull request", "second looks": "You are the second look.", fixes: "You fix what the review" };

/** The commit of a branch, read from the repository's own files: a process for each would cost more than all else here. */
export function headOf(bare, branch) {
  const read = (path) => {
    try {
      return readFileSync(join(bare, path), "utf8");
    } catch {
      return undefined;
    }
  };
  const name = `refs/heads/${branch}`;
  return read(name)?.trim() ?? read("packed-refs")?.split("\n").find((line) => line.endsWith(` ${name}`))?.split(" ")[0];
}

/** The files that a case's faults and asks are in, as they are at the head of its world; each commit is read once. */
function filesReader() {
  const known = new Map();
  return async ({ bare, branch, planned }) => {
    const sha = headOf(bare, branch);
    const key = `${bare}\0${sha}`;
    const names = [...new Set([...planned.planted, ...planned.asks, ...planned.model.false].map(({ file }) => file))];
    if (!known.has(key)) known.set(key, Promise.all(names.map(async (file) => [file, await fileAt(bare, sha, file)])).then((files) => new Map(files)));
    return known.get(key);
  };
}

/** Serves the model; `sessions` counts what was begun, `unknown` what named no world. */
export async function startModel(worlds) {
  const filesOf = filesReader();
  const sessions = Object.fromEntries(Object.keys(SESSIONS).map((kind) => [kind, 0]));
  const seen = { unknown: 0 };
  const server = await serveModel(async (request) => {
    server.asked.length = 0;
    const text = request.entries.map((entry) => entry.text ?? "").join("\n");
    const world = worlds.of(NAMED.exec(text)?.[1]);
    if (!world) {
      seen.unknown += 1;
      return { text: "A change" };
    }
    world.acts.tell("asks_model");
    if (request.entries.every(({ result }) => result === undefined)) {
      for (const [kind, words] of Object.entries(SESSIONS)) if (text.includes(words)) sessions[kind] += 1;
    }
    if (world.planned.model.delay_s > 0) await wait(world.planned.model.delay_s * 1_000);
    const files = await filesOf(world);
    const thinking = mind(world.planned, (file) => files.get(file));
    return { ...answer({ ...request, text, mind: thinking, planned: world.planned }), tokensRead: tokensOf(text) };
  });
  return { url: `${server.url("model")}/v1`, sessions, seen, stop: server.stop };
}
