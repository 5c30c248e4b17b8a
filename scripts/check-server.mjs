// Has foreign clients judge a running `collie serve`: schemathesis its API by the description that it gives of it, and Prometheus' own parser
// its metrics. Both live in an environment of their own below target/ (pip, PyPI). Without python3 nothing is tried, and the line says so.
// Needs a built `collie` (target/debug first) and git.

import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { forgeWorld, OWNER, REPO } from "./forge-world.mjs";
import { environment, findCollie, run, startServer } from "./on-a-forge.mjs";
import { pythonEnvironment } from "./python-environment.mjs";

const scripts = dirname(fileURLToPath(import.meta.url));
const long = Boolean(process.env.COLLIE_TEST_LONG);

/** Cases of one operation and phase. */
const EXAMPLES = long ? 300 : 12;
/** The server lets one person ask twenty times a second: beyond that it would be judged by its refusals. */
const RATE = "15/s";
/** Cases that have to be tried, so that it does not pass by trying nothing. */
const AT_LEAST = 100;
/** Whether a token is good is for GitHub to say, and no schema can. */
const CONFIG = `
[[operations]]
include-name = "PUT /accounts/{login}"

[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "422", "429", "5xx"]
`;

function hasPython() {
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Starts a server on a data folder of its own; gives its address, and what ends it. */
async function serve(forge) {
  const home = mkdtempSync(join(tmpdir(), "collie-server-"));
  const data = join(home, "data");
  mkdirSync(data);
  writeFileSync(join(data, "config.toml"), 'poll_interval = "1h"\nready_poll_interval = "1h"\n');
  const env = {
    ...process.env, ...environment(data, forge.apiUrl),
    GITHUB_TOKEN: `forge-${OWNER}`, GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS: OWNER, COLLIE_WEBHOOK_SECRET: "secret",
  };
  const { url, stop } = await startServer(findCollie("debug", "release"), { env });
  const end = async () => {
    await stop();
    rmSync(home, { recursive: true, force: true });
  };
  return { url, end };
}

/** The API by its own description. The stream of events never ends, so it has tests of its own. */
async function judgeApi(bin, url) {
  const folder = mkdtempSync(join(tmpdir(), "collie-schemathesis-"));
  try {
    writeFileSync(join(folder, "schemathesis.toml"), CONFIG);
    const args = [
      "run", `${url}/openapi.json`, "--exclude-path", "/events", "--header", `Authorization: Bearer forge-${OWNER}`, "--checks", "all",
      // The token is never left out: whether it is asked for is tested by the server's own tests.
      "--exclude-checks", "ignored_auth",
      "--max-examples", String(EXAMPLES), "--rate-limit", RATE, "--seed", "1", "--no-color", "--generation-database", "none",
    ];
    return await promisify(execFile)(join(bin, "schemathesis"), args, { cwd: folder, maxBuffer: 1 << 26, timeout: long ? 1_800_000 : 240_000 }).then(
      ({ stdout }) => ({ ok: true, told: stdout }),
      (error) => ({ ok: false, told: `${error.stdout ?? ""}${error.stderr ?? ""}${error.killed ? "it took too long" : ""}` }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The metrics, by the parser that Prometheus' own client brings; gives how many families there are. */
async function judgeMetrics(bin, url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const file = join(mkdtempSync(join(tmpdir(), "collie-metrics-")), "metrics");
  writeFileSync(file, text);
  const program = `
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as plain
text = open(sys.argv[1]).read()
families = list(openmetrics(text))
assert all(family.documentation and family.type != "unknown" for family in families)
assert {sample.name for family in families for sample in family.samples} == {sample.name for family in plain(text) for sample in family.samples}
print(len(families))
`;
  try {
    return Number(await run(join(bin, "python"), ["-c", program, file]));
  } finally {
    rmSync(dirname(file), { recursive: true, force: true });
  }
}

async function check() {
  const bin = await pythonEnvironment("server-judges");
  const { forge, end } = await forgeWorld();
  let server;
  const started = Date.now();
  try {
    const body = { title: "Feature", head: "feature", base: "main" };
    await forge.send("POST", `${forge.apiUrl}/repos/${OWNER}/${REPO}/pulls`, { login: OWNER, body });
    server = await serve(forge);
    const event = await fetch(`${server.url}/pr/${OWNER}/${REPO}/1/event`, {
      method: "POST",
      headers: { authorization: `Bearer forge-${OWNER}`, "content-type": "application/json" },
      body: JSON.stringify({ id: "start", type: "start" }),
    });
    if (event.status !== 202) throw new Error(`the loop was not started: ${event.status} ${await event.text()}`);
    const { ok, told } = await judgeApi(bin, server.url);
    const tried = Number(told.match(/(\d+) generated/)?.[1] ?? 0);
    const families = await judgeMetrics(bin, server.url);
    if (!ok || tried < AT_LEAST) console.error(told);
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    console.log(`schemathesis on the server: ${tried} cases, ${ok ? "no fault" : "faults"}; ${families} families of metrics read; ${seconds} s`);
    return ok && tried >= AT_LEAST && families > 5;
  } finally {
    await server?.end();
    await end();
  }
}

if (hasPython()) process.exitCode = (await check()) ? 0 : 1;
else console.log("schemathesis on the server: not tried, there is no python3");
