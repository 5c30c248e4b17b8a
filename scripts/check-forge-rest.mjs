// Drives a running forge with octokit as people and bots do, and has each answer judged by GitHub's OpenAPI description.
// Every REST route that the forge serves has to be among the calls, and answer as it should at least once.
// Needs a built `collie` (target/debug first), git, and the npm packages `@octokit/rest`, `@octokit/openapi`, `ajv`, `ajv-formats`.

import assert from "node:assert/strict";
import { createSign, generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Octokit } from "@octokit/rest";
import { forgeWorld, OWNER as owner, REPO as repo } from "./forge-world.mjs";
import { openApiJudge } from "./openapi-judge.mjs";

const { judge } = openApiJudge();
const { forge, control, end, git, source } = await forgeWorld();
const started = Date.now();

/** What was asked and how it was answered: method, path, status. */
const answers = [];
const problems = [];

/** Sends what octokit asks, and judges what comes back. */
async function judgedFetch(url, options = {}) {
  const response = await fetch(url, { ...options, redirect: "manual" });
  const body = await response.clone().text();
  const path = new URL(url).pathname.replace(/^\/api\/v3/, "");
  const answer = { method: options.method ?? "GET", path, status: response.status, headers: response.headers, body, accept: options.headers?.accept };
  answers.push(answer);
  for (const problem of judge(answer)) problems.push(`${answer.method} ${path} ${response.status}: ${problem}`);
  return response;
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const as = (login) => new Octokit({ auth: `forge-${login}`, baseUrl: forge.apiUrl, request: { fetch: judgedFetch }, log: quiet });
const [octo, ana, ben, kim, mallory, rabbit] = ["octo", "ana", "ben", "kim", "mallory", "coderabbitai[bot]"].map(as);
const here = { owner, repo };

/** The data of an answer with the status that is expected. */
async function got(status, call) {
  const answer = await call;
  assert.equal(answer.status, status, `${answer.url}`);
  return answer.data;
}

/** Expects a refusal with a status, and gives what it said. */
async function refused(status, call) {
  const error = await call.then((answer) => assert.fail(`${answer.url} was answered with ${answer.status}`), (error) => error);
  assert.equal(error.status, status, `${error.request?.method} ${error.request?.url}: ${error.message}`);
  return error;
}

/** Looks until something is so. */
async function until(what, look) {
  for (const from = Date.now(); Date.now() - from < 20_000; ) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail(`${what}: not within 20 s`);
}

async function accounts() {
  await got(200, octo.request("GET /"));
  assert.equal((await got(200, ana.users.getAuthenticated())).login, "ana");
  assert.equal((await got(200, ana.users.getByUsername({ username: "coderabbitai[bot]" }))).type, "Bot");
  await refused(404, ana.users.getByUsername({ username: "nobody-at-all" }));
  await refused(401, as("nobody").users.getAuthenticated());
  assert.ok((await got(200, ana.rateLimit.get())).rate.limit > 0);
  const answer = await judgedFetch(`${forge.apiUrl}/user`, { headers: {} });
  assert.equal(answer.status, 401);
}

async function repository() {
  const full = await got(200, ana.repos.get(here));
  assert.equal(full.permissions.push, true);
  await got(200, ana.repos.listLanguages(here));
  const branches = await got(200, ana.repos.listBranches(here));
  assert.deepEqual(branches.map(({ name }) => name), ["conflict", "feature", "main", "other", "third"]);
  assert.equal((await got(200, ana.repos.getBranch({ ...here, branch: "main" }))).protected, true);
  await refused(404, ana.repos.getBranch({ ...here, branch: "none" }));
  const protection = await got(200, octo.repos.getBranchProtection({ ...here, branch: "main" }));
  assert.deepEqual(protection.required_status_checks.contexts, ["build"]);
  await got(200, octo.repos.getStatusChecksProtection({ ...here, branch: "main" }));
  await refused(404, octo.repos.getBranchProtection({ ...here, branch: "feature" }));
  // Who is no admin is not told of classic protection, but of rules.
  await refused(404, ana.repos.getBranchProtection({ ...here, branch: "main" }));
  const rules = await got(200, ana.repos.getBranchRules({ ...here, branch: "main" }));
  assert.ok(rules.some(({ type }) => type === "required_status_checks"));
  const ref = await got(200, ana.git.getRef({ ...here, ref: "heads/main" }));
  await refused(404, ana.git.getRef({ ...here, ref: "heads/none" }));
  const made = await got(201, ana.git.createRef({ ...here, ref: "refs/heads/made", sha: ref.object.sha }));
  assert.equal(made.ref, "refs/heads/made");
  await refused(422, ana.git.createRef({ ...here, ref: "refs/heads/made", sha: ref.object.sha }));
  await refused(404, mallory.git.createRef({ ...here, ref: "refs/heads/theirs", sha: ref.object.sha }));
  assert.equal((await got(200, ana.repos.getCommit({ ...here, ref: "feature" }))).files.length, 2);
  await refused(422, ana.repos.getCommit({ ...here, ref: "0".repeat(40) }));
  const compared = await got(200, ana.repos.compareCommitsWithBasehead({ ...here, basehead: "main...feature" }));
  assert.equal(compared.merge_base_commit.sha, ref.object.sha);
  assert.equal((await got(200, ana.repos.getContent({ ...here, path: "src/app.txt" }))).type, "file");
  assert.equal((await got(200, ana.repos.getContent({ ...here, path: "" }))).length, 3);
  assert.ok(Array.isArray(await got(200, ana.request("GET /repos/{owner}/{repo}/contents", here))));
  const slash = await judgedFetch(`${forge.apiUrl}/repos/${owner}/${repo}/contents/`, { headers: { authorization: "token forge-ana" } });
  assert.equal(slash.status, 200);
  await refused(404, ana.repos.getContent({ ...here, path: "none" }));
}

async function collaborators() {
  const roles = await got(200, octo.repos.listCollaborators(here));
  assert.deepEqual(new Set(roles.map(({ login }) => login)), new Set(["octo", "ana", "ben", "kim"]));
  await refused(403, mallory.repos.listCollaborators(here));
  await got(204, octo.repos.checkCollaborator({ ...here, username: "ana" }));
  await refused(404, octo.repos.checkCollaborator({ ...here, username: "mallory" }));
  const permission = async (username) => (await got(200, octo.repos.getCollaboratorPermissionLevel({ ...here, username }))).permission;
  assert.deepEqual(await Promise.all(["octo", "ana", "kim", "mallory"].map(permission)), ["admin", "write", "read", "read"]);
  assert.deepEqual((await got(200, ana.issues.listAssignees(here))).length, 4);
  await got(204, ana.issues.checkUserCanBeAssigned({ ...here, assignee: "ben" }));
  await refused(404, ana.issues.checkUserCanBeAssigned({ ...here, assignee: "mallory" }));
}

async function labels() {
  const label = await got(201, ana.issues.createLabel({ ...here, name: "Bug", color: "d73a4a", description: "Does not work" }));
  assert.equal(label.color, "d73a4a");
  await refused(422, ana.issues.createLabel({ ...here, name: "bug" }));
  await refused(403, mallory.issues.createLabel({ ...here, name: "mine" }));
  assert.equal((await got(200, ana.issues.getLabel({ ...here, name: "bug" }))).id, label.id);
  await refused(404, ana.issues.getLabel({ ...here, name: "none" }));
  const renamed = await got(200, ana.issues.updateLabel({ ...here, name: "bug", new_name: "defect" }));
  assert.deepEqual([renamed.id, renamed.name], [label.id, "defect"]);
  await got(201, ana.issues.createLabel({ ...here, name: "gone" }));
  await got(204, ana.issues.deleteLabel({ ...here, name: "gone" }));
  assert.deepEqual((await got(200, ana.issues.listLabelsForRepo(here))).map(({ name }) => name), ["defect"]);
}

async function issues() {
  const { number: issue_number } = await got(201, mallory.issues.create({ ...here, title: "It barks", body: "Loudly", assignees: ["ana"] }));
  const it = { ...here, issue_number };
  assert.deepEqual((await got(200, ana.issues.get(it))).assignees, []);
  assert.equal((await got(201, ana.issues.addAssignees({ ...it, assignees: ["ana", "mallory"] }))).assignees.length, 1);
  assert.equal((await got(200, ana.issues.update({ ...it, assignees: ["ben", "ana"], labels: ["defect"] }))).assignees.length, 2);
  assert.equal((await got(200, ana.issues.removeAssignees({ ...it, assignees: ["ana"] }))).assignee.login, "ben");
  // The forms in which clients name labels: a field, a list, objects.
  const names = async (call) => (await got(200, call)).map(({ name }) => name).sort();
  const labelsOf = `POST /repos/{owner}/{repo}/issues/{issue_number}/labels`;
  assert.deepEqual(await names(ana.issues.addLabels({ ...it, labels: ["loud"] })), ["defect", "loud"]);
  assert.deepEqual(await names(ana.request(labelsOf, { ...it, data: ["old"] })), ["defect", "loud", "old"]);
  assert.deepEqual(await names(ana.request(labelsOf, { ...it, data: [{ name: "rare" }] })), ["defect", "loud", "old", "rare"]);
  assert.deepEqual(await names(ana.issues.setLabels({ ...it, labels: ["loud", "old"] })), ["loud", "old"]);
  assert.deepEqual(await names(ana.issues.listLabelsOnIssue(it)), ["loud", "old"]);
  assert.deepEqual(await names(ana.issues.removeLabel({ ...it, name: "old" })), ["loud"]);
  await refused(404, ana.issues.removeLabel({ ...it, name: "old" }));
  await refused(403, mallory.issues.addLabels({ ...it, labels: ["mine"] }));
  await got(204, ana.issues.removeAllLabels(it));
  await got(204, ana.issues.lock(it));
  await refused(403, mallory.issues.createComment({ ...it, body: "But" }));
  await got(204, ana.issues.unlock(it));
  const closed = await got(200, ana.issues.update({ ...it, state: "closed", state_reason: "not_planned", title: "It barked" }));
  assert.equal(closed.state_reason, "not_planned");
  const events = (await got(200, ana.issues.listEvents(it))).map(({ event }) => event);
  for (const event of ["assigned", "unassigned", "labeled", "unlabeled", "locked", "unlocked", "renamed", "closed"]) assert.ok(events.includes(event), event);
  await refused(404, ana.issues.get({ ...here, issue_number: 999 }));
  await refused(422, ana.issues.create({ ...here, title: " " }));
  return issue_number;
}

async function comments(issue_number) {
  const it = { ...here, issue_number };
  const { id: comment_id } = await got(201, mallory.issues.createComment({ ...it, body: "Still" }));
  await refused(422, mallory.issues.createComment({ ...it, body: "" }));
  assert.equal((await got(200, mallory.issues.updateComment({ ...here, comment_id, body: "Still does" }))).body, "Still does");
  await refused(403, kim.issues.updateComment({ ...here, comment_id, body: "No" }));
  await got(200, kim.issues.getComment({ ...here, comment_id }));
  const reacted = await got(201, kim.reactions.createForIssueComment({ ...here, comment_id, content: "eyes" }));
  assert.equal((await got(200, kim.reactions.createForIssueComment({ ...here, comment_id, content: "eyes" }))).id, reacted.id);
  await refused(422, kim.reactions.createForIssueComment({ ...here, comment_id, content: "bark" }));
  assert.equal((await got(200, kim.issues.getComment({ ...here, comment_id }))).reactions.eyes, 1);
  assert.equal((await got(200, kim.reactions.listForIssueComment({ ...here, comment_id }))).length, 1);
  await refused(403, ben.reactions.deleteForIssueComment({ ...here, comment_id, reaction_id: reacted.id }));
  await got(204, kim.reactions.deleteForIssueComment({ ...here, comment_id, reaction_id: reacted.id }));
  const { id: reaction_id } = await got(201, ben.reactions.createForIssue({ ...it, content: "+1" }));
  assert.deepEqual((await got(200, ben.reactions.listForIssue({ ...it, content: "+1" }))).map(({ id }) => id), [reaction_id]);
  assert.deepEqual(await got(200, ben.reactions.listForIssue({ ...it, content: "-1" })), []);
  await got(204, ben.reactions.deleteForIssue({ ...it, reaction_id }));
  assert.equal((await got(200, ana.issues.listComments(it))).length, 1);
  assert.equal((await got(200, ana.issues.listCommentsForRepo(here))).length, 1);
  await got(204, mallory.issues.deleteComment({ ...here, comment_id }));
  await refused(404, ana.issues.getComment({ ...here, comment_id }));
}

async function pulls() {
  const open = (head, more = {}) => got(201, ana.pulls.create({ ...here, title: `Work on ${head}`, head, base: "main", ...more }));
  const { number: pull_number, head } = await open("feature", { body: "Please" });
  await refused(422, ana.pulls.create({ ...here, title: "Again", head: "feature", base: "main" }));
  await refused(422, ana.pulls.create({ ...here, title: "None", head: "none", base: "main" }));
  const it = { ...here, pull_number };
  assert.equal((await got(200, ana.pulls.get(it))).mergeable, true);
  assert.match(await got(200, ana.pulls.get({ ...it, mediaType: { format: "diff" } })), /^diff --git/);
  assert.equal((await got(200, ana.pulls.update({ ...it, title: "Two and a half" }))).title, "Two and a half");
  assert.equal((await got(200, ana.pulls.list(here))).length, 1);
  assert.equal((await got(200, ana.pulls.listFiles(it))).length, 2);
  assert.equal((await got(200, ana.pulls.listCommits(it))).length, 1);
  await refused(404, ana.pulls.checkIfMerged(it));
  assert.equal((await got(201, ana.pulls.requestReviewers({ ...it, reviewers: ["ben"] }))).requested_reviewers[0].login, "ben");
  await refused(422, ana.pulls.requestReviewers({ ...it, reviewers: ["ana"] }));
  assert.equal((await got(200, ana.pulls.listRequestedReviewers(it))).users.length, 1);
  await got(200, ana.pulls.removeRequestedReviewers({ ...it, reviewers: ["ben"] }));
  assert.equal((await got(200, ana.pulls.update({ ...it, state: "closed" }))).state, "closed");
  assert.equal((await got(200, ana.pulls.update({ ...it, state: "open" }))).state, "open");
  return { pull_number, head_sha: head.sha, open };
}

async function reviews({ pull_number, head_sha: commit_id }) {
  const it = { ...here, pull_number };
  const line = { path: "src/app.txt", line: 2, side: "RIGHT" };
  await refused(422, ana.pulls.createReview({ ...it, event: "APPROVE" }));
  const pending = await got(200, ben.pulls.createReview({ ...it, body: "Hm", comments: [{ ...line, body: "Why a half?" }] }));
  assert.equal(pending.state, "PENDING");
  await refused(422, ben.pulls.createReview({ ...it, body: "Once more" }));
  const first = { ...it, review_id: pending.id };
  await got(200, ben.pulls.getReview(first));
  await refused(404, ana.pulls.getReview(first));
  assert.equal((await got(200, ben.pulls.listCommentsForReview(first))).length, 1);
  await got(200, ben.pulls.updateReview({ ...first, body: "Hmm" }));
  assert.equal((await got(200, ben.pulls.submitReview({ ...first, event: "REQUEST_CHANGES" }))).state, "CHANGES_REQUESTED");
  assert.equal((await got(200, octo.pulls.dismissReview({ ...first, message: "Settled" }))).state, "DISMISSED");
  const second = await got(200, kim.pulls.createReview({ ...it, body: "Draft" }));
  await got(200, kim.pulls.deletePendingReview({ ...it, review_id: second.id }));
  await got(200, rabbit.pulls.createReview({ ...it, event: "COMMENT", body: "**Actionable comments posted: 0**" }));
  assert.equal((await got(200, ana.pulls.listReviews(it))).length, 2);

  const comment = await got(201, kim.pulls.createReviewComment({ ...it, commit_id, ...line, body: "Half of what?" }));
  await refused(422, kim.pulls.createReviewComment({ ...it, commit_id, path: "src/app.txt", line: 90, side: "RIGHT", body: "Far" }));
  const comment_id = comment.id;
  assert.equal((await got(201, ana.pulls.createReplyForReviewComment({ ...it, comment_id, body: "Of three" }))).in_reply_to_id, comment_id);
  await got(200, kim.pulls.updateReviewComment({ ...here, comment_id, body: "Half of which?" }));
  await got(200, ana.pulls.getReviewComment({ ...here, comment_id }));
  const { id: reaction_id } = await got(201, ana.reactions.createForPullRequestReviewComment({ ...here, comment_id, content: "rocket" }));
  assert.equal((await got(200, ana.reactions.listForPullRequestReviewComment({ ...here, comment_id }))).length, 1);
  await got(204, ana.reactions.deleteForPullRequestComment({ ...here, comment_id, reaction_id }));
  // Page by page, as octokit goes through lists.
  const all = await ana.paginate(ana.pulls.listReviewComments, { ...it, per_page: 2 });
  assert.equal(all.length, 3);
  assert.equal((await got(200, ana.pulls.listReviewCommentsForRepo(here))).length, 3);
  await got(204, kim.pulls.deleteReviewComment({ ...here, comment_id: all.at(-1).id }).catch(() => ana.pulls.deleteReviewComment({ ...here, comment_id: all.at(-1).id })));
}

async function checks({ head_sha: sha }) {
  const ref = sha;
  const runs = await until("the checks end", async () => {
    const { check_runs } = await got(200, ana.checks.listForRef({ ...here, ref }));
    return check_runs.length === 2 && check_runs.every(({ status }) => status === "completed") && check_runs;
  });
  const red = runs.find(({ conclusion }) => conclusion === "failure");
  assert.equal((await got(200, ana.checks.get({ ...here, check_run_id: red.id }))).name, "test");
  assert.equal((await got(200, ana.checks.listAnnotations({ ...here, check_run_id: red.id })))[0].path, "src/app.txt");
  const { check_suites } = await got(200, ana.checks.listSuitesForRef({ ...here, ref }));
  assert.deepEqual(check_suites.map(({ conclusion }) => conclusion).sort(), ["failure", "success"]);
  const suite = { ...here, check_suite_id: red.check_suite.id };
  assert.equal((await got(200, ana.checks.getSuite(suite))).latest_check_runs_count, 1);
  assert.equal((await got(200, ana.checks.listForSuite(suite))).total_count, 1);
  await refused(404, ana.checks.getSuite({ ...here, check_suite_id: 1 }));
  const log = await ana.request("GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs", { ...here, job_id: red.id, request: { redirect: "manual" } });
  assert.equal(log.status, 302);
  assert.match(await (await fetch(log.headers.location)).text(), /not a dog/);
  await got(201, ana.checks.rerequestRun({ ...here, check_run_id: red.id }));
  await got(201, ana.checks.rerequestSuite(suite));
  await got(201, ana.actions.reRunJobForWorkflowRun({ ...here, job_id: red.id }));

  // An app reports a check of its own; a person cannot.
  const annotations = [{ path: "src/app.txt", start_line: 2, end_line: 2, annotation_level: "warning", message: "Half" }];
  const own = await got(201, rabbit.checks.create({ ...here, name: "Rabbit", head_sha: sha, status: "in_progress" }));
  assert.equal(own.conclusion, null);
  const output = { title: "Looked", summary: "Fine", annotations };
  const over = await got(200, rabbit.checks.update({ ...here, check_run_id: own.id, conclusion: "neutral", output }));
  assert.deepEqual([over.status, over.output.annotations_count, over.app.slug], ["completed", 1, "coderabbitai"]);
  await refused(403, ana.checks.create({ ...here, name: "Mine", head_sha: sha }));
  await refused(403, as("cursor[bot]").checks.update({ ...here, check_run_id: own.id, conclusion: "success" }));
  await refused(422, rabbit.checks.create({ ...here, name: "None", head_sha: "0".repeat(40) }));

  await got(201, ana.repos.createCommitStatus({ ...here, sha, state: "pending", context: "ci/outside", target_url: "https://ci.example/1" }));
  await got(201, rabbit.repos.createCommitStatus({ ...here, sha, state: "success", context: "ci/outside" }));
  await refused(403, mallory.repos.createCommitStatus({ ...here, sha, state: "success" }));
  await refused(422, ana.repos.createCommitStatus({ ...here, sha, state: "splendid" }));
  assert.equal((await got(200, ana.repos.getCombinedStatusForRef({ ...here, ref }))).state, "success");
  assert.equal((await got(200, ana.repos.listCommitStatusesForRef({ ...here, ref }))).length, 2);
  assert.equal((await got(200, ana.request("GET /repos/{owner}/{repo}/statuses/{ref}", { ...here, ref }))).length, 2);
}

async function searching() {
  const found = async (q) => (await got(200, ana.search.issuesAndPullRequests({ q }))).items.map(({ title }) => title);
  assert.deepEqual(await found(`repo:${owner}/${repo} is:pr is:open author:ana`), ["Two and a half"]);
  assert.deepEqual(await found(`repo:${owner}/${repo} is:issue state:closed`), ["It barked"]);
  assert.deepEqual(await found(`repo:${owner}/${repo} "and a half" -is:issue`), ["Two and a half"]);
  assert.deepEqual(await found(`repo:${owner}/${repo} is:pr author:ben`), []);
  await refused(422, ana.search.issuesAndPullRequests({ q: "" }));
  await refused(422, ana.search.issuesAndPullRequests({ q: "repo:octo/none is:pr" }));
}

async function conditional() {
  const first = await ana.pulls.list({ ...here, state: "all" });
  const again = await refused(304, ana.pulls.list({ ...here, state: "all", headers: { "if-none-match": first.headers.etag } }));
  assert.equal(again.status, 304);
  assert.ok(Number(first.headers["x-ratelimit-remaining"]) > 0);
}

async function merging({ pull_number, open }) {
  const it = { ...here, pull_number };
  const { number: clashing } = await open("conflict");
  const other = await open("other", { draft: true });
  await refused(405, ana.pulls.merge({ ...here, pull_number: other.number }));
  await refused(409, ana.pulls.merge({ ...it, sha: "0".repeat(40) }));
  await refused(403, mallory.pulls.merge(it));
  const merged = await got(200, octo.pulls.merge({ ...it, merge_method: "squash" }));
  assert.equal(merged.merged, true);
  await got(204, ana.pulls.checkIfMerged(it));
  await refused(405, octo.pulls.merge(it));
  assert.equal((await got(200, ana.pulls.get({ ...here, pull_number: clashing }))).mergeable, false);
  await refused(405, octo.pulls.merge({ ...here, pull_number: clashing }));
  await refused(422, octo.pulls.updateBranch({ ...here, pull_number: clashing }));
  assert.match((await got(202, ana.pulls.updateBranch({ ...here, pull_number: other.number }))).message, /Updating/);

  // Somebody takes the branch back and pushes anew.
  await git("checkout", "--quiet", "conflict");
  await git("commit", "--quiet", "--amend", "--message", "Work anew");
  await git("-c", "http.extraHeader=Authorization: Basic " + Buffer.from("x:forge-octo").toString("base64"),
    "push", "--quiet", "--force", `${forge.gitUrl}/${owner}/${repo}.git`, "conflict");
  const events = (await got(200, ana.issues.listEventsForTimeline({ ...here, issue_number: clashing }))).map(({ event }) => event);
  assert.deepEqual(events.filter((event) => ["committed", "head_ref_force_pushed"].includes(event)).sort(), ["committed", "head_ref_force_pushed"]);
  const whole = (await got(200, ana.issues.listEventsForTimeline({ ...here, issue_number: pull_number, per_page: 100 }))).map(({ event }) => event);
  for (const event of ["committed", "renamed", "review_requested", "closed", "reopened", "reviewed", "merged"]) assert.ok(whole.includes(event), event);
  assert.deepEqual((await got(200, ana.issues.listForRepo({ ...here, state: "all" }))).length, 4);
}

async function refusals() {
  await control("PATCH", `repos/${owner}/${repo}`, { private: true });
  await refused(404, mallory.repos.get(here));
  await got(200, kim.repos.get(here));
  await control("PATCH", `repos/${owner}/${repo}`, { archived: true });
  await refused(403, ana.issues.createComment({ ...here, issue_number: 1, body: "Late" }));
}

/** Every REST route in the forge's own sources, as method and path. */
function servedRoutes() {
  const folder = join(dirname(fileURLToPath(import.meta.url)), "../crates/forge/src/rest");
  const files = readdirSync(folder).filter((name) => name.endsWith(".rs") && !["admin.rs", "device_flow.rs"].includes(name));
  return files.flatMap((file) => {
    const inRepo = !["search.rs"].includes(file);
    const text = readFileSync(join(folder, file), "utf8");
    return text.split(/\.route\(/).slice(1).flatMap((part) => {
      const path = part.match(/^\s*"([^"]+)"/)?.[1];
      if (!path || path.startsWith("/_")) return [];
      const handlers = part.slice(0, /\n\s*\.route|\n\}|\n {8}\)/.exec(part)?.index ?? part.length);
      const top = !inRepo || ["/user", "/users/{login}", "/meta"].includes(path) || /^\/app\b/.test(path);
      const full = path.startsWith("/api/v3") ? path.slice("/api/v3".length) : top ? path : `/repos/{owner}/{repo}${path === "/" ? "" : path}`;
      return [...handlers.matchAll(/\b(get|post|put|patch|delete)\(/g)].map(([, method]) => ({ method: method.toUpperCase(), path: full }));
    });
  });
}

const literal = (path) => path.split("/").filter((part) => !part.startsWith("{")).length;

/** The routes that no call has reached, each with the status of 2xx or 3xx that it owes. */
function unreached() {
  const routes = servedRoutes().map((route) => ({
    ...route,
    pattern: new RegExp(`^${route.path.replace(/\{\*[^}]+\}/g, ".+").replace(/\{[^}]+\}/g, "[^/]+")}$`),
    reached: false,
  })).sort((one, other) => literal(other.path) - literal(one.path));
  for (const { method, path, status } of answers.filter(({ status }) => status < 400)) {
    const route = routes.find((one) => one.method === method && one.pattern.test(path));
    if (route) route.reached = true;
    else if (path !== "/rate_limit") problems.push(`${method} ${path} ${status}: no route in the sources is like this`);
  }
  return { count: routes.length, missing: routes.filter(({ reached }) => !reached).map(({ method, path }) => `${method} ${path}`) };
}

/** A GitHub App: it signs in by its key, makes a token of its installation, and acts as its bot. */
async function apps() {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const der = publicKey.export({ type: "pkcs1", format: "der" }).toString("base64");
  const made = await control("POST", "apps", { slug: "collie-app", owner, public_key: der });
  const { id, installation, login } = await made.json();
  const jwt = (ahead = 0) => {
    const now = Math.floor(Date.now() / 1000) + ahead;
    const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signed = `${part({ alg: "RS256", typ: "JWT" })}.${part({ iat: now - 60, exp: now + 480, iss: String(id) })}`;
    return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey).toString("base64url")}`;
  };
  const signedBy = (auth) => new Octokit({ auth, authStrategy: () => ({ hook: (request, options) => request({ ...options, headers: { ...options.headers, authorization: `Bearer ${auth}` } }) }), baseUrl: forge.apiUrl, request: { fetch: judgedFetch }, log: quiet });
  const app = signedBy(jwt());
  assert.equal((await got(200, app.apps.getAuthenticated())).slug, "collie-app");
  assert.deepEqual((await got(200, app.apps.listInstallations())).map((row) => row.id), [installation]);
  assert.equal((await got(200, app.apps.getRepoInstallation(here))).id, installation);
  const { token } = await got(201, app.apps.createInstallationAccessToken({ installation_id: installation }));
  await control("PATCH", `repos/${owner}/${repo}`, { roles: { [login]: "member" } });
  assert.equal((await got(200, signedBy(token).repos.get(here))).permissions.push, true);
  assert.ok((await got(200, octo.repos.listCollaborators(here))).every((account) => account.login !== login), "an App is no collaborator");
  await refused(401, signedBy(jwt(3600)).apps.getAuthenticated());
  await refused(401, signedBy(jwt(-3600)).apps.getAuthenticated());
  await refused(401, signedBy(`${jwt()}x`).apps.getAuthenticated());
  await control("PATCH", `apps/${id}`, { suspended: true });
  await refused(403, app.apps.createInstallationAccessToken({ installation_id: installation }));
  await refused(401, signedBy(token).repos.get(here));
  await control("PATCH", `apps/${id}`, { suspended: false, installed: false });
  await refused(404, app.apps.createInstallationAccessToken({ installation_id: installation }));
  assert.deepEqual(await got(200, app.apps.listInstallations()), []);
}

/** A webhook of the repository, and what was delivered to it: nobody listens there. */
async function webhooks() {
  const config = { url: "http://127.0.0.1:9/hook", content_type: "json", secret: "s" };
  await refused(404, mallory.repos.listWebhooks(here));
  const hook = await got(201, octo.repos.createWebhook({ ...here, config, events: ["pull_request"] }));
  const it = { ...here, hook_id: hook.id };
  assert.deepEqual((await got(200, octo.repos.listWebhooks(here))).map(({ id }) => id), [hook.id]);
  assert.deepEqual((await got(200, octo.repos.updateWebhook({ ...it, add_events: ["check_run"] }))).events.sort(), ["check_run", "pull_request"]);
  assert.equal((await got(200, octo.repos.getWebhook(it))).config.url, config.url);
  await got(204, octo.repos.pingWebhook(it));
  const delivery = await until("a delivery", async () => (await got(200, octo.repos.listWebhookDeliveries(it)))[0]);
  const one = { ...it, delivery_id: delivery.id };
  assert.equal((await got(200, octo.repos.getWebhookDelivery(one))).event, "ping");
  await got(202, octo.repos.redeliverWebhookDelivery(one));
  await got(204, octo.repos.deleteWebhook(it));
  await refused(404, octo.repos.getWebhook(it));
}

/** A fork, a pull request from it, and what is left once the fork is gone. */
async function forks() {
  const fork = await got(202, mallory.repos.createFork(here));
  assert.deepEqual([fork.fork, fork.full_name], [true, `mallory/${repo}`]);
  assert.deepEqual((await got(200, ana.repos.listForks(here))).map((one) => one.full_name), [fork.full_name]);
  const theirs = { owner: "mallory", repo };
  const pull = await got(201, mallory.pulls.create({ ...here, title: "From a fork", head: "mallory:other", base: "main", maintainer_can_modify: true }));
  assert.deepEqual([pull.head.label, pull.head.repo.full_name, pull.maintainer_can_modify], ["mallory:other", fork.full_name, true]);
  await refused(403, ana.repos.delete(theirs));
  await got(204, mallory.repos.delete(theirs));
  const left = await got(200, ana.pulls.get({ ...here, pull_number: pull.number }));
  assert.deepEqual([left.state, left.head.repo, left.head.sha], ["open", null, pull.head.sha]);
  await got(200, ana.pulls.update({ ...here, pull_number: pull.number, state: "closed" }));
}

/** The control: answers made wrong in one place each, which the judge has to tell of. */
function controls() {
  const pull = answers.find(({ method, path, status }) => method === "GET" && /\/pulls\/\d+$/.test(path) && status === 200);
  if (!pull) return ["no pull request was read that the controls could change"];
  const changed = (edit) => {
    const body = JSON.parse(pull.body);
    edit(body);
    return { ...pull, body: JSON.stringify(body) };
  };
  const wrong = {
    "a missing field": changed((body) => delete body.mergeable_state),
    "a field of another type": changed((body) => { body.number = "1"; }),
    "a null where none may be": changed((body) => { body.head.sha = null; }),
    "a value that is none": changed((body) => { body.state = "ajar"; }),
    "a status that is not described": { ...pull, status: 202 },
    "a body that is no JSON object": { ...pull, body: "[]" },
    "another content type": { ...pull, headers: new Headers({ "content-type": "text/html" }) },
    "a route that GitHub does not have": { ...pull, path: `${pull.path}/dogs` },
    "a body where none is described": { ...pull, path: `${pull.path}/merge`, status: 204 },
  };
  return Object.entries(wrong).filter(([, answer]) => judge(answer).length === 0).map(([name]) => `this check does not see ${name}`);
}

try {
  await accounts();
  await got(200, octo.meta.get());
  await repository();
  await collaborators();
  await labels();
  const issue = await issues();
  await comments(issue);
  const pull = await pulls();
  await reviews(pull);
  await checks(pull);
  await searching();
  await conditional();
  await merging(pull);
  await webhooks();
  await forks();
  await apps();
  await refusals();
} catch (error) {
  problems.push(`octokit: ${error.stack}`);
} finally {
  await end();
}
const { count, missing } = unreached();
problems.push(...missing.map((route) => `no call to ${route}`), ...controls());
if (problems.length > 0) console.error([...new Set(problems)].join("\n"));
const seconds = ((Date.now() - started) / 1000).toFixed(1);
console.log(`octokit on the forge: ${answers.length} answers, ${count} routes, ${problems.length} problems, ${seconds} s`);
process.exitCode = problems.length === 0 && answers.length > 150 && count > 80 ? 0 : 1;
