import { expect, test, vi } from "vitest";
import type { Update } from "../generated/wire";
import { browser } from "./browser";
import { asProblem, Problem } from "./host";

/** An event stream that the test drives. */
class FakeSource {
  static readonly CLOSED = 2;
  static made: FakeSource[] = [];
  readyState = 1;
  closed = false;
  onopen: () => void = () => undefined;
  onerror: () => void = () => undefined;
  onmessage: (message: { data: string }) => void = () => undefined;

  constructor(readonly address: string) {
    FakeSource.made.push(this);
  }

  close() {
    this.closed = true;
  }
}

function answering(status: number, body: string) {
  const fetched = vi.fn(async (_address: string, _init: RequestInit) => new Response(body, { status }));
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

test("a command goes out as JSON, and its answer comes back", async () => {
  const fetched = answering(200, '["a"]');
  expect(await browser.rpc({ command: "timeline", args: { key: "a/b#1" } })).toEqual(["a"]);
  const [address, init] = fetched.mock.calls[0] ?? [];
  expect([address, init?.method, init?.body]).toEqual(["/rpc", "POST", '{"command":"timeline","args":{"key":"a/b#1"}}']);
});

test("a refusal is the problem that the backend names; anything else is unexpected", async () => {
  const check = async (status: number, body: string, code: string, message: string) => {
    answering(status, body);
    const thrown: unknown = await browser.rpc({ command: "try_again" }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(Problem);
    expect(thrown).toMatchObject({ code, message });
  };
  await check(422, '{"code":"locked","message":"It is locked","hints":["Wait"]}', "locked", "It is locked");
  await check(500, "oops", "unexpected", "HTTP 500: oops");
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no network")));
  await expect(browser.rpc({ command: "try_again" })).rejects.toMatchObject({ code: "unexpected", message: "no network" });
});

test("whatever is thrown becomes a problem", () => {
  const check = (thrown: unknown, problem: { code: string; message: string; hints: string[] }) => expect(asProblem(thrown)).toMatchObject(problem);
  check({ code: "x", message: "y", hints: ["z"] }, { code: "x", message: "y", hints: ["z"] });
  check({ code: "x", message: "y" }, { code: "x", message: "y", hints: [] });
  check(new Error("y"), { code: "unexpected", message: "y", hints: [] });
  check("y", { code: "unexpected", message: "y", hints: [] });
});

test("after a break everything is read anew, and a stream that was closed is opened again", () => {
  vi.useFakeTimers();
  FakeSource.made = [];
  vi.stubGlobal("EventSource", FakeSource);
  const heard: Update[][] = [];
  const stop = browser.listen((batch) => heard.push(batch));
  const [first] = FakeSource.made;
  first?.onopen();
  first?.onmessage({ data: '[{"type":"show","key":"a/b#1"}]' });
  expect(heard).toEqual([[{ type: "show", key: "a/b#1" }]]);

  first?.onerror();
  first?.onopen();
  expect(heard[1]).toEqual([{ type: "stale", topics: [[]] }]);
  expect(FakeSource.made).toHaveLength(1);

  if (first) first.readyState = FakeSource.CLOSED;
  first?.onerror();
  vi.runAllTimers();
  expect(FakeSource.made).toHaveLength(2);
  FakeSource.made[1]?.onopen();
  expect(heard[2]).toEqual([{ type: "stale", topics: [[]] }]);
  stop();
  expect(FakeSource.made[1]?.closed).toBe(true);
  vi.useRealTimers();
});
