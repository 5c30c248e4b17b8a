import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import type { Update } from "../generated/wire";
import { asProblem, type AnswerTo, type Host } from "./host";
import { updateBuffer } from "./update-buffer";

/** The window of the desktop app: one command, one event. It is listened to already when this resolves. */
export async function desktop(): Promise<Host> {
  const updates = updateBuffer();
  await listen<Update[]>("collie", (event) => updates.push(event.payload));
  return {
    kind: "desktop",
    rpc: (command) =>
      invoke<AnswerTo<typeof command>>("rpc", { call: command }).catch((thrown: unknown) => {
        throw asProblem(thrown);
      }),
    listen: updates.listen,
  };
}
