// Checks that the forge's GraphQL is a part of GitHub's published schema: each type, field, argument, enum value, member
// and interface that a running forge tells of by introspection is there, with the same type and nullability.
// Needs a built `collie` (target/debug first) and the npm packages `graphql` and `@octokit/graphql-schema`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { schema as published } from "@octokit/graphql-schema";
import * as graphql from "graphql";
import { findCollie, startForge } from "./on-a-forge.mjs";

/** Looks at each entry of a map: what the published one lacks is a difference, the rest is compared. */
function eachOf(name, served, expected, differences, compare = () => {}) {
  for (const [key, value] of Object.entries(served)) {
    if (key in expected) compare(`${name}.${key}`, value, expected[key]);
    else differences.push(`${name}.${key} is not GitHub's`);
  }
}

const byName = (list) => Object.fromEntries(list.map((item) => [item.name, item]));

/** Compares what has arguments: none too many, each of the same type, and none missing that GitHub demands. */
function compareArguments(name, served, expected, differences) {
  eachOf(name, byName(served), byName(expected), differences, (path, one, other) => compareType(path, one, other, differences));
  for (const argument of expected.filter(graphql.isRequiredArgument)) {
    if (!served.some((one) => one.name === argument.name)) differences.push(`${name} lacks the required ${argument.name}`);
  }
}

function compareType(path, served, expected, differences) {
  const [one, other] = [String(served.type), String(expected.type)];
  if (one !== other) differences.push(`${path} is ${one}, GitHub's is ${other}`);
}

function compareFields(name, served, expected, differences) {
  eachOf(name, served.getFields(), expected.getFields(), differences, (path, one, other) => {
    compareType(path, one, other, differences);
    compareArguments(path, one.args, other.args, differences);
  });
  const interfaces = expected.getInterfaces().map(String);
  for (const one of served.getInterfaces().map(String)) {
    if (!interfaces.includes(one)) differences.push(`${name} implements ${one}, GitHub's does not`);
  }
}

/** What of one schema the other does not have, or has otherwise; one line each. */
function differencesBetween(served, expected) {
  const differences = [];
  for (const type of Object.values(served.getTypeMap())) {
    if (graphql.isIntrospectionType(type) || graphql.isSpecifiedScalarType(type)) continue;
    const other = expected.getType(type.name);
    if (!other) differences.push(`${type.name} is not GitHub's`);
    else if (type.constructor !== other.constructor) differences.push(`${type.name} is of another kind`);
    else if (graphql.isEnumType(type)) eachOf(type.name, byName(type.getValues()), byName(other.getValues()), differences);
    else if (graphql.isUnionType(type)) eachOf(type.name, byName(type.getTypes()), byName(other.getTypes()), differences);
    else if (graphql.isInputObjectType(type)) compareArguments(type.name, Object.values(type.getFields()), Object.values(other.getFields()), differences);
    else if (!graphql.isScalarType(type)) compareFields(type.name, type, other, differences);
  }
  return differences;
}

/** The control: the served schema, made wrong in one place each; every one has to be told of. */
const CONTROLS = [
  ["a field of another type", "isDraft: Boolean!", "isDraft: String!"],
  ["a field that may be null", "isDraft: Boolean!", "isDraft: Boolean"],
  ["a field of the forge's own", "isDraft: Boolean!", "isDraft: Boolean! isOnForge: Boolean!"],
  ["an argument of the forge's own", "node(", "node(fresh: Boolean, "],
  ["a required argument left out", /node\([^)]*\)/, "node"],
  ["an enum value of the forge's own", "enum MergeableState {", "enum MergeableState { PERHAPS"],
  ["a type of the forge's own", "enum MergeableState {", "type Forge { name: String } enum MergeableState {"],
  ["a field of an input", "input AddCommentInput {", "input AddCommentInput { loudly: Boolean"],
  ["a required field of an input left out", /body: String!/, ""],
  ["a member of a union", "union RequestedReviewer = ", "union RequestedReviewer = PullRequest | "],
  ["an interface", "type Commit implements ", "type Commit implements Actor & "],
  ["a type of another kind", "scalar GitObjectID", "enum GitObjectID { ZERO }"],
];

/** What the running forge says of its own schema. */
async function servedSchema() {
  const folder = mkdtempSync(join(tmpdir(), "collie-schema-"));
  const forge = await startForge(findCollie("debug"), folder);
  try {
    const query = graphql.getIntrospectionQuery({ inputValueDeprecation: true });
    const answer = await forge.send("POST", "/api/graphql", { login: "octo", body: { query } });
    const { data } = await answer.json();
    return graphql.printSchema(graphql.buildClientSchema(data));
  } finally {
    await forge.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

// The published file holds a field twice, which only strict reading minds.
const read = (idl) => graphql.buildSchema(idl, { assumeValid: true, assumeValidSDL: true });
const [github, served] = [read(published.idl), await servedSchema()];
const known = new Set(differencesBetween(read(served), github));
const missed = CONTROLS.filter(([, text, by]) => {
  const changed = served.replace(text, by);
  return changed === served || differencesBetween(read(changed), github).every((one) => known.has(one));
});
const problems = [...known, ...missed.map(([name]) => `this check does not see ${name}`)];
if (problems.length > 0) console.error(problems.join("\n"));
const count = Object.keys(read(served).getTypeMap()).length;
console.log(`the forge's schema within GitHub's: ${count} types, ${known.size} differences, ${missed.length} controls missed`);
process.exitCode = problems.length === 0 && count > 50 ? 0 : 1;
