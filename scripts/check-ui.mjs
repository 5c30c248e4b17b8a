// Holds what the window's code must keep to: it type-checks; every word people see is a text of locales/; those texts are all there and all used, in
// every language; nothing is silenced; the host is reached only through ui/src/platform; no files, and no features, import each other in a circle.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse as parseFluent } from "@fluent/syntax";
import { parseSync } from "vite";
import { circlesOf, groupGraph, resolveImport } from "./import-circles.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = "ui/src";
/** Texts that only the window shows. Others are held by the tests of the hosts that show them. */
const OF_THE_WINDOW = ["app", "overview", "review", "setup"];
/** Code for tests and pictures: words there are sample data. */
const NOT_SHIPPED = /\.test\.tsx?$|\/scenes\.tsx$|\/fixtures\.tsx?$|^ui\/src\/test\//;
/** Properties and variables whose value people read or hear. */
const READ = new Set(
  "aria-label aria-description aria-valuetext aria-roledescription title placeholder alt label text help tip hint hints confirm problem message".split(" "),
);
/** Functions whose first argument people read or hear. */
const SAYS = new Set(["announce", "notify"]);
const SILENCED = /eslint-disable|@ts-ignore|@ts-expect-error|@ts-nocheck|\b(?:TODO|FIXME|XXX)\b/;
/** Classes that name a side of the screen, where the side of a line is meant, and sizes that do not grow with the text. */
const PHYSICAL = /(?:^|[\s:-])((?:scroll-)?[mp][lr]-(?:\d|\[|px|auto)\S*|(?:border|rounded)-[lr](?![a-z])\S*|rounded-[tb][lr](?![a-z])\S*|text-(?:left|right)(?![\w-]))/;
const FIXED_SIZE = /(?:^|[\s:])((?:grid-cols|[mp][xytbse]?|gap|size|(?:min-|max-)?[wh]|text)-\[[^\]]*\d+px[^\]]*\])/;
const HAS_WORDS = /\p{L}/u;

const problems = [];
/** What each file imports, types too. */
const imports = new Map();

function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${String(name).replaceAll("\\", "/")}`)
    .filter((name) => /\.tsx?$/.test(name) && !name.includes("/generated/"))
    .sort();
}

/** Visits every node of a syntax tree, parents first. */
function visit(node, see, parents = []) {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, see, parents);
  } else if (node && typeof node === "object" && typeof node.type === "string") {
    see(node, parents);
    for (const value of Object.values(node)) visit(value, see, [...parents, node]);
  }
}

/** What an expression may come to, as far as it is written there: literals and templates. */
function written(node) {
  switch (node?.type) {
    case "Literal":
      return typeof node.value === "string" ? [{ node, start: node.value, whole: true }] : [];
    case "TemplateLiteral":
      return [{ node, start: node.quasis[0].value.cooked, parts: node.quasis.map((part) => part.value.cooked), whole: node.quasis.length === 1 }];
    case "ConditionalExpression":
      return [...written(node.consequent), ...written(node.alternate)];
    case "LogicalExpression":
      return [...written(node.left), ...written(node.right)];
    case "ArrayExpression":
      return node.elements.flatMap(written);
    case "JSXExpressionContainer":
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSNonNullExpression":
      return written(node.expression);
    default:
      return [];
  }
}

/** Keys the code asks for for certain, and everything that may be a key or the beginning of one. */
const asked = [];
const literals = new Set();
const begun = [];

function check(file) {
  const text = readFileSync(join(root, file), "utf8");
  const { program, comments, errors } = parseSync(file, text);
  const at = (node) => `${file}:${text.slice(0, node.start).split("\n").length}`;
  for (const error of errors) problems.push(`${file}: ${error.message}`);
  for (const comment of comments) {
    if (SILENCED.test(comment.value)) problems.push(`${at(comment)}: ${comment.value.trim()}`);
  }
  const shipped = !NOT_SHIPPED.test(file);
  imports.set(file, new Set());
  visit(program, (node) => {
    const imported = importedBy(node, file);
    if (imported !== null) imports.get(file).add(imported);
    if (node.type === "TSAnyKeyword") problems.push(`${at(node)}: any`);
    if (node.type === "ImportDeclaration" && node.source.value.startsWith("@tauri-apps/") && !file.startsWith(`${source}/platform/`)) {
      problems.push(`${at(node)}: only ${source}/platform reaches the host`);
    }
    if (!shipped) return;
    noteKeys(node, at);
    findPhysicalClasses(node, at);
    findWords(node, at);
  });
}

/** The file that a node imports, be it later; none where it imports none of ours. */
function importedBy(node, file) {
  const imports = ["ImportDeclaration", "ExportNamedDeclaration", "ExportAllDeclaration", "ImportExpression"].includes(node.type);
  const source = imports ? node.source?.value : undefined;
  const exists = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false;
  return typeof source === "string" ? resolveImport(file, source, exists) : null;
}

function noteKeys(node, at) {
  for (const { start, parts, whole } of ["Literal", "TemplateLiteral"].includes(node.type) ? written(node) : []) {
    if (whole) literals.add(start);
    else begun.push(parts);
  }
  const isT = node.type === "CallExpression" && node.callee.type === "Identifier" && node.callee.name === "t";
  for (const said of written(isT ? node.arguments[0] : undefined)) asked.push({ ...said, at: at(said.node) });
}

/** Layout follows the direction of writing and the size of the text. */
function findPhysicalClasses(node, at) {
  for (const { start, parts = [] } of ["Literal", "TemplateLiteral"].includes(node.type) ? written(node) : []) {
    for (const part of [start, ...parts]) {
      const found = PHYSICAL.exec(part)?.[1] ?? FIXED_SIZE.exec(part)?.[1];
      if (found) problems.push(`${at(node)}: ${found} is of the screen: say start or end, and rem`);
    }
  }
}

function findWords(node, at) {
  const say = (words, where) => problems.push(`${at(where)}: “${words.trim()}” is no text of locales/`);
  if (node.type === "JSXText" && HAS_WORDS.test(node.value)) say(node.value, node);
  for (const { parts = [""], start, node: where } of shownBy(node).flatMap(written)) {
    const words = [start, ...parts].find((part) => HAS_WORDS.test(part));
    if (words) say(words, where);
  }
}

/** The expressions of a node whose value people read or hear. */
function shownBy(node) {
  switch (node.type) {
    case "JSXElement":
    case "JSXFragment":
      return node.children.filter((each) => each.type === "JSXExpressionContainer");
    case "JSXAttribute":
      return READ.has(String(node.name.name)) ? [node.value] : [];
    case "Property":
      return READ.has(node.key.name ?? node.key.value) ? [node.value] : [];
    case "VariableDeclarator":
      return READ.has(node.id.name) ? [node.init] : [];
    case "CallExpression":
      return SAYS.has(node.callee.name) ? node.arguments.slice(0, 1) : [];
    default:
      return [];
  }
}

/** Keys of each file of a language, and those that other texts refer to. */
function textsOf(language) {
  const folder = join(root, "locales", language);
  const keys = new Map();
  const referred = new Set();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".ftl"))) {
    const text = readFileSync(join(folder, file), "utf8");
    for (const entry of parseFluent(text, {}).body) {
      if (entry.type === "Junk") problems.push(`locales/${language}/${file}: cannot be read: ${entry.content.split("\n")[0]}`);
      if (entry.type === "Message") keys.set(entry.id.name, file.replace(/\.ftl$/, ""));
      visit(entry, (node) => node.type === "MessageReference" && referred.add(node.id.name));
    }
    if (language === "fr") checkFrench(file, text);
  }
  return { keys, referred };
}

function checkFrench(file, text) {
  text.split("\n").forEach((line, index) => {
    if (line.startsWith("#")) return;
    const words = line.replace(/\{[^}]*\}/g, "x");
    if (/\p{L}'\p{L}/u.test(words)) problems.push(`locales/fr/${file}:${index + 1}: ' instead of ’`);
    if (/[^\s] [;:!?](?:\s|$)/u.test(words) && !/^\s*\*?\[/.test(line)) problems.push(`locales/fr/${file}:${index + 1}: a wide space before ; : ! ?`);
  });
}

const fits = (key, [start, ...rest]) => start.includes("-") && key.startsWith(start) && key.length > start.length && key.endsWith(rest.at(-1));

function checkKeys(language) {
  const { keys, referred } = textsOf(language);
  for (const { at, start, parts, whole } of asked) {
    const there = whole ? keys.has(start) : [...keys.keys()].some((key) => fits(key, parts));
    if (!there) problems.push(`${at}: locales/${language} has no ${whole ? start : parts.join("{…}")}`);
  }
  for (const [key, file] of keys) {
    if (!OF_THE_WINDOW.includes(file) || literals.has(key) || referred.has(key) || begun.some((parts) => fits(key, parts))) continue;
    problems.push(`locales/${language}/${file}.ftl: nothing uses ${key}`);
  }
}

filesBelow(source).forEach(check);
const featureOf = (file) => (NOT_SHIPPED.test(file) ? null : (/\/features\/([^/]+)\//.exec(file)?.[1] ?? null));
for (const circle of [...circlesOf(imports), ...circlesOf(groupGraph(imports, featureOf))]) {
  problems.push(`a circle of imports: ${circle.join(" → ")}`);
}
readdirSync(join(root, "locales")).forEach(checkKeys);

const types = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", join(root, "ui")], { encoding: "utf8" });
if (types.status !== 0) problems.push(types.stdout || types.stderr || String(types.error));

for (const problem of problems) console.log(problem);
console.log(`${asked.length} texts asked for, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
