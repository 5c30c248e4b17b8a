// How Collie is set for the play: the same for workers and for the one process.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TOOL_LOGIN } from "../loopbench/world.mjs";

const tools = join(dirname(fileURLToPath(import.meta.url)), "../../loopbench/tools");
const text = JSON.stringify;
/** So many loops are read a second at most. */
const READINGS_A_SECOND = 40;

/** Seconds between two readings of a loop that works, and of one that is ready. */
export function pollsOf(loops) {
  const poll = Math.max(1, Math.ceil(loops / READINGS_A_SECOND));
  return { poll, ready: Math.max(2, 2 * poll) };
}

/** The text of `config.toml`. No loop may end only for having waited in the queue: what a case waits for in vain, its own repository says. */
export function settings({ loops, modelUrl, slots }) {
  const { poll, ready } = pollsOf(loops);
  return `allowed_users = [${text(TOOL_LOGIN)}]
autonomy = "push"
slots = ${slots}
poll_interval = "${poll}s"
ready_poll_interval = "${ready}s"
no_checks_grace = "1s"
collect_failures_for = "2s"
external_bot_timeout = "3m"
ci_check_timeout = "1h"
session_retries = 10

[llm]
provider = "compatible"
model = "scripted"
url = ${text(modelUrl)}

[fixer]
runs_on = "bench"

[agents.bench]
command = [${text(process.execPath)}, ${text(join(tools, "agent.mjs"))}, ${text(modelUrl)}]
hosts = [${text(new URL(modelUrl).host)}]
readable = [${text(tools)}]
`;
}

/** Whose account works, beside what every process is told. */
export const ACCOUNT = { GITHUB_TOKEN: `forge-${TOOL_LOGIN}`, GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS: TOOL_LOGIN, LLM_API_KEY: "scripted-key" };
