// Has another project's GitHub send its webhooks: `emulate` (npm, Vercel Labs) to a running `collie serve`, and beside it the own forge, so that both
// are judged. Collie has to take each delivery as it comes, start a loop for a pull request that was opened, and see at once that it was closed; the
// forge has to send for the same acts the same events. The emulator numbers its repositories as it likes, so that for the loop's own events its
// deliveries are signed anew, by octokit's own signer, with the id that GitHub's answers have. Needs a built `collie` (target/debug first) and git.

import { sign, verify } from "@octokit/webhooks-methods";
import { createEmulator } from "emulate";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { forgeWorld, OWNER, REPO } from "./forge-world.mjs";
import { environment, findCollie, startServer } from "./on-a-forge.mjs";

const SECRET = "It's a Secret to Everybody";
const NAME = `${OWNER}/${REPO}`;
/** Who opens and closes in the emulator. What Collie's own account does is looked at half a minute later: mostly it is Collie's doing. */
const PERSON = "ana";
const PATIENCE_MS = 20_000;
/** It never ends while this goes on: the loop waits for it, until it is told that there is nothing more to wait for. */
const CHECKS = '[[check]]\nname = "build"\nrun = "sleep 300"\n';
const CONFIG = `poll_interval = "1h"
ready_poll_interval = "1h"
[[repositories]]
name = "${NAME}"
auto_pr_review_enabled = true
autonomy = "observe"
`;

const problems = [];
let tried = 0;
function hold(what, good) {
  tried += 1;
  if (!good) problems.push(what);
}

async function until(what, look) {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    if (await look()) return hold(what, true);
    await wait(100);
  }
  return hold(`${what}: not within ${PATIENCE_MS / 1000} s`, false);
}

/** Listens for deliveries; `pass`, if given, hands each on and gives the answer. */
async function receiver(pass) {
  const got = [];
  const server = createServer(async (incoming, answer) => {
    const parts = [];
    for await (const part of incoming) parts.push(part);
    const body = Buffer.concat(parts).toString();
    const delivery = { event: incoming.headers["x-github-event"], headers: incoming.headers, body, payload: JSON.parse(body) };
    const status = pass ? await pass(delivery) : 202;
    got.push({ ...delivery, status });
    answer.writeHead(status).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => (server.close(), server.closeAllConnections());
  return { url: `http://127.0.0.1:${server.address().port}/`, got, close };
}

/** Hands a delivery to Collie; gives the status and what became of it. */
async function hand(collie, { headers, body }) {
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => /^(content-type|user-agent|x-.*)$/.test(name)));
  const answer = await fetch(`${collie.url}/webhooks/github`, { method: "POST", headers: sent, body });
  return { status: answer.status, ...(await answer.json()) };
}

/** A port that nothing listens on. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The emulator with the same repository, people and numbers. */
async function emulator(port, next) {
  const people = [OWNER, "ana", "ben", "kim"];
  const github = { users: people.map((login) => ({ login })), repos: [{ owner: OWNER, name: REPO, default_branch: "main", auto_init: true }] };
  const emulated = await createEmulator({ service: "github", port, seed: { tokens: Object.fromEntries([OWNER, PERSON].map((login) => [login, { login, scopes: ["repo", "admin:repo_hook"] }])), github } });
  const as = (login) => asking("emulator", (method, path, body) => fetch(`${emulated.url}/repos/${NAME}${path}`, {
    method, headers: { authorization: `Bearer ${login}`, "content-type": "application/json" }, body: body && JSON.stringify(body),
  }));
  const ask = as(OWNER);
  const { object } = await ask("GET", "/git/ref/heads/main");
  await ask("POST", "/git/refs", { ref: "refs/heads/feature", sha: object.sha });
  await ask("PUT", "/contents/new.txt", { message: "Add", content: "eA==", branch: "feature" });
  // Pull requests and issues share their numbers.
  for (let number = 1; number < next; number += 1) await ask("POST", "/issues", { title: `Number ${number}` });
  return { own: ask, ask: as(PERSON), close: () => emulated.close() };
}

/** Asks an API, and says whose refusal it was. */
function asking(whose, send) {
  return async (method, path, body) => {
    const answer = await send(method, path, body);
    if (!answer.ok) throw new Error(`${whose}: ${method} ${path}: ${answer.status} ${await answer.text()}`);
    const text = await answer.text();
    return text === "" ? {} : JSON.parse(text);
  };
}

const hookFor = (url) => ({ name: "web", active: true, events: ["*"], config: { url, content_type: "json", secret: SECRET } });

/** What people do to a pull request, in order: a name, and the request. */
const acts = (number) => [
  ["comment", "POST", `/issues/${number}/comments`, { body: "Hello" }],
  ["review", "POST", `/pulls/${number}/reviews`, { body: "Looks well", event: "COMMENT" }],
  ["title", "PATCH", `/pulls/${number}`, { title: "Another title" }],
  ["close", "PATCH", `/pulls/${number}`, { state: "closed" }],
];

/** The same acts on both; each has to make both send the same events. */
async function judgeForge(mine, theirs, number) {
  const named = ({ event, payload }) => (payload.action ? `${event}.${payload.action}` : event);
  for (const [name, method, path, body] of acts(number)) {
    const [seenMine, seenTheirs] = [mine.hook.got.length, theirs.hook.got.length];
    await mine.ask(method, path, body);
    await theirs.ask(method, path, body);
    const events = (of, seen) => [...new Set(of.hook.got.slice(seen).map(named))].sort();
    // What only one of them knows is not compared: the emulator has no checks that run by themselves, and no bots.
    await until(`${name}: the forge sends what the emulator sends`, () => {
      const wanted = events(theirs, seenTheirs);
      const sent = events(mine, seenMine);
      return wanted.length > 0 && wanted.every((event) => sent.includes(event));
    });
  }
  for (const { headers, event, body, payload } of [...mine.hook.got, ...theirs.hook.got]) {
    hold(`${event}: signed as octokit reads it`, await verify(SECRET, body, headers["x-hub-signature-256"]));
    hold(`${event}: names the repository`, event === "ping" || payload.repository?.full_name === NAME);
  }
  const headersOf = (of) => new Set(of.hook.got.flatMap(({ headers }) => Object.keys(headers).filter((name) => name.startsWith("x-"))));
  for (const name of headersOf(theirs)) hold(`the forge sends ${name}`, headersOf(mine).has(name));
}

/** Deliveries of the emulator at Collie: as they are, then with the repository's own id. */
async function judgeCollie(collie, mine, theirs, repository, number) {
  const state = async () => {
    const answer = await fetch(`${collie.url}/pr/${NAME}/${number}/status`, { headers: { authorization: `Bearer forge-${OWNER}` } });
    return answer.ok ? (await answer.json()).state : undefined;
  };
  const open = { title: "Add a file", head: "feature", base: "main", body: "" };
  await mine.ask("POST", "/pulls", open);
  hold("nothing is started before anything was said", (await state()) === undefined);
  await theirs.ask("POST", "/pulls", open);
  await until("a pull request that the emulator says was opened is started, and read", async () => (await state()) === "pr_awaiting_checks");

  await judgeForge(mine, theirs, number);
  for (const { event, payload, outcome } of theirs.outcomes) {
    // GitHub says of a comment whether its issue is a pull request; the emulator does not, so that it is about none.
    const useful = event === "issue_comment" ? payload.issue.pull_request !== undefined : event.startsWith("pull_request");
    hold(`${event}: ${outcome}`, outcome === (useful ? "woken" : "ignored"));
  }
  const closed = theirs.hook.got.findLast(({ event, payload }) => event === "pull_request" && payload.action === "closed");
  hold("the loop polls once an hour: nothing else has told it of the end", (await state()) === "pr_awaiting_checks");
  const payload = { ...closed.payload, repository: { ...closed.payload.repository, node_id: repository.node_id } };
  const body = JSON.stringify(payload);
  const again = { ...closed.headers, "x-github-delivery": "anew" };
  const unsigned = await hand(collie, { headers: again, body });
  hold("a body that was changed is refused by its old signature", unsigned.status === 401);
  const headers = { ...again, "x-hub-signature-256": await sign(SECRET, body) };
  const taken = await hand(collie, { headers, body });
  hold("one that octokit has signed is taken", taken.status === 202 && taken.outcome === "woken");
  await until("what was closed has ended", async () => (await state()) === "closed");
  hold("the same delivery again is known", (await hand(collie, { headers, body })).outcome === "repeated");
}

async function main() {
  const { forge, end } = await forgeWorld({ checks: CHECKS });
  const home = mkdtempSync(join(tmpdir(), "collie-webhooks-"));
  const closing = [end, () => rmSync(home, { recursive: true, force: true })];
  try {
    const data = join(home, "data");
    mkdirSync(data);
    writeFileSync(join(data, "config.toml"), CONFIG);
    const env = {
      ...process.env, ...environment(data, forge.apiUrl),
      GITHUB_TOKEN: `forge-${OWNER}`, GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS: OWNER, COLLIE_WEBHOOK_SECRET: SECRET,
    };
    const collie = await startServer(findCollie("debug", "release"), { env });
    closing.unshift(collie.stop);
    const ask = asking("forge", (method, path, body) => forge.send(method, `${forge.apiUrl}/repos/${NAME}${path}`, { login: OWNER, body }));
    const mine = { ask, hook: await receiver() };
    const outcomes = [];
    const passing = await receiver(async (delivery) => {
      const { status, outcome } = await hand(collie, delivery);
      outcomes.push({ ...delivery, outcome: outcome ?? status });
      return status;
    });
    const number = 1 + (await ask("GET", "/issues?state=all&per_page=100")).length;
    const emulated = await emulator(await freePort(), number);
    const theirs = { ask: emulated.ask, hook: passing, outcomes };
    closing.unshift(mine.hook.close, passing.close, emulated.close);
    const repository = await ask("GET", "");
    await mine.ask("POST", "/hooks", hookFor(mine.hook.url));
    const hook = await emulated.own("POST", "/hooks", hookFor(passing.url));
    await emulated.own("POST", `/hooks/${hook.id}/pings`);
    await judgeCollie(collie, mine, theirs, repository, number);
    console.log(`${passing.got.length} deliveries of the emulator, ${mine.hook.got.length} of the forge`);
  } finally {
    for (const close of closing) await close();
  }
  for (const problem of problems) console.log(problem);
  console.log(`webhooks of another project's GitHub: ${tried} things held, ${problems.length} problems`);
  process.exitCode = problems.length === 0 && tried > 20 ? 0 : 1;
}

await main();
