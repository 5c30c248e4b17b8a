// A language model by script, on loopback, for the agents that the tests start: OpenAI's Responses and chat completions,
// Anthropic's Messages and Gemini's generateContent, streamed or whole. One function decides what to answer in all of them.

import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

/** What every answer says that it took. */
const TOKENS = { in: 1000, out: 100 };

const texts = (content) =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");

/** The tools of a request to Responses, which may come in groups, or as a part of the input. */
const responsesTools = (body) => [...(body.tools ?? []), ...[body.input].flat().flatMap((item) => (item.type === "additional_tools" ? item.tools : []))];

/** The group that a tool comes in, as a call of it names it. */
function groupOf(tool, body) {
  const group = responsesTools(body).find(({ type, tools }) => type === "namespace" && tools?.some(({ name }) => name === tool));
  return group ? { namespace: group.name } : {};
}

/** How each form is read and written. `read` gives the conversation in order, as `{ text }`, `{ result }` or `{ call }`, and the tools' names. */
const FORMS = {
  responses: {
    read: (body) => ({
      entries: [{ text: body.instructions ?? "" }, ...[body.input].flat().map((item) => {
        if (item.type?.endsWith("_call_output")) return { result: texts(item.output?.content ?? item.output) };
        if (item.type?.endsWith("_call")) return { call: item.name };
        return { text: typeof item === "string" ? item : texts(item.content) };
      })],
      tools: responsesTools(body).flatMap((tool) => tool.tools ?? [tool]).map((tool) => tool.name ?? tool.type),
    }),
    write: (answer, id, body) => {
      const made = answer.text !== undefined
        ? { type: "message", role: "assistant", content: [{ type: "output_text", text: answer.text, annotations: [] }] }
        : typeof answer.args === "string"
          ? { type: "custom_tool_call", call_id: `call_${id}`, name: answer.tool, ...groupOf(answer.tool, body), input: answer.args }
          : { type: "function_call", call_id: `call_${id}`, name: answer.tool, ...groupOf(answer.tool, body), arguments: JSON.stringify(answer.args) };
      const item = { id: `item_${id}`, status: "completed", ...made };
      const usage = {
        input_tokens: TOKENS.in, input_tokens_details: { cached_tokens: 0 },
        output_tokens: TOKENS.out, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: TOKENS.in + TOKENS.out,
      };
      const whole = { id: `resp_${id}`, object: "response", status: "completed", model: body.model, output: [item], usage };
      const told = answer.text === undefined ? [] : [
        { type: "response.output_text.delta", item_id: item.id, output_index: 0, content_index: 0, delta: answer.text },
      ];
      const events = [
        { type: "response.created", response: { ...whole, status: "in_progress", output: [], usage: null } },
        { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", ...(answer.text === undefined ? {} : { content: [] }) } },
        ...told,
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: whole },
      ];
      return { whole, events: events.map((event) => [event.type, event]) };
    },
  },
  chat: {
    read: (body) => ({
      entries: body.messages.flatMap((message) => {
        if (message.role === "tool") return [{ result: texts(message.content) }];
        const calls = (message.tool_calls ?? []).map((call) => ({ call: call.function.name }));
        return [{ text: texts(message.content) }, ...calls];
      }),
      tools: (body.tools ?? []).map((tool) => tool.function.name),
    }),
    write: (answer, id, body) => {
      const call = { id: `call_${id}`, type: "function", function: { name: answer.tool, arguments: JSON.stringify(answer.args) } };
      const says = answer.text !== undefined ? { content: answer.text } : { tool_calls: [{ index: 0, ...call }] };
      const finish = answer.text !== undefined ? "stop" : "tool_calls";
      const read = answer.tokensRead ?? TOKENS.in;
      const usage = { prompt_tokens: read, completion_tokens: TOKENS.out, total_tokens: read + TOKENS.out };
      const head = { id: `chat-${id}`, created: 0, model: body.model };
      const chunk = (delta, finish_reason) => ({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
      const whole = { ...head, object: "chat.completion", choices: [{ index: 0, message: { role: "assistant", ...says }, finish_reason: finish }], usage };
      const events = [chunk({ role: "assistant", ...says }, null), { ...chunk({}, finish), usage }];
      return { whole, events: [...events.map((event) => [undefined, event]), [undefined, "[DONE]"]] };
    },
  },
  messages: {
    read: (body) => ({
      entries: [{ text: texts(body.system) }, ...body.messages.flatMap(({ content }) => {
        if (typeof content === "string") return [{ text: content }];
        return content.map((part) => {
          if (part.type === "tool_result") return { result: texts(part.content) };
          return part.type === "tool_use" ? { call: part.name } : { text: part.text ?? "" };
        });
      })],
      tools: (body.tools ?? []).map((tool) => tool.name),
    }),
    write: (answer, id, body) => {
      const block = answer.text !== undefined
        ? { type: "text", text: answer.text }
        : { type: "tool_use", id: `toolu_${id}`, name: answer.tool, input: answer.args };
      const stop_reason = answer.text !== undefined ? "end_turn" : "tool_use";
      const usage = { input_tokens: TOKENS.in, output_tokens: TOKENS.out, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
      const whole = { id: `msg_${id}`, type: "message", role: "assistant", model: body.model, content: [block], stop_reason, stop_sequence: null, usage };
      const delta = answer.text !== undefined
        ? { type: "text_delta", text: answer.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(answer.args) };
      const empty = answer.text !== undefined ? { ...block, text: "" } : { ...block, input: {} };
      const events = [
        { type: "message_start", message: { ...whole, content: [], stop_reason: null } },
        { type: "content_block_start", index: 0, content_block: empty },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
        { type: "message_stop" },
      ];
      return { whole, events: events.map((event) => [event.type, event]) };
    },
  },
  gemini: {
    read: (body) => ({
      entries: [{ text: texts(body.systemInstruction?.parts) }, ...(body.contents ?? []).flatMap(({ parts }) => (parts ?? []).map((part) => {
        if (part.functionResponse) return { result: JSON.stringify(part.functionResponse.response) };
        return part.functionCall ? { call: part.functionCall.name } : { text: part.text ?? "" };
      }))],
      tools: (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []).map((tool) => tool.name),
    }),
    write: (answer, id) => {
      const part = answer.text !== undefined ? { text: answer.text } : { functionCall: { id: `call_${id}`, name: answer.tool, args: answer.args } };
      const whole = {
        candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
        usageMetadata: { promptTokenCount: TOKENS.in, candidatesTokenCount: TOKENS.out, totalTokenCount: TOKENS.in + TOKENS.out },
      };
      return { whole, events: [[undefined, whole]] };
    },
  },
};

/** Which form a path is of, and whether the path asks for a stream; none for anything else that agents ask. */
function formOf(path) {
  if (path.endsWith("/responses")) return { form: "responses" };
  if (path.endsWith("/chat/completions")) return { form: "chat" };
  if (path.endsWith("/messages")) return { form: "messages" };
  if (path.endsWith(":streamGenerateContent")) return { form: "gemini", stream: true };
  if (path.endsWith(":generateContent")) return { form: "gemini" };
  return undefined;
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text ? JSON.parse(text) : {};
}

/**
 * Serves a model. `decide` gets `{ seat, entries, tools }`, where the seat is the first part of the path, and gives
 * `{ text }`, `{ tool, args }` (text for args where the tool takes text), or nothing: then no answer ever comes. In chat completions
 * `tokensRead` beside them is how many tokens the answer says that it read.
 * `asked` is everything that was asked.
 */
export async function serveModel(decide) {
  const asked = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://model");
    const seat = pathname.split("/")[1];
    const kind = request.method === "POST" ? formOf(pathname) : undefined;
    const json = (status, value) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    try {
      const body = request.method === "POST" ? await bodyOf(request) : {};
      if (pathname.endsWith("/count_tokens") || pathname.endsWith(":countTokens")) return json(200, { input_tokens: TOKENS.in, totalTokens: TOKENS.in });
      if (!kind) return json(404, { error: { message: `there is nothing at ${pathname}`, type: "not_found" } });
      const form = FORMS[kind.form];
      const heard = { seat, path: pathname, ...form.read(body), body };
      asked.push(heard);
      const answer = await decide(heard);
      if (!answer) return undefined;
      count += 1;
      const { whole, events } = form.write(answer, count, body);
      if (!(kind.stream ?? body.stream)) return json(200, whole);
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
      for (const [name, event] of events) {
        response.write(`${name ? `event: ${name}\n` : ""}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
        await wait(1);
      }
      return response.end();
    } catch (error) {
      return json(500, { error: { message: String(error), type: "server_error" } });
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    asked,
    url: (seat) => `${origin}/${seat}`,
    stop: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}
