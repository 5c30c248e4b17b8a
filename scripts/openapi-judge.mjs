// Judges answers of a REST API by GitHub's published OpenAPI description: which operation a request is, whether the status
// is described for it, and whether body and headers are of the form that is described for that status.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv";
import addFormats from "ajv-formats";

const DESCRIPTION = createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.json");

/** OpenAPI 3.0 into JSON Schema, in place: `nullable` becomes a type, references become absolute. */
function toJsonSchema(node) {
  if (Array.isArray(node)) return node.map(toJsonSchema);
  if (node === null || typeof node !== "object") return node;
  if (typeof node.$ref === "string") return { $ref: node.$ref.replace(/^#/, "github#") };
  const { example: _example, examples: _examples, discriminator: _discriminator, nullable, properties, ...rest } = node;
  const schema = mapValues(rest, (value, key) => (key === "enum" ? value : toJsonSchema(value)));
  // Properties may be called like keywords.
  if (properties) schema.properties = mapValues(properties, toJsonSchema);
  return nullable === true ? { anyOf: [{ type: "null" }, schema] } : schema;
}

const mapValues = (object, map) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));

/** What a template of a path matches; a last part may hold slashes, as `contents/{path}` does. */
function matcher(template) {
  const parts = template.split("/").map((part, index, all) => {
    const escaped = part.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
    const spans = index === all.length - 1 && ["{path}", "{ref}"].includes(part);
    return escaped.replace(/\{[^}]+\}/g, spans ? ".*" : "[^/]+");
  });
  return new RegExp(`^${parts.join("/")}$`);
}

const literalParts = (template) => template.split("/").filter((part) => !part.includes("{")).length;

/** GitHub answers at two addresses that it does not describe: the folder at the top, and where `statuses_url` points. */
function describedPath(method, path) {
  const statuses = method === "GET" ? path.replace(/\/statuses\/(\w+)$/, "/commits/$1/statuses") : path;
  return statuses.replace(/\/contents$/, "/contents/");
}

/** The head repository of a deleted fork is null, which is not described: https://github.com/github/rest-api-description/issues/1811 */
function allowDeletedForks(schemas) {
  for (const pull of [schemas["pull-request"], schemas["pull-request-simple"]]) {
    const head = pull.properties.head.properties;
    head.repo = { nullable: true, allOf: [head.repo] };
  }
}

/** Where an App's installations are listed, their account is described as a user and an enterprise at once, which none can be; elsewhere as either. */
function describeInstallations({ paths }) {
  const listed = paths["/app/installations"].get.responses[200].content["application/json"].schema;
  listed.items = { $ref: "#/components/schemas/installation" };
}

/** Reads the description and gives what judges. */
export function openApiJudge() {
  const description = JSON.parse(readFileSync(DESCRIPTION, "utf8"));
  allowDeletedForks(description.components.schemas);
  describeInstallations(description);
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, logger: false });
  addFormats(ajv);
  ajv.addSchema({ $id: "github", components: { schemas: mapValues(description.components.schemas, toJsonSchema) } });
  const templates = Object.keys(description.paths)
    .map((template) => ({ template, pattern: matcher(template) }))
    .sort((one, other) => literalParts(other.template) - literalParts(one.template));
  const resolve = (node) => (node?.$ref ? resolve(node.$ref.slice(2).split("/").reduce((at, key) => at[key], description)) : node);
  const validators = new Map();
  const errorsOf = (key, schema, value) => {
    if (!validators.has(key)) validators.set(key, ajv.compile(toJsonSchema(schema)));
    const validate = validators.get(key);
    if (validate(value)) return [];
    return validate.errors.slice(0, 8).map(({ instancePath, message, params }) => `${instancePath || "the body"} ${message} ${JSON.stringify(params)}`);
  };

  /** The operation that a request is: its name, such as `GET /user`, and what is described of it. */
  const operationOf = (method, path) => {
    const found = templates.find(({ template, pattern }) => description.paths[template][method.toLowerCase()] && pattern.test(path));
    return found && { name: `${method} ${found.template}`, ...description.paths[found.template][method.toLowerCase()] };
  };

  /** What is wrong with an answer, one line each. `body` is text, `headers` is a Headers. */
  const judge = ({ method, path, status, headers, body, accept = "" }) => {
    const operation = operationOf(method, describedPath(method, path));
    if (!operation) return [`GitHub describes no ${method} ${path}`];
    const described = resolve(operation.responses[status]);
    // Not every refusal is described for every operation; its form is the same.
    if (status >= 400 && !described?.content) return errorsOf("basic-error", { $ref: "#/components/schemas/basic-error" }, JSON.parse(body));
    if (!described) return [`a status of ${status} is not described`];
    return [...bodyProblems(operation, status, described, headers, body, accept), ...headerProblems(operation, status, described, headers)];
  };

  const bodyProblems = (operation, status, described, headers, body, accept) => {
    if (!described.content) return body === "" ? [] : [`a body where none is described: ${body.slice(0, 80)}`];
    const kind = (headers.get("content-type") ?? "").split(";")[0];
    // A form that was asked for, such as a diff, is described in words alone.
    if (kind.startsWith("application/vnd.github.") && accept.includes(kind.split(".").at(-1))) return [];
    const media = described.content[kind] ?? (kind.includes("json") ? described.content["application/json"] : undefined);
    if (!media) return [`${kind || "no content type"} where ${Object.keys(described.content).join(", ")} is described`];
    if (!media.schema || !kind.includes("json")) return [];
    return errorsOf(`${operation.name} ${status} ${kind}`, media.schema, JSON.parse(body));
  };

  const headerProblems = (operation, status, described, headers) => Object.entries(described.headers ?? {}).flatMap(([name, header]) => {
    const value = headers.get(name);
    if (value === null) return name.toLowerCase() === "location" ? [`no ${name}`] : [];
    return errorsOf(`${operation.name} ${status} ${name}`, resolve(header).schema, /^\d+$/.test(value) ? Number(value) : value);
  });

  return { judge, operationOf, resolve };
}
