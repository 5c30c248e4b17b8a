// Runs commands that end: each within its time, and all of them with this program.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** How long the children of a command that has ended may hold its output open. */
const LAST_WORDS_MS = 5000;

/** What runs now. Each is a process group of its own, which ends as one. */
const running = new Set();

function killGroup(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    running.forEach(killGroup);
    process.exit(1);
  });
}

/** Runs a command; hands each line of its output on; resolves to its exit status and everything it said. */
export function runCommand(command, args, { onLine = () => {}, env = process.env, cwd = process.cwd(), minutes }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    running.add(child);
    const lines = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        onLine(line);
      });
    }
    const overdue = setTimeout(() => {
      lines.push(`${command} did not end within ${minutes} minutes, and was killed`);
      killGroup(child);
    }, minutes * 60_000);
    const settle = (status) => {
      clearTimeout(overdue);
      running.delete(child);
      resolve({ status, lines });
    };
    child.on("error", (error) => {
      lines.push(String(error));
      settle(127);
    });
    const closeOutput = () => [child.stdout, child.stderr].forEach((stream) => stream.destroy());
    child.on("exit", () => setTimeout(closeOutput, LAST_WORDS_MS).unref());
    child.on("close", (status) => settle(status ?? 1));
  });
}
