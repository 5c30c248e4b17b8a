import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import type { Update } from "../generated/wire";
import { asProblem, type AnswerTo, type Host } from "./host";
import { updateBuffer } from "./update-buffer";

/** The window of the desktop app: one command, one event. It is listened to already when this resolves. */
export async function desktop(): Promise<Host> {
  const updates = updateBuffer();
  await listen<Update[]>("collie", (event) => updates.push(event.payload));
  return {
    kind: "desktop",
    setZoom: (factor) => void getCurrentWebview().setZoom(factor).catch((thrown: unknown) => console.error("the window could not be zoomed", thrown)),
    rpc: (command) =>
      invoke<AnswerTo<typeof command>>("rpc", { call: command }).catch((thrown: unknown) => {
        throw asProblem(thrown);
      }),
    listen: updates.listen,
  };
}
