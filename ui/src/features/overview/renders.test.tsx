import { act, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { Views } from "../../App";
import { aRepository, aWorker, renderUI, type FakeHost } from "../../test";
import { paneHeight } from "../../test/window";
import { hostWith } from "../issues/fixtures";
import { loopsOf } from "./fixtures";

// A row asks for the word of its state once a render.
const rendered = vi.hoisted(() => ({ rows: [] as string[] }));
vi.mock("../../loop-state", async (load) => {
  const real = await load<typeof import("../../loop-state")>();
  return {
    ...real,
    stateWordOf: (...args: Parameters<typeof real.stateWordOf>) => {
      rendered.rows.push(args[0].key);
      return real.stateWordOf(...args);
    },
  };
});

const frame = () => act(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20))));
const rows = () => [...document.querySelectorAll<HTMLElement>('[role="row"][data-key]')];

const loops = loopsOf(1_000);
let host: FakeHost;

beforeEach(async () => {
  paneHeight(600);
  window.location.hash = "#/";
  host = hostWith({}, { loops, repositories: [aRepository()] });
  renderUI(<Views />, { host });
  await screen.findByRole("grid");
  await frame();
  rendered.rows = [];
});

test("of a thousand loops only those in sight are in the page, and all are counted", () => {
  expect(rows().length).toBeGreaterThan(10);
  expect(rows().length).toBeLessThan(60);
  expect(Number(screen.getByRole("grid").getAttribute("aria-rowcount"))).toBeGreaterThan(1_000);
});

test("a change of one loop renders its row and no other", async () => {
  const key = rows()[3]?.dataset.key ?? "";
  host.emit([{ type: "loop", key, changed: { title: "Only this one" } }]);
  await frame();
  expect(rows()[3]).toHaveTextContent("Only this one");
  expect(rendered.rows).toEqual([key]);
});

test("a change of a loop out of sight renders no row", async () => {
  const seen = new Set(rows().map(({ dataset }) => dataset.key));
  const hidden = loops.find(({ key }) => !seen.has(key));
  host.emit([{ type: "loop", key: hidden?.key ?? "", changed: { title: "Nobody sees this" } }]);
  await frame();
  expect(rendered.rows).toEqual([]);
});

test("news about the session, and what somebody does on a loop, render no row", async () => {
  host.emit([{ type: "stale", topics: [["session"], ["repositories"]] }]);
  host.emit([{ type: "activity", key: rows()[3]?.dataset.key ?? "", workers: [aWorker()] }]);
  await frame();
  expect(rendered.rows).toEqual([]);
});
