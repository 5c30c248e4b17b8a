import { act } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { LoopView } from "../../generated/wire";
import { fakeHost, renderUI, type FakeAnswers } from "../../test";
import { someExcerpts } from "./fixtures";
import { LoopDetail } from "./LoopDetail";

/** For tests: the page of a loop, on a host that has just this one. `change` is what the engine sends of it later. */
export function showLoop(loop: LoopView, answers: FakeAnswers = {}) {
  const host = fakeHost({ answers: { loops: [loop], excerpts: someExcerpts, timeline: [], ...answers } });
  const shown = renderUI(<LoopDetail loopKey={loop.key} onClose={() => undefined} />, { host });
  const change = (changed: Partial<LoopView>) =>
    act(async () => {
      host.emit([{ type: "loop", key: loop.key, changed }]);
      // Once a frame, and then at the next turn.
      await new Promise((done) => requestAnimationFrame(done));
      await new Promise((done) => setTimeout(done, 0));
    });
  return { ...shown, change, user: userEvent.setup({ delay: null }) };
}
