// The world of a case: a forge of its own with the repository, the pull request, CI and bots.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findCollie, run, startForge } from "../on-a-forge.mjs";
import { lineOf } from "./cases.mjs";

/** Who owns the repository; it acts for the bench alone. */
export const OWNER = "octo";
/** Whose token the tool gets; nobody else acts as that one. */
export const TOOL_LOGIN = "shepherd";
export const NUMBER = 1;
const BRANCH = "topic";
const APP = "house-ci[bot]";
const SEVERITY = { P0: "🔴 Critical", P1: "🟠 Major", P2: "🟡 Minor" };
/** When a bot that is out of quota says that it is back. */
const BACK_IN = "6s";
const WALKTHROUGH = "<!-- This is an auto-generated comment: summarize by coderabbit.ai -->\n";

const seconds = (value) => `${Math.round(value * 1000)}ms`;
const toml = (value) => JSON.stringify(value);

/** The jobs that a check of the case is, as tables of `.forge.toml`; those that are reported from outside are none. */
function jobsOf({ name, kind, after_s: after = kind === "flaky" ? 6 : 3 }, tests) {
  // The first run on a head is lost with its runner, as far as anybody can see.
  const flaky = `mark="$TMPDIR/ran-\${GITHUB_REPOSITORY#*/}-$GITHUB_SHA"; if [ -e "$mark" ]; then ${tests}; else : > "$mark"; echo "waiting for the registry"; sleep 60; fi`;
  const jobs = {
    tests: [{ run: tests }],
    pass: [{ run: "true" }],
    slow: [{ run: `sleep ${after}; ${tests}` }],
    flaky: [{ run: flaky, timeout: `${after}s` }],
    red: [{ run: "echo 'error: the licence server does not answer'; exit 1" }],
    twin: [{ run: "true" }, { run: tests, workflow: "Nightly" }],
  };
  return (jobs[kind] ?? []).map((job) => ({ name, ...job }));
}

/** The `.forge.toml` of a case. */
export function checksFile({ ci, project }) {
  const tables = ci.flatMap((check) => jobsOf(check, project.tests));
  return tables.map((job) => `[[check]]\n${Object.entries(job).map(([key, value]) => `${key} = ${toml(value)}`).join("\n")}\n`).join("\n");
}

/** How a bot tells of a fault. */
function words(login, fault) {
  if (!login.startsWith("coderabbit")) return `**${fault.title}**\n\n${fault.description}`;
  return `_⚠️ Potential issue_ | _${SEVERITY[fault.priority]}_\n\n**${fault.title}.**\n\n${fault.description}\n\n<!-- This is an auto-generated comment by CodeRabbit -->`;
}

/** The steps that the forge plays for a bot of the case. */
function stepsOf({ login, kind, fault: id, after_s: after = 2 }, planted) {
  const step = { login, after: seconds(after) };
  const nothing = `${WALKTHROUGH}No actionable comments were generated in the recent review. 🎉`;
  if (kind === "reviews") {
    const fault = planted.find((one) => one.id === id);
    return [{ ...step, does: "review", path: fault.file, pattern: lineOf(fault), body: words(login, fault), summary: "**Actionable comments posted: 1**" }];
  }
  if (kind === "never_stops") {
    const body = "_⚠️ Potential issue_ | _🟡 Minor_\n\n**Say what this is good for.**\n\nA reader cannot tell.\n\n<!-- This is an auto-generated comment by CodeRabbit -->";
    return [{ ...step, does: "review", pattern: "", body, summary: "**Actionable comments posted: 1**" }];
  }
  if (kind === "declines") return [{ ...step, does: "rate_limit_notice", back_in: BACK_IN }];
  if (kind === "placeholder") return [{ ...step, after: seconds(after / 2), does: "placeholder" }, { ...step, does: "edit_comment", body: nothing }];
  if (kind === "no_issues") return [{ ...step, does: "comment", body: nothing }];
  return [{ ...step, does: "thanks", when_answered: true }];
}

/** What plays by itself on the forge: bots, and checks that an app reports late. */
export function script({ bots, ci, planted }) {
  const late = ci.filter(({ kind }) => kind.startsWith("late")).map(({ name, kind, after_s: after = 3 }) => ({
    login: APP, after: seconds(after), does: "check", name, conclusion: kind === "late" ? "success" : "failure", body: kind === "late" ? "Nothing stands against it" : "The audit found a licence that is not allowed",
  }));
  return [...bots.flatMap((bot) => stepsOf(bot, planted)), ...late];
}

/** The names of what has to pass. */
export const requiredOf = ({ ci }) => [...new Set(ci.filter(({ required = true }) => required).map(({ name }) => name))];

function write(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Git as somebody, in a folder. */
export const gitAs = (login, folder) => (...args) => run("git", [
  "-c", `user.name=${login}`, "-c", `user.email=${login}@users.noreply.github.com`, "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false", ...args,
], { cwd: folder, env: { ...process.env, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0" } });

/** Makes the repository of a case in a folder, for the forge to take in. */
export async function makeRepository(folder, planned) {
  mkdirSync(folder, { recursive: true });
  const git = gitAs("ben", folder);
  await git("init", "--quiet");
  write(folder, { ...planned.base, ".forge.toml": checksFile(planned) });
  await git("add", ".");
  await git("commit", "--quiet", "--message", "Begin");
  await git("checkout", "--quiet", "-b", BRANCH);
  write(folder, planned.head);
  await git("add", ".");
  await git("commit", "--quiet", "--message", planned.project.title);
  await git("checkout", "--quiet", "main");
}

/** A client of the forge that plays somebody, or fails in words. */
export function client(forge) {
  return async (login, method, path, body) => {
    const answer = await forge.send(method, path, { login, body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${login}: ${method} ${path}: ${answer.status} ${text.slice(0, 400)}`);
    return text ? JSON.parse(text) : undefined;
  };
}

async function settle(call, repo, planned) {
  const protection = { required_checks: requiredOf(planned), strict: false, required_reviews: planned.required_reviews ?? 0, require_conversation_resolution: false, enforce_admins: false };
  await call(OWNER, "PATCH", `/_forge/repos/${repo}`, {
    roles: { [TOOL_LOGIN]: "collaborator", ana: "collaborator", ben: "member", kim: "reader" },
    protection: { main: protection }, bots: script(planned),
  });
}

/** Makes the account of the tool on a forge. */
export const makeToolAccount = (call) => call(OWNER, "POST", "/_forge/accounts", { login: TOOL_LOGIN });

/**
 * Opens the pull request of a case on a forge that runs below `root`, in a repository of this name that is taken in from the folder `source`; people
 * have done nothing yet. `call` acts as anybody, `bare` is the repository on disk, `folder` is where people clone, `scratch` where the forge's checks write.
 */
export async function openWorld({ forge, root, name, planned, folder, source, scratch }) {
  const repo = `${OWNER}/${name}`;
  const call = client(forge);
  await call(OWNER, "POST", "/_forge/import", { repo, path: source });
  await settle(call, repo, planned);
  await call(OWNER, "POST", "/_forge/pulls", { repo, base: "main", head: BRANCH, title: planned.project.title, body: planned.project.body, author: "ben" });
  if (planned.draft) await setDraft(call, repo, true);
  const origin = new URL(forge.apiUrl).origin;
  return {
    planned, folder, forge, call, repo, source, scratch, origin, branch: BRANCH, api: `/api/v3/repos/${repo}`,
    bare: join(root, "git", `${repo.toLowerCase()}.git`),
    remote: (login) => `http://${login}:forge-${login}@${new URL(origin).host}/${repo}.git`,
  };
}

/** Starts the forge of a case in a folder, with its pull request open; people have done nothing yet. */
export async function startWorld(folder, planned) {
  const source = join(folder, "source");
  const scratch = join(folder, "tmp");
  mkdirSync(scratch, { recursive: true });
  await makeRepository(source, planned);
  const root = join(folder, "forge");
  const forge = await startForge(findCollie("debug", "release"), root, { env: { ...process.env, TMPDIR: scratch } });
  try {
    await makeToolAccount(client(forge));
    const world = await openWorld({ forge, root, name: planned.project.name, planned, folder, source, scratch });
    return { ...world, end: () => forge.stop() };
  } catch (error) {
    await forge.stop();
    throw error;
  }
}

/** Makes the pull request a draft, or none any more: GraphQL alone can. */
export async function setDraft(call, repo, draft, login = "ben") {
  const pull = await call(login, "GET", `/api/v3/repos/${repo}/pulls/${NUMBER}`);
  const mutation = draft ? "convertPullRequestToDraft" : "markPullRequestReadyForReview";
  const answer = await call(login, "POST", "/api/graphql", { query: `mutation($id: ID!) { ${mutation}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`, variables: { id: pull.node_id } });
  if (answer.errors) throw new Error(`${mutation}: ${JSON.stringify(answer.errors)}`);
}
