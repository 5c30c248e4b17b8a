// Makes the container's root file system (packaging/image/rootfs.sh) and tries it without a daemon, by bubblewrap: as an account that is not root, with a
// data folder as all that can be written. `collie --version`, a review of a pull request on a local forge, and `collie serve` until it is ready.
// Prints the size, and how long that took.
// By hand: it fetches Debian's packages. Needs a built `collie` (release first), git, bubblewrap and apt.
//
//   node scripts/image.mjs [--keep DIR]

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { OWNER, REPO, forgeWorld } from "./forge-world.mjs";
import { findCollie } from "./on-a-forge.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** What an image may take, in bytes. */
const LIMIT = 150e6;
/** How long a server may take until it is ready, in milliseconds. */
const READY_LIMIT = 2_000;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** A port that nobody listens on. */
const freePort = () =>
  new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });

/** Starts the server; how long it takes until it says that it is ready, in milliseconds. */
async function timeUntilReady(command) {
  const port = await freePort();
  const [program, ...args] = command("serve", `--listen=127.0.0.1:${port}`);
  const began = performance.now();
  const server = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  try {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      if (answer?.ok) return performance.now() - began;
      assert.ok(server.exitCode === null && performance.now() - began < 30_000, "the server does not become ready");
      await sleep(20);
    }
  } finally {
    server.kill();
    if (server.exitCode === null) await new Promise((ended) => server.once("exit", ended));
  }
}

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
  const command = (...args) => [
    "bwrap", "--unshare-user", "--uid", "10001", "--gid", "10001", "--unshare-pid", "--die-with-parent", "--clearenv", "--ro-bind", image, "/", "--proc", "/proc", "--dev", "/dev",
    "--tmpfs", "/tmp", "--bind", home, "/var/lib/collie", "--setenv", "PATH", "/usr/bin", "--setenv", "COLLIE_HOME", "/var/lib/collie", "--setenv", "HOME", "/var/lib/collie",
    "--setenv", "LANG", "C.UTF-8", "--setenv", "SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt", "--setenv", "GITHUB_API_URL", forge.apiUrl, "--setenv", "GITHUB_TOKEN", `forge-${OWNER}`,
    "/usr/bin/collie", ...args,
  ];
  const inside = (...args) => {
    const [program, ...rest] = command(...args);
    return execFileSync(program, rest, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  };
  console.log(inside("--version").trim());
  const opened = await forge.send("POST", `/api/v3/repos/${OWNER}/${REPO}/pulls`, { login: "ben", body: { title: "Work", head: "feature", base: "main" } });
  assert.equal(opened.status, 201);
  const line = JSON.parse(inside("review", `${OWNER}/${REPO}#1`, "--dry-run", "--json").trim().split("\n").at(-1));
  assert.equal(line.type, "review");
  console.log(`reviewed ${line.key}: ${line.conclusion}, by ${line.reviewers}`);
  const ready = await timeUntilReady(command);
  console.log(`ready to serve after ${Math.round(ready)} ms`);
  assert.ok(ready < READY_LIMIT, `it took longer than ${READY_LIMIT} ms`);
  if (collie.includes("/release/")) assert.ok(size < LIMIT, `${megabytes(size)} is more than ${megabytes(LIMIT)}`);
  else console.log("the program is no release build: its size says nothing");
} finally {
  await end();
  if (process.argv[2] === "--keep") execFileSync("cp", ["-a", image, process.argv[3]]);
  rmSync(folder, { recursive: true, force: true });
}
