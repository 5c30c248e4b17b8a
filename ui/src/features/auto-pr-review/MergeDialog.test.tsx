import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { LoopView, MergeOfferView, SessionView } from "../../generated/wire";
import { aProblem, fakeHost, renderUI, sha, type FakeAnswers } from "../../test";
import { aProvenLoop, aReviewingLoop } from "./fixtures";
import { LoopDetail } from "./LoopDetail";

const head = sha("9f3c2ab");
const next = sha("77aa001");
const offer: MergeOfferView = { head_sha: head, base_ref: "main", methods: ["squash", "merge", "rebase"], refusal: null };

function show(answers: FakeAnswers = {}, session: Partial<SessionView> = {}, loop: LoopView = aProvenLoop()) {
  const host = fakeHost({ answers: { loops: [loop], merge_offer: offer, merge: { sha: sha("c0ffee1"), by: "kim" }, ...answers } });
  const shown = renderUI(<LoopDetail loopKey={loop.key} onClose={() => undefined} />, { host, session });
  const emit = (...batch: Parameters<typeof host.emit>[0]) =>
    act(async () => {
      host.emit(batch);
      // Once a frame, and then at the next turn.
      await new Promise((done) => requestAnimationFrame(done));
      await new Promise((done) => setTimeout(done, 0));
    });
  return { ...shown, emit, user: userEvent.setup({ delay: null }) };
}

async function open(shown: ReturnType<typeof show>) {
  await shown.user.click(screen.getByRole("button", { name: "Merge…" }));
  return within(await screen.findByRole("dialog", { name: "Merge #477" }));
}

const confirm = "Merge 9f3c2ab into main";

describe("merging", () => {
  it("shows what it rests on, and merges the head that was seen by the method that was chosen", async () => {
    const shown = show();
    const dialog = await open(shown);
    expect(await dialog.findByText("7 checks passed")).toBeVisible();
    expect(dialog.getByText("1 skipped")).toBeVisible();
    expect(dialog.getByText("kim")).toBeVisible();
    expect(dialog.getByText("Repository").nextElementSibling).toHaveTextContent("acme/api");
    expect(dialog.getAllByRole("radio").map((radio) => radio.getAttribute("value"))).toEqual(["squash", "merge", "rebase"]);
    expect(dialog.getByRole("radio", { name: /Squash/ })).toBeChecked();
    await shown.user.click(dialog.getByRole("radio", { name: /Rebase/ }));
    await shown.user.click(dialog.getByRole("button", { name: confirm }));
    expect(await dialog.findByText("kim merged 9f3c2ab into main as c0ffee1.")).toBeVisible();
    expect(shown.host.called("merge")).toEqual([{ command: "merge", args: { key: "acme/api#477", head_sha: head, method: "rebase" } }]);
    // The news of it does not take the answer away.
    await shown.emit({ type: "loop", key: "acme/api#477", changed: { state: "merged", merge_type: "approved", can_merge: false, can_cancel: false } });
    expect(dialog.getByText("kim merged 9f3c2ab into main as c0ffee1.")).toBeVisible();
    await shown.user.click(dialog.getByRole("button", { name: "Done" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.getByText("It was merged into main at 9f3c2ab, where it was ready.")).toBeVisible();
    await waitFor(() => expect(screen.getByRole("button", { name: "Open on GitHub" })).toHaveFocus());
  }, 30_000);

  it("shows the proof before the methods, and explains the one that is chosen", async () => {
    const shown = show();
    const dialog = await open(shown);
    const methods = await dialog.findByRole("group", { name: "Method" });
    const proof = dialog.getByRole("region", { name: "Proof" });
    expect(proof.compareDocumentPosition(methods) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    expect(dialog.getByText("All changes in one commit.")).toBeVisible();
    expect(dialog.queryByText("All commits, rebased onto the base.")).toBeNull();
    dialog.getByRole("radio", { name: "Squash" }).focus();
    await shown.user.keyboard("{ArrowRight}");
    expect(dialog.getByRole("radio", { name: "Merge commit" })).toBeChecked();
    expect(dialog.getByText("All commits, joined by a merge commit.")).toBeVisible();
  });

  it("says why it is refused, and looks again when asked", async () => {
    const shown = show({ merge_offer: { ...offer, refusal: { code: "conflict", message: "It conflicts with main.", hints: ["Resolve it."] } } });
    const dialog = await open(shown);
    expect(await dialog.findByText("It conflicts with main.")).toBeVisible();
    expect(dialog.getByText("Resolve it.")).toBeVisible();
    expect(dialog.getByRole("button", { name: confirm })).toBeDisabled();
    shown.host.answers.merge_offer = offer;
    await shown.user.click(dialog.getByRole("button", { name: "Look again" }));
    await waitFor(() => expect(dialog.getByRole("button", { name: confirm })).toBeEnabled());
  });

  it.each([
    ["GitHub tells of it", async (shown: ReturnType<typeof show>) => {
      shown.host.answers.merge_offer = { ...offer, head_sha: next };
      await shown.emit({ type: "stale", topics: [["merge_offer", "acme/api#477"]] });
    }],
    ["the loop tells of it", async (shown: ReturnType<typeof show>) => {
      shown.host.answers.merge_offer = { ...offer, head_sha: next };
      await shown.emit({ type: "loop", key: "acme/api#477", changed: { head_sha: next } });
    }],
  ])("asks to look again when the head moved while it is open: %s", async (_, move) => {
    const shown = show();
    const dialog = await open(shown);
    await waitFor(() => expect(dialog.getByRole("button", { name: confirm })).toBeEnabled());
    await move(shown);
    expect(await dialog.findByText("You looked at 9f3c2ab; the head is now 77aa001. Look again before you merge.")).toBeVisible();
    // Nothing was taken over silently.
    expect(dialog.getByRole("button", { name: confirm })).toBeDisabled();
    await shown.user.click(dialog.getByRole("button", { name: "Look again" }));
    expect(await dialog.findByRole("button", { name: "Merge 77aa001 into main" })).toBeEnabled();
    expect(shown.host.called("merge")).toEqual([]);
  });

  it("does not take over a moved head when looking again fails, nor merges while GitHub cannot be asked", async () => {
    const shown = show();
    const dialog = await open(shown);
    await waitFor(() => expect(dialog.getByRole("button", { name: confirm })).toBeEnabled());
    shown.host.answers.merge_offer = { ...offer, head_sha: next };
    await shown.emit({ type: "stale", topics: [["merge_offer", "acme/api#477"]] });
    await dialog.findByText(/the head is now 77aa001/);
    shown.host.answers.merge_offer = aProblem("unreachable", "GitHub does not answer.");
    await shown.user.click(dialog.getByRole("button", { name: "Look again" }));
    expect(await dialog.findByText("GitHub does not answer.")).toBeVisible();
    expect(dialog.getByRole("button", { name: confirm })).toBeDisabled();
    expect(dialog.queryByRole("button", { name: /77aa001/ })).toBeNull();
  });

  it("merges nothing after it could not be asked anew in the background", async () => {
    const shown = show();
    const dialog = await open(shown);
    await waitFor(() => expect(dialog.getByRole("button", { name: confirm })).toBeEnabled());
    shown.host.answers.merge_offer = aProblem("unreachable", "GitHub does not answer.");
    await shown.emit({ type: "stale", topics: [["merge_offer", "acme/api#477"]] });
    expect(await dialog.findByText("GitHub does not answer.")).toBeVisible();
    expect(dialog.getByRole("button", { name: confirm })).toBeDisabled();
  });

  it("takes the head that the loop came to while it looked again", async () => {
    const shown = show();
    const dialog = await open(shown);
    await waitFor(() => expect(dialog.getByRole("button", { name: confirm })).toBeEnabled());
    const moved = { ...offer, head_sha: next };
    shown.host.answers.merge_offer = moved;
    await shown.emit({ type: "stale", topics: [["merge_offer", "acme/api#477"]] });
    const look = await dialog.findByRole("button", { name: "Look again" });
    let arrive: (offer: MergeOfferView) => void = () => undefined;
    shown.host.answers.merge_offer = () => new Promise((done) => (arrive = done));
    await shown.user.click(look);
    await shown.emit({ type: "loop", key: "acme/api#477", changed: { head_sha: next } });
    await act(async () => arrive(moved));
    expect(await dialog.findByRole("button", { name: "Merge 77aa001 into main" })).toBeEnabled();
  });

  it.each([
    ["into another branch", { base_ref: "release" }, "Merge 9f3c2ab into release", "squash"],
    ["by other methods", { methods: ["merge"] }, confirm, "merge"],
  ] satisfies [string, Partial<MergeOfferView>, string, string][])("asks to look again when it would go %s while it is open", async (_, changed, button, method) => {
    const shown = show();
    const dialog = await open(shown);
    await waitFor(() => expect(dialog.getByRole("button", { name: confirm })).toBeEnabled());
    shown.host.answers.merge_offer = { ...offer, ...changed };
    await shown.emit({ type: "stale", topics: [["merge_offer", "acme/api#477"]] });
    expect(await dialog.findByText("This merge has changed")).toBeVisible();
    expect(dialog.getByRole("button", { name: /^Merge 9f3c2ab into/ })).toBeDisabled();
    await shown.user.click(dialog.getByRole("button", { name: "Look again" }));
    await waitFor(() => expect(dialog.getByRole("button", { name: button })).toBeEnabled());
    await shown.user.click(dialog.getByRole("button", { name: button }));
    expect(shown.host.called("merge")[0]?.args).toMatchObject({ head_sha: head, method });
  });

  it("says when it is no longer ready", async () => {
    const shown = show();
    const dialog = await open(shown);
    await waitFor(() => expect(dialog.getByRole("button", { name: confirm })).toBeEnabled());
    await shown.emit({
      type: "loop",
      key: "acme/api#477",
      changed: { state: "pr_awaiting_checks", can_merge: false, blocker: { code: "checks_running", args: {}, text: "e2e runs again", needs_person: false } },
    });
    expect(dialog.getByText(/e2e runs again\. Close this/)).toBeVisible();
    expect(dialog.getByRole("button", { name: confirm })).toBeDisabled();
  });

  it("says what came of a merge that failed, and keeps the dialog open", async () => {
    const shown = show({ merge: aProblem("head_moved", "Somebody pushed; nothing was merged.", ["Look at it."]) });
    const dialog = await open(shown);
    await shown.user.click(await dialog.findByRole("button", { name: confirm }));
    expect(await dialog.findByText("Somebody pushed; nothing was merged.")).toBeVisible();
    expect(dialog.getByText("Look at it.")).toBeVisible();
    // Not before the person has seen what is there now.
    expect(dialog.getByRole("button", { name: confirm })).toBeDisabled();
    await shown.user.click(dialog.getByRole("button", { name: "Open on GitHub" }));
    expect(shown.host.called("open")).toHaveLength(1);
    await shown.user.click(dialog.getByRole("button", { name: "Look again" }));
    await waitFor(() => expect(dialog.queryByText("Somebody pushed; nothing was merged.")).toBeNull());
  });

  it("asks GitHub each time it is opened", async () => {
    const shown = show({ merge_offer: { ...offer, refusal: { code: "conflict", message: "It conflicts with main.", hints: [] } } });
    const dialog = await open(shown);
    await dialog.findByText("It conflicts with main.");
    await shown.user.click(dialog.getByRole("button", { name: "Back" }));
    shown.host.answers.merge_offer = () => new Promise(() => undefined);
    const again = await open(shown);
    expect(again.getByText("Asking GitHub how it may be merged…")).toBeVisible();
    expect(again.queryByText("It conflicts with main.")).toBeNull();
    expect(again.getByRole("button", { name: confirm })).toBeDisabled();
  });

  it("says when GitHub cannot be asked", async () => {
    const shown = show({ merge_offer: aProblem("unreachable", "GitHub does not answer.") });
    const dialog = await open(shown);
    expect(await dialog.findByText("GitHub does not answer.")).toBeVisible();
    shown.host.answers.merge_offer = offer;
    await shown.user.click(dialog.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(dialog.getByRole("button", { name: confirm })).toBeEnabled());
  });

  it("cannot be begun while it is not ready, and says so where the button is", async () => {
    const shown = show({}, { can_merge: true }, aReviewingLoop({ key: "acme/api#477" }));
    const button = screen.getByRole("button", { name: "Merge…" });
    expect(button).toHaveAttribute("aria-disabled", "true");
    act(() => button.focus());
    expect(await screen.findByRole("tooltip")).toHaveTextContent("You can merge it once it is ready.");
    await shown.user.keyboard("{Enter}");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(shown.host.called("merge_offer")).toEqual([]);
  });

  it("is done on GitHub where this is no desktop window", async () => {
    const shown = show({}, { can_merge: false }, aProvenLoop());
    expect(screen.queryByRole("button", { name: "Merge…" })).toBeNull();
    await shown.user.click(screen.getByRole("button", { name: "Merge on GitHub" }));
    expect(shown.host.called("open")).toEqual([{ command: "open", args: { target: { what: "item", key: aProvenLoop().key } } }]);
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(shown.host.called("merge_offer")).toEqual([]);
  });
});
