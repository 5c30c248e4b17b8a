// A coding agent over ACP on standard input and output, as small as one can be: it hands its prompt to an OpenAI-compatible model, edits
// files of its folder as the model says, and ends with the model's last words.
//
//   node agent.mjs MODEL_URL

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";

const modelUrl = process.argv[2];
/** A model that never comes to an end is left. */
const MOST_TURNS = 60;

const tool = (name, description, properties) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties: Object.fromEntries(properties.map((key) => [key, { type: "string" }])), required: properties } },
});
const TOOLS = [
  tool("replace", "Replaces a text in a file by another.", ["path", "old", "new"]),
  tool("append", "Adds a text at the end of a file.", ["path", "text"]),
  tool("write", "Writes a file anew.", ["path", "text"]),
];

/** Does what the model calls for; gives what came of it. */
function carryOut(cwd, name, args) {
  const path = resolve(cwd, args.path ?? "");
  if (relative(cwd, path).startsWith("..")) return "this is outside of the folder";
  if (name === "append") appendFileSync(path, args.text);
  else if (name === "write") writeFileSync(path, args.text);
  else if (name === "replace") {
    const text = readFileSync(path, "utf8");
    if (!text.includes(args.old)) return "the text is not in the file";
    writeFileSync(path, text.replace(args.old, () => args.new));
  } else return `there is no ${name}`;
  return "done";
}

/** Asks the model, through the proxy where there is one that it has to go through. */
function ask(messages) {
  const body = JSON.stringify({ model: "scripted", messages, tools: TOOLS });
  const url = new URL(`${modelUrl}/chat/completions`);
  return new Promise((done, fail) => {
    const sent = request(url, { method: "POST", headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) } }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => (response.statusCode === 200 ? done(JSON.parse(text).choices[0].message) : fail(new Error(`the model answered ${response.statusCode}: ${text.slice(0, 200)}`))));
    });
    sent.on("error", fail);
    sent.end(body);
  });
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const folders = new Map();
const cancelled = new Set();

async function prompt({ sessionId, prompt: parts }) {
  cancelled.delete(sessionId);
  const messages = [{ role: "user", content: parts.map(({ text = "" }) => text).join("\n\n") }];
  for (let turn = 0; turn < MOST_TURNS && !cancelled.has(sessionId); turn += 1) {
    const message = await ask(messages);
    messages.push(message);
    if (!message.tool_calls?.length) {
      send({ method: "session/update", params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: message.content ?? "" } } } });
      return { stopReason: "end_turn" };
    }
    for (const { id, function: called } of message.tool_calls) {
      let outcome;
      try {
        outcome = carryOut(folders.get(sessionId), called.name, JSON.parse(called.arguments));
      } catch (error) {
        outcome = error.message;
      }
      messages.push({ role: "tool", tool_call_id: id, content: outcome });
    }
  }
  return { stopReason: cancelled.has(sessionId) ? "cancelled" : "max_turn_requests" };
}

const METHODS = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: false }, agentInfo: { name: "bench", version: "1.0.0" }, authMethods: [] }),
  "session/new": ({ cwd }) => {
    const sessionId = `bench-${process.pid}-${folders.size + 1}`;
    folders.set(sessionId, join(cwd));
    return { sessionId };
  },
  "session/prompt": prompt,
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "session/cancel") cancelled.add(params.sessionId);
  if (id === undefined || !method) return;
  if (!METHODS[method]) return send({ id, error: { code: -32601, message: `there is no ${method}` } });
  try {
    send({ id, result: await METHODS[method](params) });
  } catch (error) {
    send({ id, error: { code: -32603, message: error.message } });
  }
}).on("close", () => process.exit(0));
