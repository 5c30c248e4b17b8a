// Makes the container's root file system (packaging/image/rootfs.sh) and tries it without a daemon, by bubblewrap: as an account that is not root, with a
// data folder as all that can be written. `collie --version`, `collie doctor`, and a review of a pull request on a local forge. Prints the size.
// By hand: it fetches Debian's packages. Needs a built `collie` (release first), git, bubblewrap and apt.
//
//   node scripts/image.mjs [--keep DIR]

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { OWNER, REPO, forgeWorld } from "./forge-world.mjs";
import { findCollie } from "./on-a-forge.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** What an image may take, in bytes. */
const LIMIT = 150e6;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

const collie = findCollie("release", "debug");
const folder = mkdtempSync(join(tmpdir(), "collie-image-"));
const image = join(folder, "rootfs");
const program = join(folder, "collie");
execFileSync("strip", ["--strip-all", "-o", program, collie]);
const { forge, end } = await forgeWorld();
try {
  const size = Number(execFileSync("bash", [join(root, "packaging/image/rootfs.sh"), program, image], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim());
  const own = statSync(program).size;
  console.log(`root file system: ${megabytes(size)}, of which collie ${megabytes(own)}`);
  const home = join(folder, "home");
  mkdirSync(home);
  const inside = (...args) => execFileSync("bwrap", [
    "--unshare-user", "--uid", "10001", "--gid", "10001", "--unshare-pid", "--die-with-parent", "--clearenv", "--ro-bind", image, "/", "--proc", "/proc", "--dev", "/dev",
    "--tmpfs", "/tmp", "--bind", home, "/var/lib/collie", "--setenv", "PATH", "/usr/bin", "--setenv", "COLLIE_HOME", "/var/lib/collie", "--setenv", "HOME", "/var/lib/collie",
    "--setenv", "LANG", "C.UTF-8", "--setenv", "SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt", "--setenv", "GITHUB_API_URL", forge.apiUrl, "--setenv", "GITHUB_TOKEN", `forge-${OWNER}`,
    "/usr/bin/collie", ...args,
  ], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  console.log(inside("--version").trim());
  const opened = await forge.send("POST", `/api/v3/repos/${OWNER}/${REPO}/pulls`, { login: "ben", body: { title: "Work", head: "feature", base: "main" } });
  assert.equal(opened.status, 201);
  const line = JSON.parse(inside("review", `${OWNER}/${REPO}#1`, "--dry-run", "--json").trim().split("\n").at(-1));
  assert.equal(line.type, "review");
  console.log(`reviewed ${line.key}: ${line.conclusion}, by ${line.reviewers}`);
  if (collie.includes("/release/")) assert.ok(size < LIMIT, `${megabytes(size)} is more than ${megabytes(LIMIT)}`);
  else console.log("the program is no release build: its size says nothing");
} finally {
  await end();
  if (process.argv[2] === "--keep") execFileSync("cp", ["-a", image, process.argv[3]]);
  rmSync(folder, { recursive: true, force: true });
}
