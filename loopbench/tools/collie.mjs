// Starts `collie watch` on the pull request of a case: settings by what the bench says, short times, and the bench's agent as the fixer.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findCollie } from "../../scripts/on-a-forge.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { env } = process;
const home = join(env.LOOPBENCH_HOME, "collie");
const text = JSON.stringify;
const bots = env.LOOPBENCH_BOTS.split(",").filter(Boolean).map((login) => login.replace(/\[bot\]$/, ""));

/** Everything is near and quick here; a real day's limits would only be waited for. */
const settings = `allowed_users = [${text(env.LOOPBENCH_LOGIN)}]
poll_interval = "${env.LOOPBENCH_POLL_SECONDS}s"
ready_poll_interval = "2s"
no_checks_grace = "1s"
collect_failures_for = "2s"
external_bot_timeout = "8s"
ci_check_timeout = "40s"
expected_bots = ${text(bots)}

[llm]
provider = "compatible"
model = ${text(env.LOOPBENCH_MODEL)}
url = ${text(env.LOOPBENCH_MODEL_URL)}

[fixer]
runs_on = "bench"

[agents.bench]
command = [${text(process.execPath)}, ${text(join(here, "agent.mjs"))}, ${text(env.LOOPBENCH_MODEL_URL)}]
hosts = [${text(new URL(env.LOOPBENCH_MODEL_URL).host)}]
readable = [${text(here)}]
`;

mkdirSync(home, { recursive: true });
writeFileSync(join(home, "config.toml"), settings);
const child = spawn(findCollie("debug", "release"), ["watch", `${env.LOOPBENCH_REPO}#${env.LOOPBENCH_PULL}`, "--json", "--autonomy", "push", "--until-settled"], {
  stdio: ["ignore", "inherit", "inherit"],
  env: {
    ...env, COLLIE_HOME: home, GITHUB_API_URL: env.LOOPBENCH_API_URL, GITHUB_TOKEN: env.LOOPBENCH_TOKEN, LLM_API_KEY: env.LOOPBENCH_MODEL_KEY, GH_CONFIG_DIR: join(home, "no-gh"),
  },
});
child.on("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
child.on("close", (status) => process.exit(status ?? 1));
