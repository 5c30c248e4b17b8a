// Checks every GraphQL query that Collie sends against GitHub's published schema.
// Needs the npm packages `graphql` and `@octokit/graphql-schema`. Ends with status 1 when one is not valid.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { schema as published } from "@octokit/graphql-schema";
import { buildSchema, parse, validate } from "graphql";

const folder = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "../crates/github/queries");

/** Reads the .graphql files of a folder: name without ending, and text. */
function filesOf(path) {
  return readdirSync(path)
    .filter((name) => name.endsWith(".graphql"))
    .sort()
    .map((name) => [name.slice(0, -".graphql".length), readFileSync(join(path, name), "utf8")]);
}

/** Appends every fragment that a text spreads, and those that these spread, once. */
function withFragments(text, fragments) {
  const used = new Set();
  const visit = (part) => {
    for (const [, name] of part.matchAll(/\.\.\.([A-Z]\w*)/g)) {
      if (used.has(name) || !fragments.has(name)) continue;
      used.add(name);
      visit(fragments.get(name));
    }
  };
  visit(text);
  return [text, ...[...used].map((name) => fragments.get(name))].join("\n");
}

// The published file holds a field twice, which only strict reading minds.
const schema = buildSchema(published.idl, { assumeValid: true, assumeValidSDL: true });
const fragments = new Map(filesOf(join(folder, "fragments")));
const queries = filesOf(folder);

let failed = 0;
for (const [name, text] of queries) {
  let problems;
  try {
    problems = validate(schema, parse(withFragments(text, fragments)));
  } catch (error) {
    problems = [error];
  }
  if (problems.length > 0) failed += 1;
  for (const problem of problems) console.error(`${name}.graphql: ${problem.message}`);
}
const passed = queries.length - failed;
console.log(`queries against GitHub's schema: ${passed} passed, ${failed} failed`);
process.exit(failed === 0 && queries.length > 0 ? 0 : 1);
