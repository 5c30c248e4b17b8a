// Measures the resident memory of `collie watch` with 1, 10 and 100 loops, at work and idle.
//
//   node scripts/measure-memory.mjs [--loops N,N,…] [--idle SECONDS]
//
// Makes a small repository with as many branches as loops, and a pull request of each, on a local forge; watches until
// all are ready, then as long as --idle says (20). For each number it prints the highest that Linux counted (VmHWM) when
// all were ready and at the end, and what it was at the end (VmRSS); then what each further loop took between the
// smallest and the largest number. Needs git, Linux and a built `collie`; the environment variable COLLIE names another
// than the one in target/.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { findCollie, makeSample, OWNER, run, startForge, table, watch } from "./on-a-forge.mjs";

const { values: option } = parseArgs({
  options: { loops: { type: "string", default: "1,10,100" }, idle: { type: "string", default: "20" } },
});
const collie = findCollie();
const CONFIG = 'poll_interval = "1s"\nready_poll_interval = "1s"\nno_checks_grace = "1s"\nexternal_bot_timeout = "1s"\n';

/** Watches `loops` loops; gives the row of the table, in MiB. */
async function measure(loops) {
  const folder = mkdtempSync(join(tmpdir(), "collie-memory-"));
  const root = join(folder, "forge");
  const repo = `${OWNER}/sample`;
  let forge;
  try {
    await makeSample(join(folder, "sample"), { base: { "README.md": "# Sample\n" }, count: loops, change: (number) => ({ [`part_${number}.py`]: `def part():\n    return ${number}\n` }) });
    await run(collie, ["forge", "import", "--root", root, "--repo", repo, "--git", join(folder, "sample")]);
    for (let number = 1; number <= loops; number += 1) {
      const branches = ["--base", "main", "--head", `change-${number}`, "--title", `Part ${number}`];
      await run(collie, ["forge", "open-pr", "--root", root, "--repo", repo, ...branches]);
    }
    forge = await startForge(collie, root);
    const ready = new Set();
    const start = Date.now();
    let allReady;
    const reached = new Promise((resolve) => {
      allReady = resolve;
    });
    const watching = watch({
      collie, apiUrl: forge.apiUrl, home: join(folder, "home"), repo, config: CONFIG,
      onLine: (line) => {
        if (line.state === "pr_ready_to_merge") ready.add(line.key);
        if (ready.size === loops) allReady();
      },
    });
    const status = await Promise.race([reached, watching.ended]);
    if (status !== undefined) throw new Error(`collie watch ended with ${status}: ${watching.seen.said.join("\n")}`);
    const seconds = (Date.now() - start) / 1000;
    await wait(500);
    const atWork = watching.seen.memory;
    await wait(Number(option.idle) * 1000);
    const idle = watching.seen.memory;
    watching.stop();
    await watching.ended;
    return { loops, seconds, work: atWork.peak, peak: idle.peak, idle: idle.now };
  } finally {
    await forge?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const results = [];
for (const loops of option.loops.split(",").map(Number)) results.push(await measure(loops));
const mib = (kib) => `${(kib / 1024).toFixed(1)} MiB`;
table([
  ["loops", "seconds to ready", "peak when all were ready", `peak after ${option.idle} s more`, "resident at the end"],
  ...results.map((r) => [r.loops, r.seconds.toFixed(1), mib(r.work), mib(r.peak), mib(r.idle)]),
]);
const [first, last] = [results[0], results.at(-1)];
if (last.loops > first.loops) {
  const each = (last.idle - first.idle) / (last.loops - first.loops);
  console.log(`\neach further loop: ${each.toFixed(0)} KiB resident`);
}
