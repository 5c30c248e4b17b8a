// @vitest-environment jsdom
import { afterEach, expect, it, vi } from "vitest";
import type { Command } from "../generated/wire";
import { reportErrors } from "./errors";
import type { Host } from "./host";

const say = console.error;
afterEach(() => {
  console.error = say;
});

it("sends each error of the page to the diagnostics once", () => {
  const heard: Command[] = [];
  const host = { kind: "browser", rpc: (command: Command) => (heard.push(command), Promise.resolve(null)), listen: () => () => undefined };
  console.error = vi.fn();
  reportErrors(host as unknown as Host);
  console.error("no such key", "x");
  console.error("no such key", "x");
  window.dispatchEvent(new ErrorEvent("error", { message: "broken" }));
  expect(heard).toEqual([
    { command: "page_error", args: { text: "no such key x" } },
    { command: "page_error", args: { text: "broken" } },
  ]);
});
