// What the forge has on record: how the pull request stands at a moment, and all that was done to it by the end.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { lineNumber, lineOf } from "./cases.mjs";
import { NUMBER, OWNER, requiredOf, TOOL_LOGIN } from "./world.mjs";

const THREADS = `query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { pullRequest(number: ${NUMBER}) {
  reviewThreads(first: 100) { nodes { isResolved path comments(first: 100) { nodes { createdAt author { __typename login } } } } } } } }`;

const PAGE = 100;

/** Every item of a paged list. */
async function all(world, path, of = (page) => page) {
  const items = [];
  for (let page = 1; ; page += 1) {
    const got = of(await world.call(OWNER, "GET", `${world.api}/${path}${path.includes("?") ? "&" : "?"}per_page=${PAGE}&page=${page}`));
    items.push(...got);
    if (got.length < PAGE) return items;
  }
}

async function threadsOf(world) {
  const [owner, name] = world.repo.split("/");
  const { data } = await world.call(OWNER, "POST", "/api/graphql", { query: THREADS, variables: { owner, name } });
  const login = (author) => (author?.__typename === "Bot" && !author.login.endsWith("[bot]") ? `${author.login}[bot]` : author?.login ?? "ghost");
  return data.repository.pullRequest.reviewThreads.nodes.map(({ isResolved, path, comments }) => ({ resolved: isResolved, path, comments: comments.nodes.map(({ createdAt, author }) => ({ at: createdAt, by: login(author) })) }));
}

/** How the pull request stands now, for what speaks against its being ready. */
export async function standing(world) {
  const pull = await world.call(OWNER, "GET", `${world.api}/pulls/${NUMBER}`);
  const sha = pull.head.sha;
  const [runs, status, reviews, threads, heads] = await Promise.all([
    all(world, `commits/${sha}/check-runs`, ({ check_runs: list }) => list),
    world.call(OWNER, "GET", `${world.api}/commits/${sha}/status`),
    all(world, `pulls/${NUMBER}/reviews`),
    threadsOf(world),
    world.call(OWNER, "GET", `/_forge/repos/${world.repo}/pulls/${NUMBER}/heads`),
  ]);
  return {
    at_ms: Date.now(), sha, draft: pull.draft, state: pull.merged ? "merged" : pull.state, mergeable: pull.mergeable,
    since: heads.findLast((head) => head.sha === sha)?.at,
    checks: [
      ...runs.map(({ name, status: now, conclusion, completed_at: at }) => ({ name, done: now === "completed", good: ["success", "neutral", "skipped"].includes(conclusion), at })),
      ...status.statuses.map(({ context, state, updated_at: at }) => ({ name: context, done: state !== "pending", good: state === "success", at })),
    ],
    required: requiredOf(world.planned), required_reviews: world.planned.required_reviews ?? 0,
    reviews: reviews.map(({ user, state, submitted_at: at }) => ({ by: user.login, state, at })),
    threads,
  };
}

// Nothing here holds the other cases up: their people act by the clock.
const run = promisify(execFile);
const git = async (bare, ...args) => (await run("git", ["-C", bare, ...args], { maxBuffer: 1 << 26 })).stdout;
const succeeds = (command) => command.then(() => true, () => false);

/** A file at a commit or branch; none where it is not there. */
export const fileAt = (bare, rev, file) => git(bare, "show", `${rev}:${file}`).catch(() => undefined);

/** Which of these faults, or asks, a commit still has, as their hidden probes say. */
export async function unmended(bare, sha, faults, scratch) {
  const folder = mkdtempSync(join(scratch, "probe-"));
  try {
    await run("sh", ["-c", `git -C "$1" archive "$2" | tar -x -C "$3"`, "sh", bare, sha, folder]);
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
    const left = [];
    for (const { id, probe } of faults) {
      if (!await succeeds(run("sh", ["-c", probe], { cwd: folder, env, timeout: 20_000, maxBuffer: 1 << 26 }))) left.push(id);
    }
    return left;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tree of a commit. */
export const treeOf = async (bare, sha) => (await git(bare, "rev-parse", `${sha}^{tree}`)).trim();

const isAncestor = (bare, one, other) => succeeds(git(bare, "merge-base", "--is-ancestor", one, other));

/** The lines that a commit has more than another, by file. */
async function added(bare, from, to) {
  const lines = new Set();
  let file = "";
  for (const line of (await git(bare, "diff", "--unified=0", from, to)).split("\n")) {
    if (line.startsWith("+++ ")) file = line.slice(6);
    else if (line.startsWith("+") && line.slice(1).trim()) lines.add(`${file}\0${line.slice(1)}`);
  }
  return lines;
}

/** Whether a push of the tool took away what a person had pushed: a commit that is reached no more, or a line that is gone. */
async function tookAway(bare, heads, at) {
  const [before, now] = [heads[at - 1], heads[at]];
  for (const [earlier, head] of heads.slice(1, at).entries()) {
    if (head.by === TOOL_LOGIN || !await isAncestor(bare, head.sha, before.sha)) continue;
    if (!await isAncestor(bare, head.sha, now.sha)) return true;
    // What a forced push throws away is no work of its own.
    const from = (await git(bare, "merge-base", heads[earlier].sha, head.sha)).trim();
    for (const one of await added(bare, from, head.sha)) {
      const [file, text] = one.split("\0");
      const has = async (rev) => (await fileAt(bare, rev, file) ?? "").split("\n").includes(text);
      if (await has(before.sha) && !await has(now.sha)) return true;
    }
  }
  return false;
}

/** The pushes of the tool, each with whether it took a person's work away. */
export async function pushesOf(bare, heads) {
  const pushes = [];
  for (const [at, head] of heads.entries()) {
    if (at > 0 && head.by === TOOL_LOGIN) pushes.push({ sha: head.sha, tookAway: await tookAway(bare, heads, at) });
  }
  return pushes;
}

/** Where each fault's line is, or was when the pull request was opened, at a commit. */
async function faultLines(world, sha) {
  const places = await Promise.all(world.planned.planted.map(async (fault) => {
    const now = lineNumber(await fileAt(world.bare, sha, fault.file) ?? "", lineOf(fault));
    return [fault.id, now ?? lineNumber(world.planned.head[fault.file], lineOf(fault))];
  }));
  return Object.fromEntries(places);
}

/** What the tool has posted: kind, text, place and head of each. */
async function postsOf(world, heads) {
  const ofTool = ({ user }) => user.login === TOOL_LOGIN;
  const headAt = (at) => heads.findLast((head) => Date.parse(head.at) <= Date.parse(at))?.sha ?? heads[0].sha;
  const comments = (await all(world, `issues/${NUMBER}/comments`)).filter(ofTool);
  const reviews = (await all(world, `pulls/${NUMBER}/reviews`)).filter((one) => ofTool(one) && one.state !== "PENDING" && one.body);
  const inline = (await all(world, `pulls/${NUMBER}/comments`)).filter(ofTool);
  return [
    ...comments.map(({ body, created_at: at }) => ({ kind: "comment", body, place: "conversation", head: headAt(at) })),
    ...reviews.map(({ body, commit_id: head }) => ({ kind: "review", body, place: "review", head })),
    ...inline.map((one) => ({
      kind: one.in_reply_to_id ? "reply" : "inline", body: one.body, path: one.path, line: one.original_line ?? undefined, head: one.original_commit_id,
      place: one.in_reply_to_id ? `thread ${one.in_reply_to_id}` : `${one.path}:${one.original_line ?? "file"}`,
    })),
  ];
}

/** All that the forge has on record at the end. */
export async function recordsOf(world, hub) {
  const heads = await world.call(OWNER, "GET", `/_forge/repos/${world.repo}/pulls/${NUMBER}/heads`);
  const pull = await world.call(OWNER, "GET", `${world.api}/pulls/${NUMBER}`);
  const timeline = await all(world, `issues/${NUMBER}/timeline`);
  const base = (await git(world.bare, "rev-parse", "refs/heads/main")).trim();
  const posts = await postsOf(world, heads);
  return {
    requests: hub.log.map(({ seq, at_ms, method, route, graphql, status, dropped, act }) => ({ seq, at_ms, method, route, graphql, status, dropped, act })),
    heads, posts, pushes: await pushesOf(world.bare, heads),
    fault_lines: Object.fromEntries(await Promise.all([...new Set(posts.map(({ head }) => head))].map(async (sha) => [sha, await faultLines(world, sha)]))),
    merged_by: pull.merged_by?.login ?? null, state: pull.merged ? "merged" : pull.state,
    base_moved_by_others: base !== pull.merge_commit_sha && !world.baseHeads.includes(base),
    asked: timeline.filter(({ event, actor }) => ["review_requested", "assigned"].includes(event) && actor?.login === TOOL_LOGIN).length,
    unmended: await unmended(world.bare, pull.head.sha, [...world.planned.planted, ...world.planned.asks], world.scratch),
  };
}
