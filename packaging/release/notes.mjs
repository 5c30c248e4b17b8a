// What a release says, from CHANGELOG.md.
//
//   node packaging/release/notes.mjs check TAG    fails where the tag is not the version of the sources
//   node packaging/release/notes.mjs notes TAG    prints the tag's part of CHANGELOG.md; `Unreleased` where it has none of its own yet

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** The version that Cargo.toml gives to all crates. */
export function versionOf(manifest) {
  return manifest.match(/^\[workspace\.package\]\n(?:(?!\[).*\n)*?version = "([^"]+)"/m)?.[1];
}

/** The part of the changelog about a version. */
export function notesOf(changelog, version) {
  const parts = changelog.split(/^## /m).slice(1).map((part) => {
    const [heading, ...lines] = part.split("\n");
    return { heading, text: lines.join("\n").trim() };
  });
  const named = (name) => parts.find(({ heading }) => heading.replace(/[[\]]/g, "").split(" ")[0] === name);
  return (named(version) ?? named("Unreleased"))?.text;
}

const [command, tag] = process.argv.slice(2);
if (command) {
  const version = versionOf(readFileSync(join(root, "Cargo.toml"), "utf8"));
  const fail = (message) => {
    console.error(message);
    process.exit(1);
  };
  if (tag !== `v${version}`) fail(`the tag ${tag} is not v${version}, which Cargo.toml says`);
  if (command === "notes") {
    const notes = notesOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version);
    if (!notes) fail("CHANGELOG.md says nothing of it");
    console.log(notes);
  }
}
