// What the scripts that judge the forge play on: a forge with one repository, its people and a few branches.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findCollie, run, startForge } from "./on-a-forge.mjs";

/** Who owns the repository; the others' roles are below. */
export const OWNER = "octo";
export const REPO = "kennel";

const CHECKS = `
[[check]]
name = "build"
run = "true"

[[check]]
name = "test"
workflow = "Nightly"
event = "push"
run = "echo 'src/app.txt:2:1: error: not a dog'; exit 1"
`;

/** Branches by name: the files that they change. */
const BRANCHES = {
  feature: { "src/app.txt": "one\ntwo and a half\nthree\n", "src/new.txt": "new\n" },
  other: { "README.md": "# Kennel\n\nFor dogs.\n" },
  third: { "docs/a.md": "a\n" },
  conflict: { "src/app.txt": "one\nTWO\nthree\n" },
};

async function git(folder, ...args) {
  const who = ["-c", "user.name=Octo", "-c", "user.email=octo@users.noreply.github.com", "-c", "init.defaultBranch=main"];
  return run("git", [...who, ...args], { cwd: folder });
}

function write(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

async function makeRepository(folder, checks) {
  mkdirSync(folder);
  await git(folder, "init", "--quiet");
  write(folder, { "README.md": "# Kennel\n", "src/app.txt": "one\ntwo\nthree\n", ".forge.toml": checks });
  await git(folder, "add", ".");
  await git(folder, "commit", "--quiet", "--message", "Begin");
  for (const [branch, files] of Object.entries(BRANCHES)) {
    await git(folder, "checkout", "--quiet", "-b", branch, "main");
    write(folder, files);
    await git(folder, "add", ".");
    await git(folder, "commit", "--quiet", "--message", `Work on ${branch}`);
  }
  await git(folder, "checkout", "--quiet", "main");
}

/** Starts a forge with the repository in it, and with other checks where those are given; gives the forge, and what ends it and removes all of it. */
export async function forgeWorld({ checks = CHECKS } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "collie-world-"));
  const source = join(folder, "source");
  await makeRepository(source, checks);
  const forge = await startForge(findCollie("debug"), join(folder, "forge"));
  const control = async (method, path, body) => {
    const answer = await forge.send(method, `/_forge/${path}`, { login: OWNER, body });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  await control("POST", "import", { repo: `${OWNER}/${REPO}`, path: source });
  await control("PATCH", `repos/${OWNER}/${REPO}`, {
    roles: { ana: "collaborator", ben: "member", kim: "reader" },
    protection: { main: { required_checks: ["build"], strict: false, required_reviews: 0 } },
    description: "A kennel",
  });
  const end = async () => {
    await forge.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { forge, folder, control, end, git: (...args) => git(source, ...args), source };
}
