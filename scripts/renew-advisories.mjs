// Writes the snapshot of RustSec's advisories anew that `cargo test` holds Cargo.lock against, without a network:
//
//   git clone --depth 1 https://github.com/rustsec/advisory-db ADVISORY_DB
//   node scripts/renew-advisories.mjs ADVISORY_DB
//
// Kept are the advisories of crates in Cargo.lock, without their prose, and the names of all other crates that have any: a crate
// of those that is added later is reported by the test until this is run again.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [database] = process.argv.slice(2);
if (!database) {
  console.error("usage: node scripts/renew-advisories.mjs ADVISORY_DB");
  process.exit(2);
}
const folder = "crates/cli/tests/architecture/advisories";
const git = (...args) => execFileSync("git", ["-C", database, ...args], { encoding: "utf8", maxBuffer: 64 << 20 });
const locked = new Set([...readFileSync("Cargo.lock", "utf8").matchAll(/^name = "(.+)"$/gm)].map((match) => match[1]));
const [commit, date] = git("log", "-1", "--format=%H %cs").trim().split(" ");
const files = git("ls-tree", "-r", "--name-only", "HEAD", "crates").split("\n").filter((name) => name.endsWith(".md"));
const crateOf = (file) => file.split("/")[1];

rmSync(folder, { recursive: true, force: true });
const kept = files.filter((file) => locked.has(crateOf(file)));
for (const file of kept) {
  const text = git("show", `HEAD:${file}`);
  const [metadata] = text.match(/^```toml\n[\s\S]*?\n```\n/) ?? [];
  const [title] = text.match(/^# .*$/m) ?? [];
  if (!metadata || !title) throw new Error(`${file} has another form`);
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${metadata}\n${title}\n`);
}
const others = [...new Set(files.map(crateOf))].filter((name) => !locked.has(name)).sort();
writeFileSync(join(folder, "other-crates.txt"), `${others.join("\n")}\n`);
writeFileSync(join(folder, "README.md"), `# Security advisories of the crates in Cargo.lock

From the [RustSec Advisory Database](https://github.com/rustsec/advisory-db), commit \`${commit}\` of ${date}: each advisory's
metadata and title. Public domain (CC0 1.0), save those whose \`license\` is CC-BY-4.0: adapted from the GitHub Advisory Database, at their \`url\`.
\`other-crates.txt\` names the crates that have advisories there and are not used here.

Written by \`scripts/renew-advisories.mjs\`, which says how to renew it. What was published after that day is not in here.
`);
console.log(`${kept.length} advisories of ${new Set(kept.map(crateOf)).size} crates; commit ${commit} of ${date}`);
