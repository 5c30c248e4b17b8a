// A few loops on the durable engine while things break, by a fresh seed: see many-machines.mjs, which plays as many as one likes.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const scripts = dirname(fileURLToPath(import.meta.url));
const installed = join(scripts, "../tests/restate/node_modules/@restatedev");
if (process.env.COLLIE_RESTATE_SERVER || existsSync(installed)) {
  const size = process.env.COLLIE_TEST_LONG ? ["--loops", "200", "--faults", "60"] : ["--loops", "12", "--faults", "5"];
  const { status } = spawnSync(process.execPath, [join(scripts, "many-machines.mjs"), ...size, "--within", "1200"], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} else console.log("loops on the durable engine: not tried, there is no restate-server (`bash scripts/setup.sh --tests` brings one)");
