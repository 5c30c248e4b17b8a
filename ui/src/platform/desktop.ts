import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import type { Update } from "../generated/wire";
import { asProblem, type AnswerTo, type Host } from "./host";

/** The window of the desktop app: one command, one event. */
export const desktop: Host = {
  kind: "desktop",
  rpc: (command) =>
    invoke<AnswerTo<typeof command>>("rpc", { call: command }).catch((thrown: unknown) => {
      throw asProblem(thrown);
    }),
  listen(onUpdates) {
    let stopped = false;
    let unlisten: (() => void) | undefined;
    void listen<Update[]>("collie", (event) => onUpdates(event.payload)).then((stop) => {
      if (stopped) stop();
      else unlisten = stop;
    });
    return () => {
      stopped = true;
      unlisten?.();
    };
  },
};
