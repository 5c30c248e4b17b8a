// A small disk of its own for a data folder, in memory, which can be filled to the last byte and freed at once.

import { execFile, execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, renameSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const mounted = new Set();
const run = promisify(execFile);

function unmount(folder) {
  if (!mounted.delete(folder)) return;
  try {
    execFileSync("umount", ["--lazy", folder], { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    console.error(`${folder} stays mounted: ${error.message}`);
  }
}

/** Takes all of them off, however the play ends. */
export const unmountAll = () => [...mounted].forEach(unmount);

/** Takes one off, and leaves what lay on it in its place. */
function keep(folder) {
  const copy = `${folder}-kept`;
  execFileSync("cp", ["--archive", folder, copy]);
  unmount(folder);
  rmSync(folder, { recursive: true });
  renameSync(copy, folder);
}

/** The same with all: they are looked at after the play. */
export const keepAll = () => [...mounted].forEach(keep);

/** Makes the folder on a disk of its own; gives why not, where that is not allowed. */
export function mountDisk(folder, megabytes) {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: ["ignore", "ignore", "pipe"] });
    mounted.add(folder);
    return undefined;
  } catch (error) {
    return (error.stderr?.toString() || error.message).trim().split("\n")[0];
  }
}

/** Fills the disk of a folder to the last byte; gives what frees it. */
export async function fill(folder) {
  const file = join(folder, "filler");
  const { bavail, bsize } = statfsSync(folder);
  // Who writes meanwhile may have taken a part of it: what is left is written below.
  await run("fallocate", ["--length", String(Math.max(bsize, bavail * bsize)), file]).catch(() => {});
  const to = openSync(file, "a");
  for (const size of [65_536, 4_096, 1]) {
    const bytes = Buffer.alloc(size);
    try {
      while (writeSync(to, bytes) === size);
    } catch (error) {
      if (error.code !== "ENOSPC") throw error;
    }
  }
  closeSync(to);
  return () => rmSync(file, { force: true });
}
