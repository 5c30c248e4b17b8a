// An MCP server over its standard input and output, for the trials of real agents: one tool, `look_up`, that answers with a word which only
// the environment has told it.

import { createInterface } from "node:readline";

const TOOL = {
  name: "look_up",
  description: "Looks a word up on the shelf.",
  inputSchema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
};

/** What a request is answered with; none for what this server does not know. */
function answer({ method, params }) {
  if (method === "initialize") {
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "shelf", version: "1.0.0" } };
  }
  if (method === "ping") return {};
  if (method === "tools/list") return { tools: [TOOL] };
  if (method === "tools/call") return { content: [{ type: "text", text: `${params.arguments?.word}: ${process.env.SHELF_WORD ?? "nothing"}` }] };
  return undefined;
}

createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
  const request = JSON.parse(line);
  if (request.id === undefined) return;
  const result = answer(request);
  const rest = result ? { result } : { error: { code: -32601, message: `there is no ${request.method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, ...rest })}\n`);
});
