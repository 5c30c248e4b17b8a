// What processes and folders take, as the system counts it.

import { existsSync, readFileSync } from "node:fs";
import { memoryOf, run } from "../on-a-forge.mjs";

/** Of a second of a processor, as Linux counts them. */
const TICKS = 100;
const LOOK_MS = 1_000;

/** Seconds of processors that a process and those of its children that have ended took. */
function processorOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
  } catch {
    return 0;
  }
}

/** Looks each second at what these processes take; gives the most memory together in MiB, and all seconds of processors. */
export function watchLoad(processes) {
  const seconds = new Map();
  let memory = 0;
  const look = () => {
    const pids = processes().map(({ child }) => child.pid);
    for (const pid of pids) seconds.set(pid, Math.max(seconds.get(pid) ?? 0, processorOf(pid)));
    memory = Math.max(memory, pids.reduce((sum, pid) => sum + (memoryOf(pid)?.now ?? 0), 0));
  };
  const looking = setInterval(look, LOOK_MS);
  return () => {
    look();
    clearInterval(looking);
    return { memoryMiB: Math.round(memory / 1024), processorSeconds: Math.round([...seconds.values()].reduce((sum, one) => sum + one, 0)) };
  };
}

/** What those of these folders that there are take on the disk, in MiB. */
export async function diskOf(folders) {
  const said = await run("du", ["-sk", ...folders.filter((folder) => existsSync(folder))]);
  return Math.round(said.trim().split("\n").reduce((sum, line) => sum + Number(line.split("\t")[0]), 0) / 1024);
}
