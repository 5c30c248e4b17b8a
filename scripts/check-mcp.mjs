// Tries `collie mcp` and the MCP server of `collie serve` with a foreign client, the official one for TypeScript, on a forge of their own: it lists
// tools and resources, reviews a pull request, starts a loop, asks why it waits, cancels it, and is refused what it may not do.
// Needs a built `collie` (target/debug first), git and the npm package `@modelcontextprotocol/client`.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { OWNER, REPO, forgeWorld } from "./forge-world.mjs";
import { findCollie, startServer } from "./on-a-forge.mjs";

const WITHIN_MS = 60_000;
const collie = findCollie("debug");
const repository = `${OWNER}/${REPO}`;
const READS = ["loop_status", "explain_blocker", "list_findings"];

/** What a `collie` of this account and data folder is started with. */
function environment(forge, home, login) {
  return {
    PATH: process.env.PATH, HOME: home, LANG: "en_US.UTF-8", COLLIE_HOME: home, GITHUB_API_URL: forge.apiUrl,
    GITHUB_TOKEN: `forge-${login}`, GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS: OWNER, GH_CONFIG_DIR: join(home, "no-gh"),
  };
}

/** A program that runs on; gives its first line and what ends it. */
async function start(args, env) {
  const child = spawn(collie, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const first = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", resolve);
    ended.then((status) => reject(new Error(`${args.join(" ")} ended with ${status}`)));
  });
  return { first, stop: () => (child.kill("SIGINT"), ended) };
}

async function connect(transport) {
  const client = new Client({ name: "collie-check", version: "1.0.0" });
  await client.connect(transport);
  return client;
}

async function overStdio(env, flags, use) {
  const client = await connect(new StdioClientTransport({ command: collie, args: ["mcp", ...flags], env }));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

async function overHttp(url, login, use) {
  const requestInit = { headers: { authorization: `Bearer forge-${login}` } };
  const client = await connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const call = (client, name, args = {}, options) => client.callTool({ name, arguments: args }, options);

/** The data of an answer that is no error. */
async function data(client, name, args, options) {
  const answer = await call(client, name, args, options);
  assert.notEqual(answer.isError, true, JSON.stringify(answer));
  assert.equal(answer.content[0].type, "text");
  return answer.structuredContent;
}

async function code(client, name, args) {
  const answer = await call(client, name, args);
  assert.equal(answer.isError, true, JSON.stringify(answer));
  return answer._meta["dev.collie/error"].code;
}

/** Asks until an answer is what is waited for. */
async function until(what, ask) {
  const end = Date.now() + WITHIN_MS;
  let last;
  while (Date.now() < end) {
    last = await ask();
    if (last) return last;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${what} did not come within ${WITHIN_MS} ms`);
}

async function check() {
  const { forge, folder, end } = await forgeWorld();
  const stops = [end];
  try {
    const opened = await forge.send("POST", `/api/v3/repos/${repository}/pulls`, { login: "ben", body: { title: "Work", head: "feature", base: "main" } });
    assert.equal(opened.status, 201, await opened.clone().text());
    const { number, head } = await opened.json();
    const pull = `${repository}#${number}`;
    const home = (name) => {
      const path = join(folder, name);
      mkdirSync(path);
      writeFileSync(join(path, "config.toml"), `poll_interval = "300ms"\n`);
      return path;
    };
    const env = environment(forge, home("local"), OWNER);

    await overStdio(env, [], async (client) => {
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      assert.deepEqual(names, ["review_pull_request", "start_loop", ...READS, "cancel_loop"]);
      assert.ok(!/merge_|_merge/.test(names.join(" ")), "a tool merges");
      for (const { name, annotations } of tools) assert.equal(annotations.readOnlyHint, READS.includes(name), name);
      assert.equal(tools.find(({ name }) => name === "cancel_loop").annotations.destructiveHint, true);
      assert.match(client.getInstructions(), /never merges/);

      const steps = [];
      const reviewed = await data(client, "review_pull_request", { pull_request: pull }, { onprogress: ({ message }) => steps.push(message) });
      assert.equal(reviewed.key, pull);
      assert.equal(reviewed.posted, false);
      assert.ok(steps.length >= 2, `progress: ${steps}`);
      const reviews = async () => (await forge.send("GET", `/api/v3/repos/${pull.replace("#", "/pulls/")}/reviews`, { login: "ben" })).json();
      assert.equal((await reviews()).length, 0, "a review that was not to be posted is");
      await data(client, "review_pull_request", { pull_request: pull, post: true });
      await data(client, "review_pull_request", { pull_request: pull, post: true });
      assert.equal((await reviews()).length, 1);

      assert.deepEqual(await data(client, "loop_status"), { loops: [] });
      assert.equal(await code(client, "explain_blocker", { pull_request: pull }), "no_loop");
      assert.equal(await code(client, "explain_blocker", { pull_request: "kennel" }), "bad_name");
      await assert.rejects(call(client, "explain_blocker", { pull: 1 }), /pull/);
      await assert.rejects(call(client, "merge_pull_request", { pull_request: pull }), /unknown tool|not found/i);
      // A check that never ends: what the loop waits for is there until it is cancelled, however fast the machine.
      const pending = { state: "pending", context: "never-ends" };
      const told = await forge.send("POST", `/api/v3/repos/${repository}/statuses/${head.sha}`, { login: "ben", body: pending });
      assert.equal(told.status, 201, await told.text());
      const queued = await data(client, "start_loop", { pull_request: pull });
      assert.equal(queued.outcome, "queued", "no engine runs yet");

      const engine = await start(["watch", pull, "--json", "--autonomy", "observe"], env);
      stops.unshift(engine.stop);
      const why = await until("a blocker", async () => {
        const answer = await data(client, "explain_blocker", { pull_request: pull });
        return answer.blocker && answer;
      });
      assert.equal(why.engine_running, true);
      assert.ok(why.blocker.text.length > 10, why.blocker.text);
      const [loop] = (await data(client, "loop_status", { pull_request: pull })).loops;
      assert.equal(loop.key, pull);
      await data(client, "list_findings", { pull_request: pull });

      const { resources } = await client.listResources();
      const timeline = resources.find(({ uri }) => uri === `collie://timeline/${pull.replace("#", "/")}`);
      const { contents } = await client.readResource({ uri: timeline.uri });
      assert.ok(JSON.parse(contents[0].text).timeline.length > 0);
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.deepEqual(resourceTemplates.map(({ name }) => name), ["proof", "timeline"]);
      await assert.rejects(client.readResource({ uri: `collie://proof/${pull.replace("#", "/")}` }), /no proof/);
      await assert.rejects(client.readResource({ uri: "file:///etc/passwd" }), /no such resource/);

      assert.deepEqual(await data(client, "cancel_loop", { pull_request: pull }), { pull_request: pull, outcome: "done", state: "cancelled" });
    });

    await overStdio(env, ["--read-only"], async (client) => {
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name), ["review_pull_request", ...READS]);
      assert.ok(tools.every(({ annotations }) => annotations.readOnlyHint));
      await assert.rejects(call(client, "cancel_loop", { pull_request: pull }), /unknown tool|not found/i);
      assert.equal(await code(client, "review_pull_request", { pull_request: pull, post: true }), "mcp_read_only");
    });

    // Whoever is not among the allowed users may look, and post nothing.
    await overStdio(environment(forge, home("reader"), "kim"), [], async (client) => {
      assert.equal((await data(client, "review_pull_request", { pull_request: pull })).posted, false);
      assert.equal(await code(client, "review_pull_request", { pull_request: pull, post: true }), "review_denied");
    });

    const { url, stop } = await startServer(collie, { env: environment(forge, home("server"), OWNER) });
    stops.unshift(stop);
    await overHttp(url, "ben", async (client) => {
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name), ["start_loop", ...READS, "cancel_loop"]);
      assert.equal((await data(client, "start_loop", { pull_request: pull })).outcome, "done");
      const why = await data(client, "explain_blocker", { pull_request: pull });
      assert.equal(why.engine_running, true);
      const { contents } = await client.readResource({ uri: `collie://timeline/${pull.replace("#", "/")}` });
      assert.ok(JSON.parse(contents[0].text).timeline.length > 0);
    });
    // Who may only read sees the loop, and does not end it.
    await overHttp(url, "kim", async (client) => {
      assert.equal((await data(client, "loop_status")).loops.length, 1);
      assert.equal(await code(client, "cancel_loop", { pull_request: pull }), "no_write_access");
    });
    await assert.rejects(overHttp(url, "nobody at all", (client) => client.listTools()));
    const evil = await fetch(`${url}/mcp`, { method: "POST", headers: { authorization: "Bearer forge-ben", origin: "https://evil.example", "content-type": "application/json" }, body: "{}" });
    assert.equal(evil.status, 403);
    await overHttp(url, "ben", async (client) => {
      assert.equal((await data(client, "cancel_loop", { pull_request: pull })).outcome, "done");
    });
  } finally {
    for (const stop of stops) await stop();
  }
}

const started = Date.now();
await check();
console.log(`MCP with a foreign client: stdio and HTTP, ${((Date.now() - started) / 1000).toFixed(1)} s`);
