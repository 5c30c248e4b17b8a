import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { LoopView } from "../../generated/wire";
import { aProblem } from "../../test";
import { anAskingLoop, anObservedLoop } from "./fixtures";
import { showLoop } from "./show-loop";

const button = (name: string | RegExp) => screen.getByRole("button", { name });

describe("a commit that waits to be pushed", () => {
  it("is approved as the person saw it, whatever came since", async () => {
    const { user, host, change } = showLoop(anAskingLoop());
    const { commit } = anAskingLoop().held_push!;
    await user.click(button("Approve push…"));
    const dialog = within(screen.getByRole("dialog", { name: "Push 77aa01c?" }));
    expect(dialog.getByText("src/auth/cache.rs")).toBeVisible();
    await change({ held_push: { ...anAskingLoop().held_push!, commit: "f".repeat(40) } });
    await user.click(dialog.getByRole("button", { name: "Push" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.called("approve_push")).toEqual([{ command: "approve_push", args: { key: "acme/api#482", commit } }]);
  });

  it("is rejected with what the fixer is told", async () => {
    const { user, host } = showLoop(anAskingLoop());
    const { commit } = anAskingLoop().held_push!;
    await user.click(button("Reject…"));
    await user.type(screen.getByRole("textbox", { name: "What should be different?" }), "Keep the name");
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Reject" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const args = { key: "acme/api#482", commit, note: "Keep the name" };
    expect(host.called("reject_push")).toEqual([{ command: "reject_push", args }]);
  });

  it("keeps the dialog and says why when it was refused", async () => {
    const { user } = showLoop(anAskingLoop(), { approve_push: aProblem("another_push", "Another commit waits by now.", []) });
    await user.click(button("Approve push…"));
    await user.click(button("Push"));
    expect(await within(screen.getByRole("dialog")).findByText("Another commit waits by now.")).toBeVisible();
  });
});

describe("an address that asks for a decision", () => {
  const at = (loop: LoopView, ask: string) => {
    window.location.hash = `#/?show=${encodeURIComponent(loop.key)}&ask=${ask}`;
    showLoop(loop);
  };

  it.each([
    ["approve", "Push 77aa01c?", anAskingLoop()],
    ["reject", "Reject 77aa01c?", anAskingLoop()],
    ["resume", "Resume this loop?", { ...anAskingLoop(), held_push: null, can_resume: true }],
  ])("asks once more before it does %s", async (ask, title, loop) => {
    at(loop, ask);
    expect(await screen.findByRole("dialog", { name: title })).toBeVisible();
    expect(window.location.hash).not.toContain("ask=");
  });

  it("asks for nothing that the loop does not wait for", async () => {
    at({ ...anAskingLoop(), held_push: null }, "approve");
    await waitFor(() => expect(window.location.hash).not.toContain("ask="));
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});

describe("a loop that only observes", () => {
  it("shows what it would have posted as it would have looked, and offers no approval", async () => {
    const { user } = showLoop(anObservedLoop());
    const section = within(screen.getByRole("region", { name: "What it would have posted" }));
    expect(section.getByText("src/auth/middleware.rs:88")).toBeVisible();
    await user.click(section.getByText("Review report"));
    expect(await section.findByText("Request changes")).toBeVisible();
    expect(section.queryByText(/collie-action/)).toBeNull();
    expect(section.getByText("77aa01c")).toBeVisible();
    expect(screen.queryByRole("button", { name: "Approve push…" })).toBeNull();
  });
});
