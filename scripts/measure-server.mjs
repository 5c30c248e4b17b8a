// Measures `collie serve` on a local forge: start to ready, from a delivery to what comes of it, requests a second, memory of who watches, and a
// burst of deliveries.
//
//   node scripts/measure-server.mjs [--loops N] [--deliveries N] [--watching N] [--seconds S]
//   node scripts/measure-server.mjs --soak SECONDS [--loops N] [--watching N]
//
// With --soak it does nothing else than that: deliveries, events, questions and streams that come and go for so long while others watch all along,
// each as a person of their own, with memory, threads, open files and latencies at the beginning and at the end (a sixth of the time each); it exits
// with 1 where one of them grew by more than a tenth (memory by a quarter; latencies are told alone), or a request failed. What costs points of
// GitHub's quota comes as often as an hour's quota bears: a change each 3 s, a retry each 10 s. Deliveries that say nothing new come each 200 ms.
//
// Makes a repository with as many pull requests as --loops says (20) and starts a loop of each, which polls once an hour. Then each is closed and
// reopened in turn: from when GitHub's delivery is sent until GitHub is asked, which is the next effect, and until the stream of events tells what
// came of it. What the server asks GitHub goes through this script, which notes when. The
// forge runs on the same machine, and answers within the second of these times. Needs git and a built `collie`; the environment variable COLLIE
// names another than the one in target/.

import { createHmac } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { environment, findCollie, makeSample, memoryOf, OWNER, percentile, run, startForge, startServer, table } from "./on-a-forge.mjs";

const { values: option } = parseArgs({
  options: {
    loops: { type: "string", default: "20" },
    deliveries: { type: "string", default: "2000" },
    watching: { type: "string", default: "20" },
    seconds: { type: "string", default: "5" },
    soak: { type: "string" },
  },
});
const [LOOPS, DELIVERIES, WATCHING, SECONDS] = [option.loops, option.deliveries, option.watching, option.seconds].map(Number);
const SECRET = "secret";
const REPO = `${OWNER}/sample`;
const bearer = (login) => `Bearer forge-${login}`;
/** Who watches and asks in a soak. */
const PEOPLE = Array.from({ length: option.soak ? WATCHING : 0 }, (_, index) => `person-${index + 1}`);
const collie = findCollie();
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Starts a server; gives its address, its process, and how long it took until it was ready. */
async function serve(data, apiUrl) {
  const known = environment(data, apiUrl);
  const allowed = { GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS: [known.GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS, ...PEOPLE].join(",") };
  const env = { ...process.env, ...known, ...allowed, COLLIE_WEBHOOK_SECRET: SECRET };
  const begun = performance.now();
  const server = await startServer(collie, { env });
  const ready = await send("GET", `${server.url}/readyz`);
  if (ready.status !== 200) throw new Error(`not ready: ${ready.status}`);
  return { ...server, took: performance.now() - begun };
}

/** Sends a request; gives its status and body. A connection that the server had closed while nothing was asked is none of its faults: once more. */
function send(method, url, options = {}) {
  return sendOnce(method, url, options).catch((error) => {
    if (error.code === "ECONNRESET" && error.reusedSocket) return send(method, url, options);
    throw error;
  });
}

function sendOnce(method, url, { headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { ...headers, ...(body ? { "content-length": Buffer.byteLength(body) } : {}) } }, (answer) => {
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("end", () => resolve({ status: answer.statusCode, body: Buffer.concat(parts).toString() }));
    });
    sent.on("error", (error) => reject(Object.assign(error, { reusedSocket: sent.reusedSocket })));
    sent.end(body);
  });
}

const api = (server, method, path, body, login = OWNER) =>
  send(method, server.url + path, { headers: { authorization: bearer(login), "content-type": "application/json" }, body: body && JSON.stringify(body) });

let delivered = 0;

function deliver(server, event, payload) {
  const body = JSON.stringify(payload);
  delivered += 1;
  const signature = createHmac("sha256", SECRET).update(body).digest("hex");
  return send("POST", `${server.url}/webhooks/github`, {
    headers: {
      "content-type": "application/json", "x-github-event": event, "x-github-delivery": `m-${process.pid}-${delivered}`,
      "x-hub-signature-256": `sha256=${signature}`,
    },
    body,
  });
}

/** Stands between a server and its GitHub; notes when each request comes. */
async function noteRequests(apiUrl) {
  const github = new URL(apiUrl);
  const requests = [];
  const between = createServer((incoming, answer) => {
    requests.push(performance.now());
    const { method, url, headers } = incoming;
    const passed = request({ host: github.hostname, port: github.port, path: url, method, agent, headers: { ...headers, host: github.host } }, (response) => {
      answer.writeHead(response.statusCode, response.headers);
      response.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    incoming.pipe(passed);
  });
  await new Promise((resolve) => between.listen(0, "127.0.0.1", resolve));
  const quiet = async (ms) => {
    while (performance.now() - (requests.at(-1) ?? 0) < ms) await wait(100);
  };
  const stop = () => {
    between.close();
    between.closeAllConnections();
  };
  return { apiUrl: `http://127.0.0.1:${between.address().port}${github.pathname}`, requests, quiet, stop };
}

/** Opens a stream of events; calls with each piece of text. */
function listen(server, onText, login = OWNER) {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}/events`, { headers: { authorization: bearer(login) } }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`no stream for ${login}: ${answer.statusCode}`));
      answer.setEncoding("utf8");
      answer.on("data", onText);
      answer.on("error", () => {});
      resolve(() => sent.destroy());
    });
    sent.on("error", reject);
    sent.end();
  });
}

const ms = (value) => `${value.toFixed(1)} ms`;

/** As many requests as go in some seconds from so many hands; gives the rate and the p99. */
async function rate(hands, once) {
  const [end, times] = [performance.now() + SECONDS * 1000, []];
  const statuses = new Map();
  await Promise.all(Array.from({ length: hands }, async () => {
    while (performance.now() < end) {
      const begun = performance.now();
      const status = await once();
      times.push(performance.now() - begun);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }));
  return { aSecond: Math.round(times.length / SECONDS), p50: percentile(times, 0.5), p99: percentile(times, 0.99), statuses };
}

/** Gives the account that works a whole hour's quota of GitHub's: a start costs some six points, so that a thousand take more than an hour's. */
async function wholeQuota(forge) {
  for (const resource of ["core", "graphql"]) {
    const given = await forge.send("PUT", "/_forge/rate_limit", { body: { token: `forge-${OWNER}`, resource, remaining: 5_000 } });
    if (!given.ok) throw new Error(`the quota stays: ${given.status} ${await given.text()}`);
  }
}

/** What a process holds on to. */
const held = (pid) => ({ memory: memoryOf(pid).now, threads: readdirSync(`/proc/${pid}/task`).length, files: readdirSync(`/proc/${pid}/fd`).length });

/** What a server holds on to before and after so many seconds of use; what failed meanwhile. */
async function soak(server, forge, part, seconds) {
  const failed = new Map();
  const fail = (what) => failed.set(what, (failed.get(what) ?? 0) + 1);
  const counts = { changes: 0, repeats: 0, events: 0, questions: 0, streams: 0, told: 0 };
  let begun = 0;
  const goes = () => performance.now() < begun + seconds * 1000;
  const latencies = new Map();
  /** Sends something that has to be answered by one of these, and notes how long that took, and when. */
  const expect = async (what, asking, ...statuses) => {
    const at = performance.now();
    const answer = await asking();
    if (!statuses.includes(answer.status)) fail(`${what}: ${answer.status}`);
    const all = latencies.get(what) ?? [];
    latencies.set(what, all);
    all.push({ part: (at - begun) / (seconds * 1000), took: performance.now() - at });
  };
  const pull = () => 1 + Math.floor(Math.random() * LOOPS);
  const person = () => PEOPLE[Math.floor(Math.random() * PEOPLE.length)];
  const changes = async () => {
    for (; goes(); await wait(3_000)) {
      const number = pull();
      const closed = Math.random() < 0.5;
      await forge.send("PATCH", `${forge.apiUrl}/repos/${REPO}/pulls/${number}`, { body: { state: closed ? "closed" : "open" } });
      await expect("delivery", () => deliver(server, "pull_request", { action: closed ? "closed" : "reopened", repository: part, pull_request: { number } }), 202);
      counts.changes += 1;
    }
  };
  const repeats = async () => {
    for (; goes(); await wait(200)) {
      const payload = { action: "created", repository: part, starred_at: null };
      await expect("delivery that says nothing new", () => deliver(server, "star", payload), 202);
      counts.repeats += 1;
    }
  };
  const events = async () => {
    for (; goes(); await wait(10_000)) {
      // A loop that has ended may be retried, one that goes on may not: both are answers.
      const body = { id: `soak ${counts.events}`, type: "retry" };
      await expect("event", () => api(server, "POST", `/pr/${REPO}/${pull()}/event`, body, person()), 202, 409, 422);
      counts.events += 1;
    }
  };
  const questions = async () => {
    for (; goes(); await wait(250)) {
      await expect("status", () => api(server, "GET", `/pr/${REPO}/${pull()}/status`, undefined, person()), 200);
      counts.questions += 1;
    }
  };
  const streams = async () => {
    for (; goes(); ) {
      const hush = await listen(server, () => {}, person());
      await wait(1_000 + Math.random() * 4_000);
      hush();
      counts.streams += 1;
    }
  };
  const watching = [];
  for (const login of PEOPLE) {
    watching.push(await listen(server, () => (counts.told += 1), login));
    await wait(60);
  }
  await wait(10_000);
  const before = held(server.pid);
  begun = performance.now();
  await Promise.all([changes(), repeats(), events(), questions(), streams(), streams(), streams()]);
  await wait(10_000);
  const after = held(server.pid);
  watching.forEach((hush) => hush());
  return { before, after, counts, failed, latencies };
}

/** Prints what a soak came to; whether nothing grew and nothing failed. */
function report({ before, after, counts, failed, latencies }, seconds) {
  const rows = [["held", "before", "after"]];
  for (const what of Object.keys(before)) rows.push([what === "memory" ? "memory, KiB" : what, `${before[what]}`, `${after[what]}`]);
  const told = (all, wanted) => {
    const took = all.filter(({ part }) => wanted(part)).map(({ took }) => took);
    if (took.length === 0) return "none";
    return `p50 ${ms(percentile(took, 0.5))}, p99 ${ms(percentile(took, 0.99))}`;
  };
  for (const [what, all] of latencies) rows.push([what, told(all, (part) => part < 1 / 6), told(all, (part) => part > 5 / 6)]);
  table(rows);
  console.log(`${seconds} s: ${Object.entries(counts).map(([what, count]) => `${count} ${what}`).join(", ")}`);
  for (const [what, count] of failed) console.log(`${count} times ${what}`);
  return failed.size === 0 && after.memory <= before.memory * 1.25 && after.threads <= before.threads * 1.1 + 1 && after.files <= before.files * 1.1 + 1;
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "collie-measure-server-"));
  const [root, data] = [join(folder, "forge"), join(folder, "data")];
  let forge;
  let github;
  let server;
  try {
    await makeSample(join(folder, "sample"), { base: { "README.md": "# Sample\n" }, count: LOOPS, change: (number) => ({ [`part_${number}.txt`]: `${number}\n` }) });
    await run(collie, ["forge", "import", "--root", root, "--repo", REPO, "--git", join(folder, "sample")]);
    forge = await startForge(collie, root);
    for (let number = 1; number <= LOOPS; number += 1) {
      const body = { title: `Part ${number}`, head: `change-${number}`, base: "main" };
      await forge.send("POST", `${forge.apiUrl}/repos/${REPO}/pulls`, { body });
    }
    for (const login of PEOPLE) await forge.send("POST", "/_forge/accounts", { body: { login } });
    const roles = Object.fromEntries(PEOPLE.map((login) => [login, "collaborator"]));
    const settled = await forge.send("PATCH", `/_forge/repos/${REPO}`, { body: { roles } });
    if (!settled.ok) throw new Error(`the people have no role: ${settled.status} ${await settled.text()}`);
    github = await noteRequests(forge.apiUrl);
    mkdirSync(data);
    writeFileSync(join(data, "config.toml"), 'poll_interval = "1h"\nready_poll_interval = "1h"\nautonomy = "observe"\nno_checks_grace = "1s"\n');
    const first = await serve(data, github.apiUrl);
    await first.stop();
    server = await serve(data, github.apiUrl);
    const rows = [["what", "", ""]];
    rows.push(["start to ready, new folder", ms(first.took), ""], ["start to ready, again", ms(server.took), ""]);

    for (let number = 1; number <= LOOPS; number += 1) {
      if (number % 500 === 0) await wholeQuota(forge);
      const started = await api(server, "POST", `/pr/${REPO}/${number}/event`, { id: `start ${number}`, type: "start" });
      if (started.status !== 202) throw new Error(`#${number} was not started: ${started.status} ${started.body}`);
      await wait(60);
    }
    // A loop that was read within the last 5 s is read again only when these are over: that wait is none of the server's.
    await github.quiet(6_000);
    const repository = await (await forge.send("GET", `${forge.apiUrl}/repos/${REPO}`)).json();
    const part = { full_name: REPO, node_id: repository.node_id };

    if (option.soak) {
      await wholeQuota(forge);
      const seconds = Number(option.soak);
      process.exitCode = report(await soak(server, forge, part, seconds), seconds) ? 0 : 1;
      return;
    }

    // From the delivery until the stream tells what came of it.
    const [answers, asked, effects] = [[], [], []];
    let heard = () => {};
    const hush = await listen(server, (text) => heard(text));
    for (let number = 1; number <= LOOPS; number += 1) {
      await forge.send("PATCH", `${forge.apiUrl}/repos/${REPO}/pulls/${number}`, { body: { state: "closed" } });
      const told = new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`nothing was told of #${number}`)), 30_000);
        heard = (text) => {
          if (text.includes(`${REPO}#${number}"`) && text.includes('"closed"')) {
            clearTimeout(timer);
            resolve(performance.now());
          }
        };
      });
      const begun = performance.now();
      const before = github.requests.length;
      const answer = await deliver(server, "pull_request", { action: "closed", repository: part, pull_request: { number } });
      if (answer.status !== 202) throw new Error(`refused: ${answer.status} ${answer.body}`);
      answers.push(performance.now() - begun);
      effects.push((await told) - begun);
      asked.push(github.requests[before] - begun);
    }
    hush();
    rows.push(["delivery to its answer", `p50 ${ms(percentile(answers, 0.5))}`, `p99 ${ms(percentile(answers, 0.99))}`]);
    rows.push([`delivery to GitHub being asked, of ${LOOPS}`, `p50 ${ms(percentile(asked, 0.5))}`, `p99 ${ms(percentile(asked, 0.99))}`]);
    rows.push([`delivery to the stream, of ${LOOPS}`, `p50 ${ms(percentile(effects, 0.5))}`, `p99 ${ms(percentile(effects, 0.99))}`]);

    const before = memoryOf(server.pid);
    const burst = performance.now();
    let left = DELIVERIES;
    let lost = 0;
    const payload = { action: "assigned", repository: part, pull_request: { number: 1 }, more: "x".repeat(30_000) };
    await Promise.all(Array.from({ length: 64 }, async () => {
      while (left > 0) {
        left -= 1;
        if ((await deliver(server, "pull_request", payload)).status !== 202) lost += 1;
      }
    }));
    const took = (performance.now() - burst) / 1000;
    const after = memoryOf(server.pid);
    rows.push([`burst of ${DELIVERIES} of 30 KB`, `${Math.round(DELIVERIES / took)} a second, ${lost} lost`, `${((after.peak - before.peak) / 1024).toFixed(1)} MiB more at the peak`]);

    // One person is let ask twenty times a second: what the server can is seen by what needs nobody, and by refusals, which are counted apart.
    const health = await rate(16, async () => (await send("GET", `${server.url}/healthz`)).status);
    rows.push(["GET /healthz", `${health.aSecond} a second`, `p99 ${ms(health.p99)}`]);
    const status = await rate(16, async () => (await api(server, "GET", `/pr/${REPO}/1/status`)).status);
    rows.push(["GET …/status, one person", `${Math.round((status.statuses.get(200) ?? 0) / SECONDS)} answered a second, ${status.aSecond} asked`, `p99 ${ms(status.p99)}`]);

    await wait(2_000);
    const quiet = memoryOf(server.pid);
    const streams = [];
    for (let number = 0; number < WATCHING; number += 1) {
      streams.push(await listen(server, () => {}));
      await wait(60);
    }
    await wait(2_000);
    const watched = memoryOf(server.pid);
    rows.push([`${WATCHING} watching`, `${((watched.now - quiet.now) / WATCHING).toFixed(0)} KiB each`, `${(watched.now / 1024).toFixed(1)} MiB in all`]);
    streams.forEach((end) => end());
    table(rows);
  } finally {
    await server?.stop();
    github?.stop();
    await forge?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
