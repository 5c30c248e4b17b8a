import { act, screen, waitFor } from "@testing-library/react";
import { Profiler } from "react";
import { expect, test } from "vitest";
import type { ActivityView, Command, LoopView, OpenPullsView, Update } from "../generated/wire";
import { aListing, aLoop, aProblem, aWorker, fakeHost, renderUI } from "../test";
import { cacheKey, useActivity, useAnswer, useCommand, useLoop, useLoops, useWorkerNames } from ".";

function Titles() {
  return useLoops().map((loop) => <p key={loop.key}>{loop.title}</p>);
}

const titles = () => [...document.querySelectorAll("p")].map((each) => each.textContent);
const patch = (key: string, changed: Partial<LoopView>): Update => ({ type: "loop", key, changed });
const frame = () => act(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20))));

test("a patch changes its loop in place, and a whole one is a new loop", async () => {
  const { host } = renderUI(<Titles />, { host: fakeHost({ answers: { loops: [aLoop({ key: "a/b#1", title: "One" }), aLoop({ key: "a/b#2", title: "Two" })] } }) });
  host.emit([patch("a/b#1", { title: "Another" }), patch("a/b#3", aLoop({ key: "a/b#3", title: "Three" }))]);
  await frame();
  expect(titles()).toEqual(["Another", "Two", "Three"]);
  expect(host.called("loops")).toEqual([]);
});

test("a patch of a loop nobody knows has them read anew", async () => {
  const { host } = renderUI(<Titles />, { host: fakeHost({ answers: { loops: [] } }) });
  host.answers.loops = [aLoop({ key: "a/b#9", title: "Nine" })];
  host.emit([patch("a/b#9", { title: "Nine" })]);
  await waitFor(() => expect(titles()).toEqual(["Nine"]));
});

test("what changes while the loops are being read is put on top of the answer", async () => {
  let answer: (loops: LoopView[]) => void = () => undefined;
  const host = fakeHost({ answers: { loops: () => new Promise<LoopView[]>((resolve) => (answer = resolve)) } });
  renderUI(<Titles />, { host });
  host.emit([patch("a/b#1", { title: "Newer" })]);
  await frame();
  answer([aLoop({ key: "a/b#1", title: "As it was" })]);
  await waitFor(() => expect(titles()).toEqual(["Newer"]));
});

test("fifty loops with twenty changes each are one render of the list and one of each loop", async () => {
  const keys = Array.from({ length: 50 }, (_, nth) => `a/b#${nth + 1}`);
  const rendered = { list: 0, one: 0 };
  function One() {
    return <p>{useLoop("a/b#7")?.title}</p>;
  }
  const { host } = renderUI(
    <>
      <Profiler id="list" onRender={() => (rendered.list += 1)}>
        <Titles />
      </Profiler>
      <Profiler id="one" onRender={() => (rendered.one += 1)}>
        <One />
      </Profiler>
    </>,
    { host: fakeHost({ answers: { loops: keys.map((key) => aLoop({ key })) } }) },
  );
  await frame();
  rendered.list = 0;
  rendered.one = 0;
  for (let turn = 1; turn <= 20; turn += 1) host.emit(keys.map((key) => patch(key, { title: `${key} turn ${turn}` })));
  await frame();
  expect(titles()[0]).toBe("a/b#1 turn 20");
  expect(rendered).toEqual({ list: 1, one: 1 });
  host.emit([patch("a/b#8", { title: "Only this" })]);
  await frame();
  expect(rendered).toEqual({ list: 2, one: 1 });
});

function AtWork({ loopKey }: { loopKey: string }) {
  return useActivity(loopKey).map(({ name: who, text }) => <p key={who}>{`${who}: ${text}`}</p>);
}

test("who is at work on a loop is all that the last update named", async () => {
  const activities = [{ key: "a/b#1", workers: [aWorker({ name: "quinn", text: "Reads" })] }];
  const { host } = renderUI(<AtWork loopKey="a/b#1" />, { host: fakeHost({ answers: { activities } }) });
  const told = async (...batch: Update[]) => {
    host.emit(batch);
    await frame();
    return titles();
  };
  expect(titles()).toEqual(["quinn: Reads"]);
  expect(await told({ type: "activity", key: "a/b#1", workers: [aWorker({ text: "Writes" }), aWorker({ name: "sam", text: "Reads" })] })).toEqual([
    "quinn: Writes",
    "sam: Reads",
  ]);
  expect(await told({ type: "activity", key: "a/b#2", workers: [aWorker({ name: "fixer" })] })).toEqual(["quinn: Writes", "sam: Reads"]);
  const one = (text: string): Update => ({ type: "activity", key: "a/b#1", workers: [aWorker({ text })] });
  expect(await told(one("One"), one("Two"), { type: "activity", key: "a/b#2", workers: [] })).toEqual(["quinn: Two"]);
  expect(await told({ type: "activity", key: "a/b#1", workers: [] })).toEqual([]);
  expect(host.called("activities")).toEqual([]);
});

test("who begins while it is being read who is at work is not lost", async () => {
  let answer: (activities: ActivityView[]) => void = () => undefined;
  const host = fakeHost({ answers: { activities: () => new Promise<ActivityView[]>((resolve) => (answer = resolve)) } });
  renderUI(<AtWork loopKey="a/b#1" />, { host });
  host.emit([{ type: "activity", key: "a/b#1", workers: [aWorker({ text: "Newer" })] }]);
  await frame();
  answer([{ key: "a/b#1", workers: [aWorker({ text: "As it was" })] }]);
  await waitFor(() => expect(titles()).toEqual(["quinn: Newer"]));
});

test("what somebody does renders those who show it, names only those who come and go, and another loop nothing", async () => {
  const rendered = { doing: 0, names: 0 };
  function Names() {
    return <p>{useWorkerNames("a/b#1")}</p>;
  }
  const { host } = renderUI(
    <>
      <Profiler id="doing" onRender={() => (rendered.doing += 1)}>
        <AtWork loopKey="a/b#1" />
      </Profiler>
      <Profiler id="names" onRender={() => (rendered.names += 1)}>
        <Names />
      </Profiler>
    </>,
    { host: fakeHost({ answers: { activities: [{ key: "a/b#1", workers: [aWorker()] }] } }) },
  );
  await frame();
  const told = async (key: string, ...texts: string[]) => {
    rendered.doing = 0;
    rendered.names = 0;
    host.emit(texts.map((text) => ({ type: "activity", key, workers: [aWorker({ text })] })));
    await frame();
    return { ...rendered };
  };
  expect(await told("a/b#1", "One", "Two", "Three")).toEqual({ doing: 1, names: 0 });
  expect(await told("a/b#2", "One")).toEqual({ doing: 0, names: 0 });
});

test("what is stale is read anew where it is shown, by the beginning of its key", async () => {
  function Shown() {
    useAnswer({ command: "listing", args: { repo: "acme/api" } });
    useAnswer({ command: "listing", args: { repo: "acme/web" } });
    useAnswer({ command: "excerpts", args: { key: "acme/api#4", fingerprint: "f1" } });
    return null;
  }
  const host = fakeHost();
  renderUI(<Shown />, { host });
  await frame();
  const asked = async (topics: string[][]) => {
    host.calls.length = 0;
    host.emit([{ type: "stale", topics }]);
    await frame();
    return host.calls.map(({ command }) => command).sort();
  };
  expect(await asked([["listing", "acme/web"]])).toEqual(["listing"]);
  expect(await asked([["listing"]])).toEqual(["listing", "listing"]);
  expect(await asked([["excerpts", "acme/api#4"], ["timeline", "acme/api#4"]])).toEqual(["excerpts"]);
  expect(await asked([[]])).toEqual(["excerpts", "listing", "listing"]);
});

test("what is told stale while it is read for the first time is read once more: its answer may be of before", async () => {
  const answers: ((view: OpenPullsView) => void)[] = [];
  const host = fakeHost({ answers: { open_pulls: () => new Promise<OpenPullsView>((resolve) => answers.push(resolve)) } });
  function Unread() {
    const { data } = useAnswer({ command: "open_pulls" });
    return <p>{data ? `unread: ${data.unread.join()}` : "…"}</p>;
  }
  renderUI(<Unread />, { host });
  await waitFor(() => expect(answers).toHaveLength(1));
  host.emit([{ type: "stale", topics: [["open_pulls"]] }]);
  await frame();
  answers[0]?.({ pulls: [], unread: ["acme/api"], truncated: [] });
  await waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.({ pulls: [], unread: [], truncated: [] });
  expect(await screen.findByText("unread:")).toBeVisible();
  await frame();
  expect(answers).toHaveLength(2);
});

test("keys in the cache are the topics of the wire, then whatever else was asked", () => {
  const check = (command: Command, key: unknown[]) => expect(cacheKey(command)).toEqual(key);
  check({ command: "session" }, ["session"]);
  check({ command: "listing", args: { repo: "a/b" } }, ["listing", "a/b"]);
  check({ command: "excerpts", args: { key: "a/b#1", fingerprint: "f" } }, ["excerpts", "a/b#1", "f"]);
  check({ command: "check_settings", args: { changes: { theme: "dark" } } }, ["check_settings", { theme: "dark" }]);
});

test("an act says that it is under way, then what went wrong, and can be tried again", async () => {
  let refuse = true;
  const host = fakeHost({
    onRun: () => {
      if (refuse) throw aProblem("refused", "GitHub refused", ["Look at its rules"]);
    },
  });
  function Start() {
    const { run, pending, problem } = useCommand();
    return (
      <button type="button" onClick={() => void run({ command: "start", args: { key: "a/b#1" } })}>
        {pending ? "under way" : (problem?.message ?? "start")}
      </button>
    );
  }
  renderUI(<Start />, { host });
  const button = screen.getByRole("button");
  act(() => button.click());
  expect(button).toHaveTextContent("under way");
  await waitFor(() => expect(button).toHaveTextContent("GitHub refused"));
  refuse = false;
  act(() => button.click());
  await waitFor(() => expect(button).toHaveTextContent("start"));
  expect(host.called("start")).toHaveLength(2);
});

test("a listing is asked for once, however many show it", async () => {
  function Count() {
    return <p>{useAnswer({ command: "listing", args: { repo: "acme/api" } }).data?.pulls.length}</p>;
  }
  const host = fakeHost({ answers: { listing: aListing({ pulls: [] }) } });
  renderUI(
    <>
      <Count />
      <Count />
    </>,
    { host },
  );
  await waitFor(() => expect(titles()).toEqual(["0", "0"]));
  expect(host.called("listing")).toHaveLength(1);
});
