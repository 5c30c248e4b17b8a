import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { LoopView, Update, WorkerView } from "../../generated/wire";
import { ago, aWorker, fakeHost, renderUI } from "../../test";
import { aBusyFixer, aReviewingLoop, aTimeline } from "./fixtures";
import { LoopDetail } from "./LoopDetail";

const KEY = "acme/api#482";
const OTHER = "acme/api#9";
/** Long enough ago that minutes alone are shown. */
const since = ago(125);
const began = Date.now();

// However long the machine takes for a test, its minutes stay those that it compares.
beforeEach(() => {
  vi.setSystemTime(began);
  return () => vi.useRealTimers();
});

function show(...workers: WorkerView[]) {
  const loops = [aReviewingLoop(), aReviewingLoop({ key: OTHER, title: "Another" })];
  const activities = [
    { key: KEY, workers },
    { key: OTHER, workers: [aBusyFixer()] },
  ];
  const host = fakeHost({ answers: { loops, activities, timeline: aTimeline(4) } });
  const shown = renderUI(<LoopDetail loopKey={KEY} onClose={() => undefined} />, { host });
  const told = (...batch: Update[]) =>
    act(async () => {
      host.emit(batch);
      // Once a frame, and then at the next turn.
      await new Promise((done) => requestAnimationFrame(done));
      await new Promise((done) => setTimeout(done, 0));
    });
  return { ...shown, host, told, user: userEvent.setup({ delay: null }) };
}

const now = (...workers: WorkerView[]): Update => ({ type: "activity", key: KEY, workers });
const changed = (changes: Partial<LoopView>): Update => ({ type: "loop", key: KEY, changed: changes });
const atWork = () => screen.queryByRole("region", { name: "At work" });
const lines = (within_: HTMLElement) => within(within_).getAllByRole("listitem").map((line) => line.textContent);
const said = () => screen.getAllByRole("status").flatMap((region) => [...region.children].map((each) => each.textContent));

test("who is at work is told with what it runs on, since when, and what it does, until it ends", async () => {
  const { told } = show(aWorker({ since }), aBusyFixer({ since, text: "Runs cargo test" }));
  expect(lines(atWork() as HTMLElement)).toEqual([
    "Quinnclaude-sonnet-4-52 h 5 minWriting its answer",
    "Fixercodex 0.169.02 h 5 minRuns cargo test",
  ]);
  await told(now(aWorker({ since, text: "Thinking" })));
  expect(lines(atWork() as HTMLElement)).toEqual(["Quinnclaude-sonnet-4-52 h 5 minThinking"]);
  await told(now());
  expect(atWork()).toBeNull();
});

test("the time that somebody has been at work goes on by itself", () => {
  vi.useFakeTimers({ now: Date.now() });
  try {
    show(aWorker({ since: ago(1) }));
    expect(screen.getByText("1 min")).toBeVisible();
    act(() => void vi.advanceTimersByTime(2_000));
    expect(screen.getByText("1 min 2 s")).toBeVisible();
  } finally {
    vi.useRealTimers();
  }
});

test("a long text keeps to its line, with the whole of it as its title and the end of a path kept in sight", () => {
  const text = "Edits services/billing/internal/adapters/persistence/postgres/ledger_entries_repository.rs";
  show(aWorker({ text }));
  const line = screen.getByTitle(text);
  expect(line).toHaveTextContent(text);
  expect([...line.children].map((part) => part.textContent)).toEqual([
    "Edits services/billing/internal/adapters/persistence/postgres/",
    "ledger_entries_repository.rs",
  ]);
});

test("the timeline begins with what is done now, the latest first, until it ends", async () => {
  const recent = ["One", "Two", "Three", "Four", "Five"].map((text, nth) => ({ at: `2026-03-14T14:0${Math.floor(nth / 2)}:00`, text }));
  const { user, told } = show(aBusyFixer({ since, text: "Six", recent }));
  await user.click(screen.getByRole("tab", { name: "Timeline" }));
  const panel = await screen.findByRole("tabpanel");
  await within(panel).findAllByText(/^Pushed the fix/);
  const [first] = within(panel).getAllByRole("heading", { level: 3 });
  expect(first).toHaveTextContent("Now");
  expect(lines(panel).slice(0, 6)).toEqual(["Fixercodex 0.169.02 h 5 minSix", "14:02:00Five", "14:01:00Four", "Three", "14:00:00Two", "One"]);
  await told(now());
  expect(within(panel).queryByText("Now")).toBeNull();
  expect(within(panel).getAllByRole("listitem")).toHaveLength(4);
});

test("of several at work the timeline shows a few deeds each, and all when asked", async () => {
  const { user } = show(aWorker(), aBusyFixer({ recent: ["One", "Two", "Three", "Four", "Five", "Six"].map((text) => ({ at: ago(1), text })) }));
  await user.click(screen.getByRole("tab", { name: "Timeline" }));
  const panel = await screen.findByRole("tabpanel");
  const deeds = () => within(panel).getAllByText(/^(One|Two|Three|Four|Five|Six)$/).map((line) => line.textContent);
  expect(deeds()).toEqual(["Six", "Five", "Four"]);
  await user.click(within(panel).getByRole("button", { name: "Show 3 more" }));
  expect(deeds()).toEqual(["Six", "Five", "Four", "Three", "Two", "One"]);
});

test("only who begins and who ends is read out, beside a new state of the loop", async () => {
  const { told } = show(aWorker());
  await told(now(aWorker({ text: "Reads" })));
  await told(now(aWorker({ text: "Writes" })));
  expect(said()).toEqual([]);
  await told(now(aWorker(), aWorker({ name: "sam" }), aWorker({ name: "house" })));
  expect(said()).toEqual(["At work: Sam, house"]);
  await told(changed({ state: "pr_fixing", blocker: null }), now(aBusyFixer()));
  expect(said().slice(1)).toEqual(["Cache tenant lookups in the auth middleware: Fixing issues", "No longer at work: Quinn, Sam, house", "At work: Fixer"]);
});

test("to look at another loop reads out nobody", () => {
  const { rerender } = show(aWorker());
  rerender(<LoopDetail loopKey={OTHER} onClose={() => undefined} />);
  expect(within(atWork() as HTMLElement).getByText("Fixer")).toBeVisible();
  expect(said()).toEqual([]);
});
