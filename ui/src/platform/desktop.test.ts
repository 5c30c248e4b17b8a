import { expect, test, vi } from "vitest";
import type { Update } from "../generated/wire";
import { desktop } from "./desktop";

const tauri = vi.hoisted(() => ({
  order: [] as string[],
  say: (_: { payload: Update[] }): void => undefined,
}));
vi.mock("@tauri-apps/api/event", () => ({
  listen: async (name: string, hear: typeof tauri.say) => {
    await new Promise((resolve) => setTimeout(resolve));
    tauri.order.push(name);
    tauri.say = hear;
  },
}));
vi.mock("@tauri-apps/api/core", () => ({
  invoke: async (name: string) => {
    tauri.order.push(name);
    return [];
  },
}));

test("the event is listened to before anything is asked, and what it says before anybody hears is kept", async () => {
  const host = await desktop();
  await host.rpc({ command: "loops" });
  expect(tauri.order).toEqual(["collie", "rpc"]);
  tauri.say({ payload: [{ type: "show", key: "a/b#1" }] });
  const heard: Update[][] = [];
  host.listen((batch) => heard.push(batch));
  tauri.say({ payload: [{ type: "show", key: "a/b#2" }] });
  expect(heard).toEqual([[{ type: "show", key: "a/b#1" }], [{ type: "show", key: "a/b#2" }]]);
});
