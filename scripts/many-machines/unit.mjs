// A program that is started again when it ends by itself, as its unit of systemd does.

import { setTimeout as wait } from "node:timers/promises";

const RESTART_MS = 1_000;

/** Starts a unit: `begin` starts the program once. `restarts` counts the times that it ended by itself. */
export function startUnit(name, home, begin) {
  const unit = { name, home, restarts: 0, isFrozen: false };
  let isOver = false;
  let isKilled = false;
  const run = () => {
    const own = begin();
    unit.process = own;
    own.ended.then(async () => {
      if (isOver || isKilled) return;
      unit.restarts += 1;
      await wait(RESTART_MS);
      // Who killed it meanwhile has started it as well.
      if (!isOver && unit.process === own && !isKilled) run();
    });
  };
  unit.kill = async () => {
    isKilled = true;
    await unit.process.end("SIGKILL");
    isKilled = false;
    run();
  };
  unit.stop = async () => {
    isOver = true;
    unit.process.child.kill("SIGCONT");
    await unit.process.end("SIGTERM");
  };
  run();
  return unit;
}
