// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Update } from "../generated/wire";
import { browser } from "./browser";
import { asProblem, Problem, type Host } from "./host";

/** An event stream that the test drives. */
class FakeSource {
  static readonly CLOSED = 2;
  static made: FakeSource[] = [];
  readyState = 1;
  onopen: () => void = () => undefined;
  onerror: () => void = () => undefined;
  onmessage: (message: { data: string; lastEventId?: string }) => void = () => undefined;
  named = new Map<string, (message: { data: string; lastEventId: string }) => void>();
  addEventListener = (name: string, hear: (message: { data: string; lastEventId: string }) => void) => this.named.set(name, hear);
  close = vi.fn();
  say = (name: string, lastEventId: string) => this.named.get(name)?.({ data: "{}", lastEventId });

  constructor(readonly address: string) {
    FakeSource.made.push(this);
  }
}

beforeEach(() => {
  FakeSource.made = [];
  vi.stubGlobal("EventSource", FakeSource);
  answering(200, '{"phase":"running"}');
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  document.documentElement.lang = "";
  window.history.replaceState(null, "", "/");
});

const source = (nth: number): FakeSource => {
  const made = FakeSource.made[nth];
  if (!made) throw new Error(`no stream ${nth}`);
  return made;
};

/** Signs somebody in, and opens the stream that begins then. */
async function signIn(host: Host, nth: number) {
  const done = host.rpc({ command: "sign_in", args: { token: "x", api_url: null } });
  await vi.waitFor(() => source(nth));
  source(nth).onopen();
  await done;
}

/** A host whose stream is open: it asks who is signed in first. */
async function opened(): Promise<Host> {
  const host = browser();
  await vi.waitFor(() => source(0));
  source(0).onopen();
  return host;
}

function answering(status: number, body: string) {
  const fetched = vi.fn(async (_address: string, _init: RequestInit) => new Response(body, { status }));
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

test("a command goes out as JSON, and its answer comes back", async () => {
  const fetched = answering(200, '["a"]');
  const host = await opened();
  expect(await host.rpc({ command: "timeline", args: { key: "a/b#1" } })).toEqual(["a"]);
  const [address, init] = fetched.mock.calls[1] ?? [];
  expect([address, init?.method, init?.body]).toEqual(["/rpc", "POST", '{"command":"timeline","args":{"key":"a/b#1"}}']);
});

test("the account that the page's address names goes along", async () => {
  window.history.replaceState(null, "", "/?account=ana-2#/settings");
  const fetched = answering(200, "[]");
  const host = await opened();
  await host.rpc({ command: "loops" });
  expect(fetched.mock.calls[0]?.[0]).toBe("/rpc?account=ana-2");
  expect(source(0).address).toBe("/events?account=ana-2");
});

test("the secret that the page's address has opens its routes, and nothing else of it goes along", async () => {
  window.history.replaceState(null, "", "/?secret=5ec&account=ana&other=1#/settings");
  const fetched = answering(200, "[]");
  const host = await opened();
  await host.rpc({ command: "loops" });
  expect(fetched.mock.calls[0]?.[0]).toBe("/rpc?secret=5ec&account=ana");
  expect(source(0).address).toBe("/events?secret=5ec&account=ana");
});

test("a refusal is the problem that the backend names; anything else is said in the language that is shown", async () => {
  const host = await opened();
  const check = async (code: string, message: string) => {
    const thrown: unknown = await host.rpc({ command: "try_again" }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(Problem);
    expect(thrown).toMatchObject({ code, message });
  };
  answering(422, '{"code":"locked","message":"It is locked","hints":["Wait"]}');
  await check("locked", "It is locked");
  answering(500, "oops");
  await check("unexpected", "Collie responded with error 500");
  document.documentElement.lang = "fr";
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  await check("host_silent", "Collie ne répond pas");
});

test("whatever is thrown becomes a problem", () => {
  const check = (thrown: unknown, problem: { code: string; message: string; hints: string[] }) => expect(asProblem(thrown)).toMatchObject(problem);
  check({ code: "x", message: "y", hints: ["z"] }, { code: "x", message: "y", hints: ["z"] });
  check({ code: "x", message: "y" }, { code: "x", message: "y", hints: [] });
  check(new Error("y"), { code: "unexpected", message: "y", hints: [] });
  check("y", { code: "unexpected", message: "y", hints: [] });
});

test("nothing can be asked before the host is listened to, and what it says before anybody hears is kept", async () => {
  let there = false;
  const host = browser().then((made) => {
    there = true;
    return made;
  });
  await vi.waitFor(() => source(0));
  expect(there).toBe(false);
  source(0).onopen();
  source(0).onmessage({ data: '[{"type":"show","key":"a/b#1"}]' });
  const heard: Update[][] = [];
  (await host).listen((batch) => heard.push(batch));
  expect(heard).toEqual([[{ type: "show", key: "a/b#1" }]]);
});

test("after a break everything is read anew, and a stream that was closed is opened again", async () => {
  vi.useFakeTimers();
  const host = await opened();
  const heard: Update[][] = [];
  const stop = host.listen((batch) => heard.push(batch));
  expect(heard).toEqual([]);

  source(0).onerror();
  source(0).onopen();
  expect(heard).toEqual([[{ type: "stale", topics: [[]] }]]);
  expect(FakeSource.made).toHaveLength(1);

  source(0).readyState = FakeSource.CLOSED;
  source(0).onerror();
  await vi.runAllTimersAsync();
  expect(FakeSource.made).toHaveLength(2);
  source(1).onopen();
  expect(heard[1]).toEqual([{ type: "stale", topics: [[]] }]);
  stop();
  source(1).onmessage({ data: "[]" });
  expect(heard).toHaveLength(2);
});

test("nobody is signed in before the stream is open: what changes until then would not be heard of", async () => {
  answering(200, '{"phase":"sign_in"}');
  const host = await browser();
  expect(FakeSource.made).toHaveLength(0);
  let done = false;
  const signedIn = host.rpc({ command: "sign_in", args: { token: "t", api_url: null } }).then(() => (done = true));
  await vi.waitFor(() => source(0));
  await Promise.resolve();
  expect(done).toBe(false);
  source(0).onopen();
  await signedIn;
  // Signed out and in again, the second stream is waited for too.
  await host.rpc({ command: "sign_out" });
  const again = host.rpc({ command: "sign_in", args: { token: "t", api_url: null } });
  await vi.waitFor(() => source(1));
  source(1).onerror();
  await again;
});

test("a break that lasts is silence, since when it began; a short one, and one that nobody listens in, is none", async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  const host = await opened();
  const heard = vi.fn();
  host.silence?.listen(heard);
  source(0).onerror();
  await vi.advanceTimersByTimeAsync(3000);
  source(0).onopen();
  await vi.advanceTimersByTimeAsync(10_000);
  expect([host.silence?.since(), heard.mock.calls.length]).toEqual([null, 0]);
  const broke = Date.now();
  source(0).onerror();
  await vi.advanceTimersByTimeAsync(3000);
  source(0).onerror();
  await vi.advanceTimersByTimeAsync(3000);
  expect([host.silence?.since(), heard.mock.calls.length]).toEqual([broke, 1]);
  source(0).onopen();
  expect([host.silence?.since(), heard.mock.calls.length]).toEqual([null, 2]);
  source(0).onerror();
  await host.rpc({ command: "sign_out" });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(host.silence?.since()).toBe(null);
});

const ALL = { type: "stale", topics: [[]] };

test("a stream of a server goes on where it was, and everything is read anew only when the server says so", async () => {
  vi.useFakeTimers();
  const host = await opened();
  const heard: Update[][] = [];
  host.listen((batch) => heard.push(batch));
  source(0).say("hello", "a-1");
  source(0).onmessage({ data: "[]", lastEventId: "a-2" });
  source(0).onerror();
  source(0).onopen();
  expect(heard).toEqual([[]]);

  source(0).readyState = FakeSource.CLOSED;
  source(0).onerror();
  expect(heard[1]).toEqual([{ type: "stale", topics: [["session"]] }]);
  await vi.runAllTimersAsync();
  expect(source(1).address).toBe("/events?last_event_id=a-2");
  source(1).say("resync", "a-9");
  expect(heard[2]).toEqual([ALL]);
});

test("who signs in or out hears another stream and reads everything anew", async () => {
  const fetched = answering(200, "null");
  const host = await opened();
  const heard: Update[][] = [];
  host.listen((batch) => heard.push(batch));
  source(0).say("hello", "a-1");
  await signIn(host, 1);
  expect(new Headers(fetched.mock.calls[1]?.[1].headers).get("x-collie-request")).toBe("1");
  expect(source(0).close).toHaveBeenCalled();
  expect([source(1).address, heard]).toEqual(["/events", [[ALL]]]);
});

test("who is not signed in is asked to, and nothing else is asked for that would be refused", async () => {
  vi.useFakeTimers();
  const fetched = answering(200, '{"phase":"sign_in"}');
  const host = await browser();
  expect(fetched.mock.calls.map(([, init]) => init.body)).toEqual(['{"command":"session"}']);
  expect(FakeSource.made).toHaveLength(0);
  await signIn(host, 0);
  expect(FakeSource.made).toHaveLength(1);
  await host.rpc({ command: "sign_out" });
  expect(source(0).close).toHaveBeenCalled();
  // Signed out elsewhere: the server refuses the stream, which is not tried again until somebody signs in.
  await signIn(host, 1);
  source(1).readyState = FakeSource.CLOSED;
  source(1).onerror();
  await vi.runAllTimersAsync();
  expect(FakeSource.made).toHaveLength(2);
});

test("a page of GitHub is opened by the browser, and a problem is read as problem details say it", async () => {
  const open = vi.fn();
  vi.stubGlobal("open", open);
  const host = await opened();
  answering(200, '"https://github.com/a/b/pull/1"');
  await host.rpc({ command: "open", args: { target: { what: "item", key: "a/b#1" } } });
  expect(open).toHaveBeenCalledWith("https://github.com/a/b/pull/1", "_blank", "noopener");
  const body = '{"type":"urn:x","title":"Forbidden","status":403,"detail":"Not yours.","code":"no_write_access","hints":["Ask"]}';
  vi.stubGlobal("fetch", async () => new Response(body, { status: 403, headers: { "content-type": "application/problem+json" } }));
  const thrown: unknown = await host.rpc({ command: "try_again" }).catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code: "no_write_access", message: "Not yours.", hints: ["Ask"] });
});
