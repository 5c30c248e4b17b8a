// The people of a case: each does one thing after the other, as themselves, over GitHub's API and git.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { lineNumber, lineOf } from "./cases.mjs";
import { gitAs, NUMBER, OWNER, setDraft } from "./world.mjs";

/** Clones the repository as somebody, works in it on a branch, and pushes; gives the pushed commit. */
async function pushAs(world, login, branch, work, { force = false } = {}) {
  const folder = mkdtempSync(join(world.folder, "clone-"));
  const git = gitAs(login, folder);
  try {
    await git("clone", "--quiet", world.remote(login), ".");
    await git("checkout", "--quiet", branch);
    await work({ folder, git });
    await git("add", "--all");
    await git("commit", "--quiet", "--allow-empty", "--message", "Work on it");
    await git("push", "--quiet", ...(force ? ["--force"] : []), "origin", `HEAD:${branch}`);
    return (await git("rev-parse", "HEAD")).trim();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const put = (folder, { file, text }) => {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
};

/** Where a step's words stand: the line that an ask or a fault is about, in the pull request as it was opened. */
function place({ planned }, step) {
  const about = planned.asks.find(({ id }) => id === step.ask) ?? planned.planted.find(({ id }) => id === step.fault);
  if (!about) return undefined;
  const line = lineNumber(planned.head[about.file], lineOf(about));
  return { path: about.file, line, side: "RIGHT", body: step.words ?? about.words ?? `${about.title}. ${about.description}` };
}

const review = (event) => async (world, step, { call }) => {
  const at = place(world, step);
  const body = step.words ?? (event === "APPROVE" ? "Thank you, that is fine now." : "One thing before this goes in, see below.");
  await call("POST", `${world.api}/pulls/${NUMBER}/reviews`, { event, body, comments: at ? [at] : [] });
};

/** The person's latest comment, of the conversation or in a thread, with its address. */
async function latest(world, { login, call }) {
  const of = async (path) => (await call("GET", `${world.api}/${path}/comments?per_page=100`)).filter(({ user }) => user.login === login).map((comment) => ({ ...comment, path }));
  const all = [...await of(`issues/${NUMBER}`), ...await of(`pulls/${NUMBER}`)];
  const last = all.sort((one, other) => one.id - other.id).at(-1);
  if (!last) throw new Error(`${login} has said nothing yet that could be edited`);
  return { ...last, url: `${world.api}/${last.path.split("/")[0]}/comments/${last.id}` };
}

/** Resolves the threads that the person began. */
async function resolve(world, _, { login, call }) {
  const query = "query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { pullRequest(number: 1) { reviewThreads(first: 50) { nodes { id isResolved comments(first: 1) { nodes { author { login } } } } } } } }";
  const [owner, name] = world.repo.split("/");
  const { data } = await call("POST", "/api/graphql", { query, variables: { owner, name } });
  const own = data.repository.pullRequest.reviewThreads.nodes.filter(({ isResolved, comments }) => !isResolved && comments.nodes[0]?.author?.login === login);
  for (const { id } of own) await call("POST", "/api/graphql", { query: "mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { id } } }", variables: { id } });
}

/** What a step does. Each gets the world, the step, and who does it. */
const DEEDS = {
  request_changes: review("REQUEST_CHANGES"),
  approve: async (world, step, who) => {
    await resolve(world, step, who);
    await review("APPROVE")(world, step, who);
  },
  comment: (world, step, { call }) => call("POST", `${world.api}/issues/${NUMBER}/comments`, { body: step.words ?? place(world, step)?.body ?? "How is this going?" }),
  thread: async (world, step, { call }) => {
    const pull = await call("GET", `${world.api}/pulls/${NUMBER}`);
    await call("POST", `${world.api}/pulls/${NUMBER}/comments`, { ...place(world, step), commit_id: pull.head.sha });
  },
  edit_comment: async (world, step, who) => {
    const { url, body } = await latest(world, who);
    await who.call("PATCH", url, { body: step.words ?? `${body}\n\nIn other words: it matters to me.` });
  },
  delete_comment: async (world, _, who) => who.call("DELETE", (await latest(world, who)).url),
  resolve,
  push: (world, _, { login }) => pushAs(world, login, world.branch, ({ folder }) => put(folder, world.planned.project.persons_work)),
  force_push: (world, _, { login }) => pushAs(world, login, world.branch, async ({ folder, git }) => {
    await git("reset", "--quiet", "--hard", world.firstHead);
    put(folder, world.planned.project.persons_work);
  }, { force: true }),
  move_base: (world) => moveBase(world, world.planned.project.base_move),
  conflict_base: (world) => moveBase(world, world.planned.project.conflict),
  close: (world, _, { call }) => call("PATCH", `${world.api}/pulls/${NUMBER}`, { state: "closed" }),
  merge: (world, _, { call }) => call("PUT", `${world.api}/pulls/${NUMBER}/merge`, {}),
  draft: (world, _, { login }) => setDraft(world.call, world.repo, true, login),
  undraft: (world, _, { login }) => setDraft(world.call, world.repo, false, login),
  pending_review: (world, step, { call }) => call("POST", `${world.api}/pulls/${NUMBER}/reviews`, { comments: [place(world, step)] }),
};

/** The base moves by the owner's hand, whoever the step is of: the others may not push there everywhere. */
async function moveBase(world, file) {
  const sha = await pushAs(world, OWNER, "main", ({ folder }) => put(folder, file));
  world.baseHeads.push(sha);
}

/** Does one step as its person. */
export async function act(world, step) {
  const who = { login: step.who, call: (method, path, body) => world.call(step.who, method, path, body) };
  try {
    await DEEDS[step.does](world, step, who);
  } catch (error) {
    throw new Error(`${step.who} could not ${step.does}: ${error.stderr || error.message}`);
  }
}

/** Does a step; GitHub refuses a merge while required checks run, and a person tries again. */
async function insist(world, step, stop) {
  for (;;) {
    try {
      return await act(world, step);
    } catch (error) {
      if (step.does !== "merge" || stop.aborted || !error.message.includes("is in progress")) throw error;
      await wait(1_000);
    }
  }
}

/** Plays what is done before the tool is started. */
export async function playBefore(world) {
  for (const step of world.planned.people.filter(({ when }) => when === "before")) await act(world, step);
}

/** Plays the rest, each person for themselves; `onProblem` hears of what could not be done. */
export function playPeople(world, hub, stop, onProblem) {
  const steps = world.planned.people.filter(({ when }) => when !== "before");
  const one = async (login) => {
    for (const step of steps.filter(({ who }) => who === login)) {
      try {
        await hub.until(step.when);
      } catch {
        return;
      }
      await insist(world, step, stop);
    }
  };
  const everyone = [...new Set(steps.map(({ who }) => who))];
  return Promise.all(everyone.map((login) => one(login).catch((error) => {
    if (!stop.aborted) onProblem(error.message);
  })));
}

/** Reports commit statuses as a CI of somebody else's does: pending on each new head, and passed later. A new head is looked for each `look_s` seconds. */
export function playStatuses(world, hub, stop, onProblem, { look_s: pause = 0.1 } = {}) {
  const checks = world.planned.ci.filter(({ kind }) => kind === "status");
  if (checks.length === 0) return Promise.resolve();
  const seen = new Set();
  const report = async (sha) => {
    const post = (context, state) => world.call(OWNER, "POST", `${world.api}/statuses/${sha}`, { state, context, description: state === "pending" ? "It runs" : "It has run" });
    for (const { name } of checks) await post(name, "pending");
    await Promise.all(checks.map(async ({ name, after_s: after = 3 }) => {
      await hub.until({ after_s: after });
      await post(name, "success");
    }));
  };
  const follow = async () => {
    const under = [];
    while (!stop.aborted) {
      const pull = await world.call(OWNER, "GET", `${world.api}/pulls/${NUMBER}`);
      if (!seen.has(pull.head.sha)) {
        seen.add(pull.head.sha);
        under.push(report(pull.head.sha).catch((error) => stop.aborted || onProblem(error.message)));
      }
      await hub.until({ after_s: pause }).catch(() => {});
    }
    await Promise.all(under);
  };
  return follow().catch((error) => stop.aborted || onProblem(error.message));
}

