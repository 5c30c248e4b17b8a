import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { aProblem } from "../../test";
import { anUnseenLoop, aProvenLoop } from "./fixtures";
import { showLoop } from "./show-loop";

const button = (name: string | RegExp) => screen.getByRole("button", { name });

describe("text that no reviewer was shown", () => {
  it("is named with its reasons on the card", () => {
    showLoop(anUnseenLoop());
    const section = within(screen.getByRole("region", { name: "Shown to nobody" }));
    expect(section.getByText("Nobody was shown all of 3 files")).toBeVisible();
    expect(section.getByText("src/schema.sql")).toBeVisible();
    expect(section.getByText("nested too deep")).toBeVisible();
    expect(section.getByText("1 file was read by the built-in rules only")).toBeVisible();
  });

  it("is looked at by a person, who says so of the head and the files that were shown", async () => {
    const { user, host, change } = showLoop(anUnseenLoop());
    const head = anUnseenLoop().head_sha!;
    await user.click(button("I have looked…"));
    const dialog = within(screen.getByRole("dialog", { name: "Have you looked at these 2 files?" }));
    expect(dialog.queryByText("assets/logo.png")).toBeNull();
    expect(dialog.getByText("src/table.py")).toBeVisible();
    await change({ head_sha: "f".repeat(40) });
    await user.click(dialog.getByRole("button", { name: "I have looked" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.called("seen")).toEqual([{ command: "seen", args: { key: "acme/api#482", head_sha: head } }]);
  });

  it("keeps the dialog and says why when it was refused", async () => {
    const { user } = showLoop(anUnseenLoop(), { seen: aProblem("another_head", "It is at another head.", []) });
    await user.click(button("I have looked…"));
    await user.click(button("I have looked"));
    expect(await within(screen.getByRole("dialog")).findByText("It is at another head.")).toBeVisible();
  });

  it("is named in the proof, with who has looked", async () => {
    const proven = aProvenLoop();
    const coverage = { ...anUnseenLoop().coverage!, seen_by: "ana" };
    const { user } = showLoop({ ...proven, coverage, proof: { ...proven.proof!, coverage } });
    const proof = within(screen.getByRole("region", { name: "Not proven" }));
    await user.click(proof.getByRole("button", { name: "No reviewer was shown all of 3 files" }));
    expect(proof.getByText("src/schema.sql")).toBeVisible();
    expect(proof.getByText("@ana has looked at them.")).toBeVisible();
    expect(screen.queryByRole("button", { name: "I have looked…" })).toBeNull();
    expect(screen.queryByRole("region", { name: "Shown to nobody" })).toBeNull();
  });
});
