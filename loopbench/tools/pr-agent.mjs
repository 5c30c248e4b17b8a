// Has PR-Agent do what it does of a loop: its review, and its suggestions as comments on lines. It ends with what they end with.

import { spawnSync } from "node:child_process";

const { env } = process;
const settings = {
  GITHUB__BASE_URL: env.LOOPBENCH_API_URL, GITHUB__USER_TOKEN: env.LOOPBENCH_TOKEN, OPENAI__KEY: env.LOOPBENCH_MODEL_KEY, OPENAI__API_BASE: env.LOOPBENCH_MODEL_URL,
  CONFIG__MODEL: "openai/gpt-4o", CONFIG__FALLBACK_MODELS: "[]", CONFIG__LOG_LEVEL: "ERROR", LITELLM_LOCAL_MODEL_COST_MAP: "True",
  PR_CODE_SUGGESTIONS__COMMITABLE_CODE_SUGGESTIONS: "true",
};
for (const command of ["review", "improve"]) {
  const { status, error } = spawnSync(env.PR_AGENT, [`--pr_url=${env.LOOPBENCH_PULL_URL}`, command], { env: { ...env, ...settings }, stdio: "inherit" });
  if (error) console.error(error.message);
  if (status !== 0) process.exit(status ?? 1);
}
