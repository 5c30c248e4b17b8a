import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { aRepository, aProblem } from "../../test";
import { anAskingLoop, anObservedLoop } from "./fixtures";
import { showLoop } from "./show-loop";

const RAISE = "Post, and ask before pushing…";

describe("a loop that only observes", () => {
  it("leads to the autonomy of its repository, which it names before anything is changed", async () => {
    const { user, host } = showLoop(anObservedLoop());
    await user.click(screen.getByRole("button", { name: RAISE }));
    const dialog = within(screen.getByRole("dialog", { name: "Post in acme/api, and ask before each push?" }));
    expect(host.called("set_autonomy")).toEqual([]);
    await user.click(dialog.getByRole("button", { name: "Post and ask" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.called("set_autonomy")).toEqual([{ command: "set_autonomy", args: { repo: "acme/api", level: "ask" } }]);
  });

  it("keeps the dialog and says why when it was refused", async () => {
    const { user } = showLoop(anObservedLoop(), { set_autonomy: aProblem("settings_unwritable", "The file cannot be written.", []) });
    await user.click(screen.getByRole("button", { name: RAISE }));
    await user.click(screen.getByRole("button", { name: "Post and ask" }));
    expect(await within(screen.getByRole("dialog")).findByText("The file cannot be written.")).toBeVisible();
  });

  it("offers nothing where the repository goes further, or it waits for something else", async () => {
    const { unmount } = showLoop(anAskingLoop());
    expect(screen.queryByRole("button", { name: RAISE })).toBeNull();
    unmount();
    showLoop(anObservedLoop(), { repositories: [aRepository({ autonomy: "push" })] });
    await waitFor(() => expect(screen.queryByRole("button", { name: RAISE })).toBeNull());
  });
});
