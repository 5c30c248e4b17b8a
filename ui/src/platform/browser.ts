import type { Update } from "../generated/wire";
import { languageOf, textIn, type TextArgs } from "../i18n/text";
import { asProblem, Problem, type AnswerTo, type Host, type HostErrorCode } from "./host";
import { updateBuffer } from "./update-buffer";

const AGAIN_AFTER_MS = 1000;

/**
 * A page served by the bridge: the same envelope over HTTP and server-sent events, with the secret and for the account that the
 * page's address names (`/?secret=SECRET&account=NAME`). It is listened to already, or cannot be, when this resolves.
 */
export async function browser(): Promise<Host> {
  const updates = updateBuffer();
  await openEventStream(updates.push);
  return { kind: "browser", rpc, listen: updates.listen };
}

/** The address of a route, for the page's account and with its secret. A stream of events takes no header that could carry one. */
function ofPage(route: string): string {
  const page = new URLSearchParams(window.location.search);
  const kept = new URLSearchParams([...page].filter(([name]) => name === "account" || name === "secret"));
  return kept.size === 0 ? route : `${route}?${kept}`;
}

async function rpc<C extends Parameters<Host["rpc"]>[0]>(command: C): Promise<AnswerTo<C>> {
  const answer = await fetch(ofPage("/rpc"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(command),
  }).catch(() => {
    // Why, a browser says in its own words, which tell people nothing.
    throw hostProblem("host_silent", "host-silent", "host-silent-hint");
  });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  if (answer.status === 422) throw asProblem(JSON.parse(text));
  throw hostProblem("unexpected", "host-unexpected", "host-unexpected-hint", { status: String(answer.status) });
}

/** A problem of the way between the page and the host, in the language that is shown. */
function hostProblem(code: HostErrorCode, message: string, hint: string, args?: TextArgs): Problem {
  const t = textIn(languageOf(document.documentElement.lang || navigator.language));
  return new Problem({ code, message: t(message, args), hints: [t(hint)] });
}

/** Hands updates on for as long as the page lives; resolves once the stream is open, or has failed for the first time. */
function openEventStream(take: (batch: Update[]) => void): Promise<void> {
  return new Promise((resolve) => {
    let missed = false;
    const connect = () => {
      const source = new EventSource(ofPage("/events"));
      source.onopen = () => {
        // What happened while nobody listened is not sent again.
        if (missed) take([{ type: "stale", topics: [[]] }]);
        missed = false;
        resolve();
      };
      source.onmessage = (message: MessageEvent<string>) => take(JSON.parse(message.data));
      source.onerror = () => {
        missed = true;
        resolve();
        // A browser tries again by itself, unless the answer was no event stream.
        if (source.readyState === EventSource.CLOSED) setTimeout(connect, AGAIN_AFTER_MS);
      };
    };
    connect();
  });
}
