// The scores of a case, from what the forge and the scripted model have on record. Pure: docs/loopbench.md has each formula.

import { TOOL_LOGIN } from "./world.mjs";

/** What stood for less than this cannot have been seen by a tool that looks every second. The forge's times are whole seconds. */
export const GRACE_MS = 3000;
/** Lines between a comment and the fault that it is about. */
const NEAR = 3;
const PEOPLE = ["ana", "ben", "kim", "mallory", "octo"];
/** Whose threads and reviews count: those with write access, and bots. */
const WEIGHT = new Set(["ana", "ben", "octo"]);
const counts = (login) => WEIGHT.has(login) || login.endsWith("[bot]");

/** Everything that speaks against ready, each with when it began to. */
function against(standing, faults) {
  const head = Date.parse(standing.since);
  const found = [];
  const add = (what, since) => found.push({ what, since: Number.isNaN(since) ? head : since });
  for (const name of standing.required) {
    const runs = standing.checks.filter((check) => check.name === name);
    if (runs.length === 0) add(`required check ${name} has not reported`, head);
    for (const run of runs) {
      if (!run.done) add(`required check ${name} is running`, head);
      else if (!run.good) add(`required check ${name} is red`, Date.parse(run.at));
    }
  }
  for (const { resolved, path, comments } of standing.threads) {
    const last = comments.at(-1);
    if (!resolved && last && last.by !== TOOL_LOGIN && comments.some(({ by }) => counts(by))) add(`unresolved thread of ${comments[0].by} on ${path}`, Date.parse(last.at));
  }
  const verdicts = new Map();
  for (const { by, state, at } of standing.reviews) if (["APPROVED", "CHANGES_REQUESTED", "DISMISSED"].includes(state)) verdicts.set(by, { state, at });
  for (const [by, { state, at }] of verdicts) if (state === "CHANGES_REQUESTED" && counts(by) && by !== TOOL_LOGIN) add(`${by} has asked for changes`, Date.parse(at));
  const approvals = [...verdicts].filter(([by, { state }]) => state === "APPROVED" && WEIGHT.has(by)).length;
  if (approvals < standing.required_reviews) add(`${standing.required_reviews - approvals} required approvals are missing`, head);
  if (standing.draft) add("it is a draft", head);
  if (standing.mergeable === false) add("it conflicts with its base", head);
  for (const id of faults) add(`planted fault ${id} is in`, head);
  return found;
}

/** What spoke against ready for long enough to be seen when the tool said so. */
export function premature(standing, faults) {
  return against(standing, faults).filter(({ since }) => standing.at_ms - since >= GRACE_MS).map(({ what }) => what);
}

/** A text without what no reader sees, and with its white space made even. */
export const visible = (body) => body.replace(/<!--[\s\S]*?-->/g, "").replace(/\s+/g, " ").trim();

/** Which planted faults a post tells of: by their title, or by standing near their line. */
function toldOf(post, planned, lines) {
  const text = visible(post.body).toLowerCase();
  return planned.planted.filter(({ id, file, title }) => {
    if (text.includes(title.toLowerCase())) return true;
    const at = lines[post.head]?.[id];
    return post.kind === "inline" && post.path === file && post.line !== undefined && at !== undefined && Math.abs(post.line - at) <= NEAR;
  }).map(({ id }) => id);
}

/** Posts that say again what was said at the same place on the same head: by the same text, or of the same planted fault. */
function duplicates(posts, told) {
  const texts = new Map();
  const faults = new Set();
  let count = 0;
  posts.forEach((post, at) => {
    const key = [post.kind, post.place, post.head, visible(post.body)].join("\0");
    const again = texts.has(key);
    texts.set(key, true);
    const keys = post.kind === "inline" ? told[at].map((id) => `${post.head}\0${post.place}\0${id}`) : [];
    const toldAgain = keys.length > 0 && keys.every((one) => faults.has(one));
    keys.forEach((one) => faults.add(one));
    if (again || toldAgain) count += 1;
  });
  return count;
}

/** Whether a post calls people by name, outside of code and quotes. */
function calls(body) {
  const own = body.replace(/<!--[\s\S]*?-->/g, "").replace(/```[\s\S]*?```/g, "").replace(/`[^`]*`/g, "").split("\n").filter((line) => !line.startsWith(">")).join("\n");
  return PEOPLE.some((login) => new RegExp(`(^|[^\\w/])@${login}\\b`).test(own));
}

const isGit = ({ route }) => /\.git\b|git-(upload|receive)-pack|info\/refs/.test(route);

/**
 * The scores of one case. `seen` is what became of the tool, `at_ready` how things stood when it said ready (none where it never did) with
 * the planted faults of then, `usage` what the model was asked.
 */
export function scoreCase({ planned, tool, seen, at_ready: ready, records, usage }) {
  const told = records.posts.map((post) => toldOf(post, planned, records.fault_lines));
  const found = [...new Set(told.flat())];
  const said = records.posts.filter(({ kind }) => kind !== "reply").length;
  const knowable = ready ? ready.unmended.filter((id) => planned.knowable.includes(id)) : [];
  const early = ready ? premature(ready, knowable) : [];
  const mergeTries = records.requests.filter(({ act }) => act === "merges").length;
  const merged = mergeTries + (records.merged_by === TOOL_LOGIN && mergeTries === 0 ? 1 : 0) + (records.base_moved_by_others ? 1 : 0);
  const loops = tool.does.includes("loop");
  const end = seen.word ?? null;
  return {
    id: planned.id, seed: planned.seed,
    ended: seen.ended, end, right_end: loops ? planned.end.includes(end) : null,
    premature: early.length > 0 ? 1 : 0, why_premature: early,
    left_in: ready ? ready.unmended.filter((id) => !planned.knowable.includes(id)) : [],
    merges: merged,
    duplicates: duplicates(records.posts, told),
    pushes: records.pushes.length, took_away: records.pushes.filter(({ tookAway }) => tookAway).length,
    posts: records.posts.length, comments: said, planted: planned.planted.length, found: found.length,
    mended: planned.planted.filter(({ id }) => !records.unmended.includes(id)).length,
    false_told: records.posts.filter(({ body, kind }) => kind !== "reply" && planned.model.false.some(({ title }) => visible(body).includes(title))).length,
    asks: records.asked + records.posts.filter(({ body }) => calls(body)).length + (end === "stopped" ? 1 : 0),
    tokens_in: usage.tokens_in, tokens_out: usage.tokens_out, model_calls: usage.requests,
    requests: records.requests.length, git_requests: records.requests.filter(isGit).length,
    crashes: seen.crashes, took_ms: seen.took_ms,
  };
}

const sum = (scores, field) => scores.reduce((total, one) => total + (one[field] ?? 0), 0);

/** The scores of a tool over all of its cases. */
export function total(scores) {
  const held = scores.filter(({ right_end: right }) => right !== null);
  const comments = sum(scores.filter(({ planted }) => planted > 0), "comments");
  const found = sum(scores, "found");
  return {
    cases: scores.length, ended: scores.filter(({ ended }) => ended).length,
    right_end: held.length === 0 ? null : held.filter(({ right_end: right }) => right).length,
    premature: sum(scores, "premature"), merges: sum(scores, "merges"), duplicates: sum(scores, "duplicates"),
    pushes: sum(scores, "pushes"), took_away: sum(scores, "took_away"),
    planted: sum(scores, "planted"), found, mended: sum(scores, "mended"), left_in: scores.reduce((all, { left_in: left }) => all + left.length, 0),
    comments_per_finding: found === 0 ? null : comments / found,
    asks: sum(scores, "asks"), tokens_in: sum(scores, "tokens_in"), tokens_out: sum(scores, "tokens_out"), requests: sum(scores, "requests"),
  };
}
