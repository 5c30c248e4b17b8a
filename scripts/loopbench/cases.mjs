// The cases of LoopBench: read, held against their schema and against the projects that they name, and planned.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import Ajv from "ajv";

/** Where cases, projects and tools lie. */
export const BENCH = resolve(dirname(fileURLToPath(import.meta.url)), "../../loopbench");

const json = (path) => JSON.parse(readFileSync(path, "utf8"));
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictTypes: false });
const isCase = ajv.compile(json(join(BENCH, "case.schema.json")));
const isTool = ajv.compile(json(join(BENCH, "tool.schema.json")));

/** What a schema has against a value, in words. */
const wrongs = (check, value) => (check(value) ? [] : check.errors.map(({ instancePath, message, params }) => `${instancePath || "it"} ${message} ${JSON.stringify(params)}`));

/** The files below a folder, by path. */
function filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(entries.map((entry) => {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    return [relative(folder, path), readFileSync(path, "utf8")];
  }).sort(([one], [other]) => one.localeCompare(other)));
}

/** A project with its files: `base`, and `head` with every fault in it. */
export function readProject(name, bench = BENCH) {
  const folder = join(bench, "projects", name);
  if (!existsSync(join(folder, "project.json"))) throw new Error(`there is no project ${name} in ${join(bench, "projects")}`);
  const base = filesBelow(join(folder, "base"));
  return { name, ...json(join(folder, "project.json")), base, head: { ...base, ...filesBelow(join(folder, "head")) } };
}

/** Applies edits, `[old, new]`, to a text, where they fit. */
export const edited = (text, edits) => edits.reduce((now, [before, after]) => now.replace(before, () => after), text);

/** The first line of a planted fault: where it is shown and told of. */
export const lineOf = (fault) => (fault.line ?? fault.old).split("\n").find((line) => line.trim()) ?? "";

/** The number of the line that a text begins on in a file, from 1; none where it is not there. */
export function lineNumber(text, wanted) {
  const at = text.split("\n").indexOf(wanted);
  return at < 0 ? undefined : at + 1;
}

/** A number from 0 to 1 that a seed and a word always come to (FNV-1a, stirred). */
export function drawn(seed, word) {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${seed}:${word}`)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b) >>> 0;
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Which of these ids a choice means: all, none, a share that the seed draws, or those that it names. */
export function chosen(choice, ids, seed, what) {
  if (choice === "all") return [...ids];
  if (choice === "none") return [];
  if (Array.isArray(choice)) return ids.filter((id) => choice.includes(id));
  const inOrder = [...ids].sort((one, other) => drawn(seed, `${what}:${one}`) - drawn(seed, `${what}:${other}`));
  return inOrder.slice(0, Math.round(choice * ids.length));
}

/** What a case says that its project does not have, in words. */
function contradictions(one, project) {
  const ids = (list) => list.map(({ id }) => id);
  const [faults, falses, asks] = [ids(project.faults), ids(project.false_findings), ids(project.asks)];
  const unknown = (names, known, what) => names.filter((name) => !known.includes(name)).map((name) => `${what} ${name} is none of the project's`);
  const named = (choice) => (Array.isArray(choice) ? choice : []);
  const told = [...(one.bots ?? []), ...(one.people ?? [])].map(({ fault }) => fault).filter(Boolean);
  const needs = (one.bots ?? []).filter(({ kind, fault }) => kind === "reviews" && !fault).map(({ login }) => `${login} reviews without a fault to tell of`);
  return [
    ...unknown(one.plant, faults, "the fault"), ...unknown(named(one.model.finds), [...faults], "what the model finds,"),
    ...unknown(named(one.model.fixes), [...faults, ...asks], "what the model fixes,"), ...unknown(one.model.false ?? [], falses, "the false finding"),
    ...unknown((one.people ?? []).map(({ ask }) => ask).filter(Boolean), asks, "the ask"), ...unknown(told, one.plant, "what is told of,"), ...needs,
  ];
}

/** Reads one case; throws with all that is wrong with it. */
export function readCase(path, bench = BENCH) {
  let one;
  try {
    one = json(path);
  } catch (error) {
    throw new Error(`${path} is no JSON: ${error.message}`);
  }
  const problems = wrongs(isCase, one);
  if (problems.length === 0) {
    const name = path.replace(/^.*[\\/]/, "").replace(/\.json$/, "");
    if (name !== one.id) problems.push(`its id is ${one.id}, and its file ${name}.json`);
    problems.push(...contradictions(one, readProject(one.project, bench)));
  }
  if (problems.length > 0) throw new Error(`${path}: ${problems.join("; ")}`);
  return one;
}

/** Turns `*` and `?` of a pattern into a regular expression over ids. */
const matcher = (pattern) => new RegExp(`^(?:${pattern.split(",").map((one) => one.trim().replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")).join("|")})$`);

/** All cases whose id fits a pattern, such as `crash-*,ready-*`, in order. */
export function readCases(pattern = "*", bench = BENCH) {
  const fits = matcher(pattern);
  const names = readdirSync(join(bench, "cases")).filter((name) => name.endsWith(".json")).sort();
  return names.filter((name) => fits.test(name.replace(/\.json$/, ""))).map((name) => readCase(join(bench, "cases", name), bench));
}

/** Reads the file of a tool. */
export function readTool(path) {
  const tool = json(path);
  const problems = wrongs(isTool, tool);
  if (problems.length > 0) throw new Error(`${path}: ${problems.join("; ")}`);
  return { ...tool, folder: dirname(resolve(path)) };
}

/** What tells one case from another: everything but its name, its words and its seed. */
export function dimensions({ id, about, seed, limit_s, ...rest }) {
  const ordered = (value) => {
    if (Array.isArray(value)) return value.map(ordered);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.keys(value).sort().map((key) => [key, ordered(value[key])]));
  };
  return JSON.stringify(ordered(rest));
}

/**
 * A case with all that follows from it: the files of base and head, the faults that are planted, and what the model makes of them.
 * `seed` is added to the case's own.
 */
export function plan(one, { seed = 0, bench = BENCH } = {}) {
  const project = readProject(one.project, bench);
  const all = one.seed + seed;
  const planted = project.faults.filter(({ id }) => one.plant.includes(id));
  const mended = project.faults.filter(({ id }) => !one.plant.includes(id));
  const head = { ...project.head };
  for (const fault of mended) {
    if (!head[fault.file].includes(fault.old)) throw new Error(`${project.name}: the fault ${fault.id} is not in ${fault.file}`);
    head[fault.file] = edited(head[fault.file], [[fault.old, fault.new]]);
  }
  const finds = chosen(one.model.finds, one.plant, all, "finds");
  const asked = (one.people ?? []).map(({ ask }) => ask).filter(Boolean);
  const asks = project.asks.filter(({ id }) => asked.includes(id));
  const fixes = chosen(one.model.fixes, [...one.plant, ...asks.map(({ id }) => id)], all, "fixes");
  // What nothing would ever show to a tool cannot be held against it.
  const told = [...(one.bots ?? []), ...(one.people ?? [])].map(({ fault }) => fault);
  const runsTests = one.ci.some(({ kind }) => ["tests", "slow", "flaky", "twin", "status"].includes(kind));
  const knowable = planted.filter(({ id, log }) => finds.includes(id) || told.includes(id) || (log && runsTests)).map(({ id }) => id);
  return {
    ...one, seed: all, limit_s: one.limit_s ?? 120, project, planted, asks, knowable, head, base: project.base,
    model: { otherwise: "rejects", doubts_false: true, delay_s: 0, ...one.model, finds, fixes, false: project.false_findings.filter(({ id }) => (one.model.false ?? []).includes(id)) },
    bots: one.bots ?? [], people: one.people ?? [], crashes: one.crashes ?? [], troubles: one.troubles ?? [],
  };
}
