import type { Update } from "../generated/wire";
import { asProblem, Problem, type Host } from "./host";

const AGAIN_AFTER_MS = 1000;

/** A page served by the bridge: the same envelope over HTTP and server-sent events. */
export const browser: Host = {
  kind: "browser",
  async rpc(command) {
    const answer = await fetch("/rpc", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(command),
    }).catch((thrown: unknown) => {
      throw asProblem(thrown);
    });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text);
    if (answer.status === 422) throw asProblem(JSON.parse(text));
    throw new Problem({ code: "unexpected", message: `HTTP ${answer.status}: ${text}`, hints: [] });
  },
  listen(onUpdates) {
    let source: EventSource;
    let missed = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const connect = () => {
      source = new EventSource("/events");
      source.onopen = () => {
        // What happened while nobody listened is not sent again.
        if (missed) onUpdates([{ type: "stale", topics: [[]] }]);
        missed = false;
      };
      source.onmessage = (message: MessageEvent<string>) => {
        const batch: Update[] = JSON.parse(message.data);
        onUpdates(batch);
      };
      source.onerror = () => {
        missed = true;
        // A browser tries again by itself, unless the answer was no event stream.
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(connect, AGAIN_AFTER_MS);
      };
    };
    connect();
    return () => {
      clearTimeout(timer);
      source.close();
    };
  },
};
