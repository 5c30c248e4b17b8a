import { act, configure, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { LoopView } from "../../generated/wire";
import { aFinding, fakeHost, renderUI, sha, type FakeAnswers } from "../../test";
import { aCommit, aDiff, aLargeDiff, anOddDiff, firstFix, secondFix, someChanges } from "../changes/fixtures";
import { aProvenLoop, aReviewingLoop } from "./fixtures";
import { LoopDetail } from "./LoopDetail";

// A busy machine answers late.
configure({ asyncUtilTimeout: 10_000 });

const WIDE_PX = 1_200;

beforeEach(() => {
  // The page has no sizes here, and what has none shows no lines.
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(WIDE_PX);
  HTMLElement.prototype.scrollTo ??= () => undefined;
});

function show(answers: FakeAnswers = {}, loop: LoopView = aReviewingLoop()) {
  const onClose = vi.fn();
  const host = fakeHost({ answers: { loops: [loop], changes: someChanges, commit_diff: ({ sha: asked }) => ({ ...aDiff, sha: asked }), ...answers } });
  const shown = renderUI(<LoopDetail loopKey={loop.key} onClose={onClose} />, { host });
  return { ...shown, host, onClose, user: userEvent.setup({ delay: null }) };
}

const tab = (name: string) => screen.getByRole("tab", { name });
/** The table of lines, once it has some. */
const table = async (name: string | RegExp = /^Lines of/) => {
  const found = await screen.findByRole("table", { name });
  await waitFor(() => expect(within(found).getAllByRole("row").length).toBeGreaterThan(0));
  return found;
};
/** What was said aloud last or before. */
const heard = (text: string) => waitFor(() => expect(screen.getAllByText(text).length).toBeGreaterThan(0));
const button = (name: string | RegExp) => screen.getByRole("button", { name });

describe("the changes", () => {
  it("come and go by the key d, and are asked for only when they are looked at", async () => {
    const { user, host } = show();
    expect(host.called("changes")).toEqual([]);
    await user.keyboard("d");
    expect(tab("Changes")).toHaveAttribute("aria-selected", "true");
    await table();
    expect(host.called("changes")).toHaveLength(1);
    await user.keyboard("d");
    expect(tab("Progress")).toHaveAttribute("aria-selected", "true");
  });

  it("tell commits by round, and show the latest", async () => {
    const { user, host } = show();
    await user.click(tab("Changes"));
    const commits = within(await screen.findByRole("navigation", { name: "Commits" }));
    expect(commits.getAllByRole("heading", { level: 3 }).map((heading) => heading.textContent)).toEqual(["Round 1", "Round 2", "Round 3"]);
    expect(commits.getByText("Not pushed yet")).toBeVisible();
    await table();
    expect(host.called("commit_diff").map(({ args }) => args.sha)).toEqual([sha("77aa001")]);
    await user.click(commits.getByRole("button", { name: /check the signature/ }));
    expect(await table(`Lines of ${firstFix.slice(0, 7)}`)).toBeVisible();
    expect(commits.getByRole("button", { name: /check the signature/ })).toHaveAttribute("aria-current", "true");
  });

  it("fold the commits that are not shown where these stand above the lines", async () => {
    const { user } = show();
    await user.click(tab("Changes"));
    const commits = within(await screen.findByRole("navigation", { name: "Commits" }));
    const hidden = "@max-[47.5rem]:hidden";
    const roundOf = (name: RegExp) => commits.getByRole("button", { name }).closest("section");
    const all = commits.getByRole("button", { name: "All 3 commits" });
    expect(all).toHaveAttribute("aria-expanded", "false");
    expect(all).toHaveClass("@min-[47.5rem]:hidden");
    expect(roundOf(/check the signature/)).toHaveClass(hidden);
    await user.click(all);
    expect(all).toHaveAttribute("aria-expanded", "true");
    expect(roundOf(/check the signature/)).not.toHaveClass(hidden);
    await user.click(commits.getByRole("button", { name: /check the signature/ }));
    expect(all).toHaveAttribute("aria-expanded", "false");
    expect(roundOf(/check the signature/)).not.toHaveClass(hidden);
  });

  it("show each hunk with the finding that it answers, which leads there", async () => {
    const finding = aFinding({ fingerprint: "f2", status: "fixed", fixed_in: [secondFix], title: "Lock held across `await`" });
    const { user } = show({}, aReviewingLoop({ findings: [finding] }));
    await user.click(tab("Changes"));
    const lines = within(await table());
    expect(lines.getByRole("button", { name: /Lock held across/ })).toBeVisible();
    expect(lines.getByRole("button", { name: /Likely for:\s*The cache key forgets the region/ })).toBeVisible();
    expect(lines.getByText(/The lock ends before anything is awaited/)).toBeVisible();
    await user.click(lines.getByRole("button", { name: /Lock held across/ }));
    expect(tab("Progress")).toHaveAttribute("aria-selected", "true");
    const opened = button(/Lock held across/);
    expect(opened).toHaveAttribute("aria-expanded", "true");
    expect(opened).toHaveFocus();
  });

  it("take the window by f and give it back by Escape, and what lies behind cannot be reached", async () => {
    const { user, onClose } = show();
    const behind = document.body.appendChild(document.createElement("div"));
    await user.keyboard("df");
    await table();
    const narrow = button("Back beside the list (f)");
    expect(narrow).toHaveAttribute("aria-pressed", "true");
    expect(behind.inert).toBe(true);
    expect(screen.queryByRole("list", { name: "Steps" })).toBeNull();
    await user.keyboard("{Escape}");
    expect(button("Whole window (f)")).toBeVisible();
    expect(behind.inert).toBe(false);
    expect(onClose).not.toHaveBeenCalled();
    behind.remove();
  });

  it("keep how a person likes them", async () => {
    const first = show();
    await first.user.keyboard("d");
    await table();
    const rows = () => screen.getAllByRole("row").length;
    const unified = rows();
    await first.user.click(screen.getByRole("radio", { name: "Split" }));
    await waitFor(() => expect(rows()).toBeLessThan(unified));
    // The choice has the focus, and takes no letter.
    await first.user.keyboard("n");
    await heard("Hunk 1 of 3");
    first.unmount();
    const second = show();
    await second.user.keyboard("d");
    await table();
    expect(screen.getByRole("radio", { name: "Split" })).toBeChecked();
  });

  it("have only those lines that are in sight", async () => {
    const { user } = show({ commit_diff: aLargeDiff(5_000) });
    await user.keyboard("d");
    const lines = await table();
    expect(Number(lines.getAttribute("aria-rowcount"))).toBeGreaterThan(5_000);
    expect(within(lines).getAllByRole("row").length).toBeLessThan(100);
  });

  it("go from hunk to hunk by n and p, and say where that is", async () => {
    const { user } = show();
    await user.keyboard("d");
    await table();
    await user.keyboard("n");
    await heard("Hunk 1 of 3");
    await user.keyboard("nn");
    await heard("Hunk 3 of 3");
    await user.keyboard("np");
    await heard("Hunk 2 of 3");
  });

  it("say what is not shown, and why", async () => {
    const { user } = show({ commit_diff: anOddDiff });
    await user.keyboard("d");
    const lines = within(await table());
    expect(lines.getByText("Its lines are not shown: binary.")).toBeVisible();
    expect(lines.getByText("Moved without a change.")).toBeVisible();
    expect(lines.getByText("2,004 more lines are not shown. A secret was taken out of what is shown.")).toBeVisible();
    expect(button(/The README names/)).toBeVisible();
  });

  it("say that nothing was pushed, and that a commit is gone or could not be asked for", async () => {
    const none = show({ changes: { rounds: [], files: 0, added: 0, removed: 0, incomplete: false } });
    await none.user.keyboard("d");
    expect(await screen.findByRole("heading", { name: "Nothing pushed yet" })).toBeVisible();
    none.unmount();
    const lost = { ...someChanges, rounds: [{ round: 1, commits: [aCommit({ missing: "gone", files: [], subject: null, at: null })] }] };
    const gone = show({ changes: lost, commit_diff: { ...aDiff, missing: "gone", files: [] } });
    await gone.user.keyboard("d");
    expect(await screen.findByRole("heading", { name: "4be81d0 is not there any more" })).toBeVisible();
    gone.unmount();
    const unreachable = show({ changes: lost, commit_diff: { ...aDiff, missing: "unreachable", files: [] } });
    await unreachable.user.keyboard("d");
    unreachable.host.answers.commit_diff = aDiff;
    await unreachable.user.click(await screen.findByRole("button", { name: "Ask again" }));
    expect(await table()).toBeVisible();
  });
});

describe("the sum of the changes", () => {
  it("stands in the merge dialog and leads to them", async () => {
    const offer = { head_sha: sha("9f3c2ab"), base_ref: "main", methods: ["squash" as const], refusal: null };
    const { user } = show({ merge_offer: offer, changes: { ...someChanges, files: 2, added: 3, removed: 3 } }, aProvenLoop());
    await user.click(button("Merge…"));
    const dialog = within(await screen.findByRole("dialog"));
    const sum = await dialog.findByRole("button", { name: "Collie changed 2 files" });
    expect(dialog.getByText("3 lines added, 3 lines removed")).toBeInTheDocument();
    await user.click(sum);
    await act(async () => undefined);
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(tab("Changes")).toHaveAttribute("aria-selected", "true");
  });

  it("is part of the proof", async () => {
    const { user } = show({ changes: { ...someChanges, incomplete: true } }, aProvenLoop());
    const sum = await screen.findByRole("button", { name: "Collie changed 2 files" });
    expect(screen.getByText("Not all of it could be counted.")).toBeVisible();
    await user.click(sum);
    expect(tab("Changes")).toHaveAttribute("aria-selected", "true");
  });
});
