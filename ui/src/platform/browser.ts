import type { Update } from "../generated/wire";
import { languageOf, textIn, type TextArgs } from "../i18n/text";
import { asProblem, Problem, type AnswerTo, type Host, type HostErrorCode } from "./host";
import { silenceSignal, type SilenceSignal } from "./silence";
import { updateBuffer } from "./update-buffer";

const AGAIN_AFTER_MS = 1000;
const AGAIN_AFTER_AT_MOST_MS = 30_000;

/** Whatever was read is to be read anew. */
const EVERYTHING: Update[] = [{ type: "stale", topics: [[]] }];

/**
 * A page served to a browser: the same envelope over HTTP and server-sent events. A server knows who asks by a cookie; the bridge of tests
 * by the secret, and for the account, that the page's address names (`/?secret=SECRET&account=NAME`). It is listened to already, or cannot
 * be, when this resolves.
 */
export async function browser(): Promise<Host> {
  const updates = updateBuffer();
  const silence = silenceSignal();
  const stream = eventStream(updates.push, silence);
  // A server tells nothing but this to who is not signed in, and refuses the rest.
  if (!(await isSignedOut())) await stream.open();
  return {
    kind: "browser",
    rpc: async (command) => {
      const answer = await rpc(command);
      // What changes before it is open is not heard of: nothing may be read until then.
      if (command.command === "sign_in") await stream.open();
      if (command.command === "sign_out") stream.close();
      if (command.command === "sign_in" || command.command === "sign_out") updates.push(EVERYTHING);
      // Which page it is the server says; only the browser can open it.
      if (command.command === "open" && typeof answer === "string") window.open(answer, "_blank", "noopener");
      return answer;
    },
    listen: updates.listen,
    silence,
  };
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
    // No page of another site can add the second one unasked.
    headers: { "content-type": "application/json", "x-collie-request": "1" },
    body: JSON.stringify(command),
  }).catch(() => {
    // Why, a browser says in its own words, which tell people nothing.
    throw hostProblem("host_silent", "host-silent", "host-silent-hint");
  });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  const problem = problemIn(answer, text);
  if (problem) throw problem;
  throw hostProblem("unexpected", "host-unexpected", "host-unexpected-hint", { status: String(answer.status) });
}

/** A problem of the way between the page and the host, in the language that is shown. */
function hostProblem(code: HostErrorCode, message: string, hint: string, args?: TextArgs): Problem {
  const t = textIn(languageOf(document.documentElement.lang || navigator.language));
  return new Problem({ code, message: t(message, args), hints: [t(hint)] });
}

/** The problem that an answer tells of: as the contract has it, or as problem details (RFC 9457). */
function problemIn(answer: Response, text: string): Problem | null {
  if (answer.headers.get("content-type")?.startsWith("application/problem+json")) {
    const { detail, ...problem } = JSON.parse(text);
    return asProblem({ ...problem, message: detail });
  }
  return answer.status === 422 ? asProblem(JSON.parse(text)) : null;
}

/** Whether a server asks who is there. Where that cannot be told, nobody is. */
async function isSignedOut(): Promise<boolean> {
  const session = await rpc({ command: "session" }).catch(() => null);
  return session?.phase === "sign_in";
}

interface EventStream {
  /** Begins it, from the start: somebody is signed in, or somebody else. Resolves once it is open, or has failed for the first time. */
  open: () => Promise<void>;
  /** Ends it: nobody is signed in. */
  close: () => void;
}

/** Hands updates on for as long as the page lives. */
function eventStream(take: (batch: Update[]) => void, silence: SilenceSignal): EventStream {
  let source: EventSource | null = null;
  let missed = false;
  // A server says where the stream begins, and sends what was missed after a break.
  let lastId: string | null = null;
  let again: ReturnType<typeof setTimeout> | undefined;
  let wait = AGAIN_AFTER_MS;
  let resolve: () => void = () => undefined;
  const everything = () => take(EVERYTHING);
  const connect = () => {
    const current = new EventSource(withPosition(ofPage("/events"), lastId));
    source = current;
    current.onopen = () => {
      // What happened while nobody listened is not sent again.
      if (missed && lastId === null) everything();
      missed = false;
      wait = AGAIN_AFTER_MS;
      silence.heard();
      resolve();
    };
    const keep = (message: MessageEvent<string>) => {
      if (message.lastEventId) lastId = message.lastEventId;
    };
    current.onmessage = (message: MessageEvent<string>) => {
      keep(message);
      take(JSON.parse(message.data));
    };
    current.addEventListener?.("hello", keep);
    current.addEventListener?.("resync", (message) => {
      keep(message);
      everything();
    });
    current.onerror = () => {
      missed = true;
      silence.broken();
      resolve();
      // A browser tries again by itself, unless the answer was no event stream.
      if (current.readyState !== EventSource.CLOSED) return;
      // A server that does not know who asks any more refuses the stream: the page is to look.
      if (lastId !== null) take([{ type: "stale", topics: [["session"]] }]);
      again = setTimeout(() => void reconnect(current), wait);
      wait = Math.min(wait * 2, AGAIN_AFTER_AT_MOST_MS);
    };
  };
  const reconnect = async (closed: EventSource) => {
    const signedOut = await isSignedOut();
    // Whoever signed in meanwhile has a stream of their own.
    if (source === closed && !signedOut) connect();
  };
  const close = () => {
    clearTimeout(again);
    source?.close();
    source = null;
    silence.heard();
    resolve();
    [lastId, missed, wait] = [null, false, AGAIN_AFTER_MS];
  };
  const open = () => {
    close();
    const opened = new Promise<void>((done) => (resolve = done));
    connect();
    return opened;
  };
  return { open, close };
}

/** The address of a stream that goes on after an event: what is opened anew sends no header that says so. */
function withPosition(address: string, lastId: string | null): string {
  if (lastId === null) return address;
  return `${address}${address.includes("?") ? "&" : "?"}last_event_id=${encodeURIComponent(lastId)}`;
}
