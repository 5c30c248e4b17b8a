// A small disk of its own for a data folder, which can be filled to the last byte and freed. It is a file system in a file, so that what is written
// costs as much as beside it; where that cannot be mounted, one in memory.

import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

const mounted = new Set();
const quietly = (program, ...args) => execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"] });

function unmount(folder) {
  if (!mounted.delete(folder)) return;
  try {
    quietly("umount", "--lazy", folder);
  } catch (error) {
    console.error(`${folder} stays mounted: ${error.message}`);
  }
}

/** Takes all of them off, however the play ends. */
export const unmountAll = () => mounted.forEach(unmount);

function mountFile(folder, megabytes) {
  const image = `${folder}.ext4`;
  writeFileSync(image, "");
  truncateSync(image, megabytes * 1024 * 1024);
  quietly("mkfs.ext4", "-q", "-m", "0", "-i", "4096", image);
  quietly("mount", "-o", "loop", image, folder);
}

/** Makes the folder on a disk of its own; gives why not, where that is not allowed. */
export function mountDisk(folder, megabytes) {
  mkdirSync(folder, { recursive: true });
  const reasons = [];
  for (const mount of [mountFile, (at, size) => quietly("mount", "-t", "tmpfs", "-o", `size=${size}m`, "tmpfs", at)]) {
    try {
      mount(folder, megabytes);
      mounted.add(folder);
      return undefined;
    } catch (error) {
      reasons.push((error.stderr?.toString() || error.message).trim().split("\n")[0]);
    }
  }
  return reasons.join("; ");
}

/** Fills the disk of a folder to the last byte; gives what frees it. */
export function fill(folder) {
  const file = join(folder, "filler");
  const { bavail, bsize } = statfsSync(folder);
  try {
    quietly("fallocate", "--length", String(Math.max(bsize, bavail * bsize)), file);
  } catch {
    // What is left of it is written below.
  }
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
