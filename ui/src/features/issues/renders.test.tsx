import { act, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { Views } from "../../App";
import type { LoopView } from "../../generated/wire";
import { aWorker, renderUI, type FakeHost } from "../../test";
import { hostWith, listingOf, manyLoops } from "./fixtures";

// A row asks for its sentence once a render.
const rendered = vi.hoisted(() => ({ rows: 0 }));
vi.mock("./rows", async (load) => {
  const real = await load<typeof import("./rows")>();
  return {
    ...real,
    summaryOf: (...args: Parameters<typeof real.summaryOf>) => {
      rendered.rows += 1;
      return real.summaryOf(...args);
    },
  };
});

const frame = () => act(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20))));
const titleOf = (loop: LoopView | undefined) => document.querySelector(`[data-key="${loop?.key}"] .font-medium`)?.textContent;

const loops = manyLoops(50);
let host: FakeHost;

beforeEach(async () => {
  window.location.hash = "#/repo/acme/api";
  host = hostWith({}, { loops, listing: listingOf(loops) });
  renderUI(<Views />, { host });
  await screen.findByRole("grid");
  await frame();
  rendered.rows = 0;
});

test("fifty loops that change twenty times within a frame render each row once", async () => {
  for (let turn = 1; turn <= 20; turn += 1) host.emit(loops.map(({ key }) => ({ type: "loop", key, changed: { title: `turn ${turn}` } })));
  await frame();
  expect(titleOf(loops[49])).toBe("turn 20");
  expect(rendered.rows).toBe(50);
});

test("a change of one loop renders its row and no other", async () => {
  host.emit([{ type: "loop", key: loops[7]?.key ?? "", changed: { title: "Only this one" } }]);
  await frame();
  expect(titleOf(loops[7])).toBe("Only this one");
  expect(rendered.rows).toBe(1);
});

test("news about the session and the repositories renders no row", async () => {
  host.emit([{ type: "stale", topics: [["session"], ["repositories"]] }]);
  await frame();
  expect(rendered.rows).toBe(0);
});

test("what somebody does on a loop renders no row", async () => {
  host.emit([{ type: "activity", key: loops[7]?.key ?? "", workers: [aWorker()] }]);
  await frame();
  expect(rendered.rows).toBe(0);
});
