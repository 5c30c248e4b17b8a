import { act, configure, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { LinterRun, LoopView, SessionView } from "../../generated/wire";
import { aFinding, ago, aListing, aPull, aProblem, fakeHost, renderUI, type FakeAnswers } from "../../test";
import { aCheck, anOpenCheck, aProvenLoop, aReviewer, aReviewingLoop, aStoppedLoop, aTimeline, greenChecks, manyFindings, someExcerpts } from "./fixtures";
import { LoopDetail } from "./LoopDetail";

// A busy machine answers late.
configure({ asyncUtilTimeout: 10_000 });

function show(loop: LoopView, answers: FakeAnswers = {}, session: Partial<SessionView> = {}) {
  const onClose = vi.fn();
  const host = fakeHost({ answers: { loops: [loop], excerpts: someExcerpts, timeline: aTimeline(8), ...answers } });
  const shown = renderUI(<LoopDetail loopKey={loop.key} onClose={onClose} />, { host, session });
  const change = (changed: Partial<LoopView>) =>
    act(async () => {
      host.emit([{ type: "loop", key: loop.key, changed }]);
      // Once a frame, and then at the next turn.
      await new Promise((done) => requestAnimationFrame(done));
      await new Promise((done) => setTimeout(done, 0));
    });
  return { ...shown, onClose, change, user: userEvent.setup({ delay: null }) };
}

const button = (name: string | RegExp) => screen.getByRole("button", { name });
const part = (name: string) => within(screen.getByRole("region", { name }));

describe("what is told of a loop", () => {
  it("has title, number, author, head, iteration and time", () => {
    show(aReviewingLoop());
    expect(screen.getByRole("heading", { level: 2 })).toHaveTextContent("Cache tenant lookups in the auth middleware");
    expect(screen.getByText("acme/api#482")).toBeVisible();
    expect(screen.getByText("kim")).toBeVisible();
    expect(screen.getByText("from webhook-jitter into main")).toBeInTheDocument();
    expect(screen.getByText("24 lines added, 3 lines removed, in 2 files")).toBeInTheDocument();
    expect(button("Copy 4be81d0")).toBeVisible();
    expect(screen.getByText("round 3 of 5")).toBeVisible();
    expect(screen.getByText(/^12 min/)).toBeVisible();
    expect(screen.getByTitle("Time since the start")).toHaveTextContent("Time since the start 12 min");
  });

  it("marks the step it is at", () => {
    show(aReviewingLoop());
    const steps = within(screen.getByRole("list", { name: "Steps" })).getAllByRole("listitem");
    expect(steps.map((step) => step.textContent)).toEqual(["Checks done", "Review in progress", "Fix done", "Ready not started"]);
    expect(steps.filter((step) => step.getAttribute("aria-current") === "step")).toEqual([steps[1]]);
  });

  it("counts down to the next look at GitHub, and then says that it looks", () => {
    vi.useFakeTimers({ now: Date.now() });
    try {
      show(aReviewingLoop({ next_poll_at: new Date(Date.now() + 2_000).toISOString() }));
      expect(screen.getByRole("button", { name: "Refreshes in 2 s" })).toBeVisible();
      act(() => void vi.advanceTimersByTime(1_000));
      expect(screen.getByRole("button", { name: "Refreshes in 1 s" })).toBeVisible();
      act(() => void vi.advanceTimersByTime(1_000));
      expect(screen.getByRole("button", { name: /^Refreshing/ })).toBeVisible();
    } finally {
      vi.useRealTimers();
    }
  });

  it("says why GitHub is read less often", () => {
    const text = "GitHub is read less often: 1,200 of 5,000 points left until 13:45";
    const throttle = { resource: "graphql", remaining: 1_200, limit: 5_000, until: "2026-01-01T13:45:00Z", text } as const;
    show(aReviewingLoop({ throttle }));
    expect(screen.getByText(text)).toBeVisible();
  });

  it("raises an alarm for what was posted twice, and none else", async () => {
    const { unmount } = show(aReviewingLoop({ duplicated_posts: 1 }));
    expect(screen.getByRole("alert")).toHaveTextContent("GitHub shows one of Collie’s posts more than once.");
    unmount();
    show(aReviewingLoop());
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("says its place in the queue", () => {
    show(aReviewingLoop({ queue_position: 2 }), {}, { engine: { slots: 3, working: 3, queued: 4, process: null, elsewhere: false } });
    expect(screen.getByText("Waiting for a free slot: position 2 of 4")).toBeVisible();
  });

  it("says which workers have its work, where loops live elsewhere", () => {
    const { unmount } = show(aReviewingLoop({ workers: ["rack-1", "rack-2"] }));
    expect(screen.getByText("At work: rack-1, rack-2")).toBeVisible();
    unmount();
    show(aReviewingLoop());
    expect(screen.queryByText(/At work/)).toBeNull();
  });

  it("says its place among all loops of a fleet", () => {
    show(aReviewingLoop({ queue_position: 2 }), {}, { engine: { slots: 3, working: 3, queued: 4, process: null, elsewhere: true } });
    expect(screen.getByText("Waiting for a free slot: position 2 of 4")).toBeVisible();
  });

  it("says whose commits it waits for, and not that a slot is missing", () => {
    const text = "Waiting for acme/api#3, which commits to the same branch";
    show(aReviewingLoop({ state: "pr_fixing", queue_position: 1, branch_holder: { pull: "acme/api#3", text } }));
    expect(screen.getByText(text)).toBeVisible();
    expect(screen.queryByText(/free slot/)).toBeNull();
  });

  it("names what failed and what runs, folds the rest, and leads to a check's page", async () => {
    const checks = [aCheck("unit", "success"), aCheck("e2e", "failure"), anOpenCheck("build", "in_progress"), anOpenCheck("later", "missing")];
    const { user, host } = show(aReviewingLoop({ ci: { status: "failed", passed: 1, failed: 1, running: 2, checks } }));
    const list = part("Checks");
    expect(list.getByText("1 failed · 2 pending · 1 passed")).toBeVisible();
    expect(list.getByText("1 check passed")).toBeVisible();
    expect(list.queryByText("unit")).toBeNull();
    expect(list.getByText("not reported yet")).toBeVisible();
    await user.click(list.getByRole("button", { name: "Open the page of e2e" }));
    expect(host.called("open")).toEqual([{ command: "open", args: { target: { what: "check", key: "acme/api#482", name: "e2e" } } }]);
    await user.click(list.getByRole("button", { name: "Show all 4" }));
    expect(list.getByText("unit")).toBeVisible();
    await user.click(list.getByRole("button", { name: "Show fewer" }));
    expect(list.queryByText("unit")).toBeNull();
  });

  it("tells how each bot stands, and warns of one that only bears the name", () => {
    const bot = { verified: true, until: null };
    show(
      aReviewingLoop({
        bots: [
          { ...bot, login: "a", id: 1, status: "waiting", until: ago(-10) },
          { ...bot, login: "b", id: 2, status: "out_of_quota" },
          { ...bot, login: "c", id: 3, status: "timed_out" },
          { ...bot, login: "d", id: 4, status: "reviewed" },
          { ...bot, login: "e", id: 5, status: "not_expected", verified: false },
        ],
      }),
    );
    const lines = part("Bots").getAllByRole("listitem").map((line) => line.textContent);
    expect(lines[0]).toMatch(/^awaiting until \d\d:\d\d$/);
    expect(lines.slice(1)).toEqual(["bout of quota", "ctimed out", "dreviewed", "eunverifiednot expected"]);
  });

  it("tells what became of the repository's linters", () => {
    const linters: LinterRun[] = [
      { name: "ruff", outcome: "ran", findings: 2 },
      { name: "biome", outcome: "ran", findings: 0 },
      { name: "clippy", outcome: "not_installed" },
      { name: "semgrep", outcome: "timed_out", seconds: 300 },
      { name: "eslint", outcome: "failed", message: "no such rule: Q" },
    ];
    show(aReviewingLoop({ stages: [{ reviewers: [aReviewer({ name: "rules", kind: "rules", linters })] }] }));
    expect(part("Reviewers").getAllByRole("listitem").map((line) => line.textContent)).toEqual([
      "Rulesnot yet",
      "ruff: 2 findings",
      "biome: nothing on changed lines",
      "clippy: not installed here",
      "semgrep was stopped after 300 s",
      "eslint did not run: no such rule: Q",
    ]);
  });

  it("tells who reviews, who asked whom in, and on which head a verdict was given", () => {
    const { rerender } = show(aReviewingLoop());
    expect(part("Reviewers").getAllByRole("listitem").map((line) => line.textContent)).toEqual([
      "Quinnreviewing…",
      "Sam added by Quinnreviewing…",
    ]);
    rerender(<span />);
    show(aStoppedLoop());
    expect(part("Reviewers").getByText("changes requested at 4be81d0")).toBeVisible();
  });

  it("draws the rounds, and has the numbers in a table", () => {
    show(aReviewingLoop());
    const rows = within(screen.getByRole("table", { name: "Findings per round, by priority" })).getAllByRole("row");
    expect(rows.map((row) => row.textContent)).toEqual(["RoundP0 blockingP1 criticalP2 importantP3 suggestionFixedClaimed fixedDeclinedCommit", "112305001c07a9e", "201001004be81d0"]);
    expect(part("Rounds").getByText("12.3K tokens · $0.09")).toBeVisible();
    expect(part("Rounds").queryByText(/All runs/)).toBeNull();
  });

  it("tells the priorities of a round apart by texture, at the size of text", () => {
    show(aReviewingLoop({ rounds: [1, 2].map((iteration) => ({ iteration, p0: 1, p1: 2, p2: 3, p3: 4, fixed: 0, rejected: 0, commit: null })) }));
    const chart = screen.getByRole("region", { name: "Rounds" }).querySelector<SVGElement>("svg:has(g)");
    const patternOf = (fill: string | null) => chart?.querySelector(`[id="${fill?.slice(5, -1)}"]`)?.innerHTML;
    const fills = [...(chart?.querySelectorAll("g:first-of-type rect") ?? [])].map((bar) => patternOf(bar.getAttribute("fill")));
    expect(fills).not.toContain(undefined);
    expect(new Set(fills).size).toBe(4);
    expect(chart?.style.width).toMatch(/rem$/);
  });

  it("tells what all runs of a pull request took once there was more than one", () => {
    show(aReviewingLoop({ usage_all_runs: { input_tokens: 40_000, output_tokens: 2_000, cost_usd: 0.31 } }));
    expect(part("Rounds").getByText("12.3K tokens · $0.09")).toBeVisible();
    expect(part("Rounds").getByText("All runs of this pull request: 42K tokens · $0.31")).toBeVisible();
  });

  it("says of a cost that nobody knows that it is unknown, not that it is nothing", () => {
    show(aReviewingLoop({ usage: { input_tokens: 40_000, output_tokens: 2_000, cost_usd: null, unpriced: true } }));
    expect(part("Rounds").getByText("42K tokens · price unknown")).toBeVisible();
    show(aReviewingLoop({ usage: { input_tokens: 40_000, output_tokens: 2_000, cost_usd: 0.12, unpriced: true } }));
    expect(screen.getByText("42K tokens · $0.12 + unknown")).toBeVisible();
  });

  it("says in one sentence why it is ready, then what is not proven, then the evidence, and nothing twice", async () => {
    const { user, host } = show(aProvenLoop());
    expect(screen.getByText("Ready at 9f3c2ab: 7 checks passed, @ana and the rules approved, 1 finding fixed")).toBeVisible();
    expect(screen.getAllByRole("heading", { level: 3 }).map((heading) => heading.textContent)).toEqual(["Not proven", "Evidence"]);
    expect(part("Not proven").getByText("1 check did not run: nightly")).toBeVisible();
    const evidence = part("Evidence");
    expect(evidence.queryByText("Lock held across await")).toBeNull();
    await user.click(evidence.getByRole("button", { name: /^Findings/ }));
    expect(screen.getAllByText("Lock held across await")).toHaveLength(1);
    await user.click(evidence.getByRole("button", { name: /^Checks/ }));
    await user.click(evidence.getByRole("button", { name: "Open the page of unit" }));
    await user.click(evidence.getByRole("button", { name: "Open the checks on GitHub" }));
    const key = "acme/api#477";
    expect(host.called("open").map(({ args }) => args.target)).toEqual([{ what: "check", key, name: "unit" }, { what: "checks", key }]);
  });

  it("ticks findings off once none is open", () => {
    const icon = () => part("Evidence").getByRole("button", { name: /^Findings/ }).querySelectorAll("svg");
    const ticked = () => [...icon()].some((svg) => svg.classList.contains("lucide-check"));
    const proven = aProvenLoop();
    const { unmount } = show(proven);
    expect(proven.findings.map(({ status }) => status)).toContain("open");
    expect(ticked()).toBe(false);
    unmount();
    show({ ...proven, findings: proven.findings.filter(({ status }) => status === "fixed") });
    expect(ticked()).toBe(true);
  });

  it("shows the description once it is asked for", async () => {
    const { user, host } = show(aReviewingLoop(), { description: { text: "Why it is **needed**" } });
    expect(host.called("description")).toEqual([]);
    await user.click(button("Description"));
    expect(await screen.findByText("needed")).toBeVisible();
  });

  it("has who asked for changes among the reviewers, and says that they are waited for", () => {
    const people = [{ login: "ana", verdict: "request_changes" as const, head_sha: "1c07a9e".padEnd(40, "0"), at: null }];
    show(aReviewingLoop({ people }));
    expect(part("Reviewers").getAllByRole("listitem")[0]).toHaveTextContent("Waiting for @anachanges requested at 1c07a9e (outdated)");
  });

  it("calls nothing fixed that no review has confirmed", () => {
    const round = { iteration: 1, p0: 0, p1: 2, p2: 0, p3: 0, fixed: 2, rejected: 0, commit: "1c07a9e".padEnd(40, "0") };
    const claimed = aFinding({ status: "claimed", fixed_in: [round.commit] });
    show(aReviewingLoop({ rounds: [round], findings: [claimed] }));
    expect(part("Rounds").getByText("Round 1: 2 found, 1 fixed, 1 claimed fixed, 0 declined")).toBeVisible();
  });

  it("says what is left where the rounds are spent", () => {
    const error = { code: "iterations_spent", message: "After 5 pushes, something is still open", hints: [] } as const;
    show(aStoppedLoop({ error: { ...error, hints: [] } }));
    expect(screen.getByText("3 findings still open")).toBeVisible();
  });

  it("keeps the autonomy of a run that has stopped, and none of one that is over", () => {
    const { unmount } = show(aStoppedLoop());
    expect(button(/^Autonomy: /)).toBeVisible();
    unmount();
    show(aReviewingLoop({ state: "merged", blocker: null, can_cancel: false }));
    expect(screen.queryByRole("button", { name: /^Autonomy: / })).toBeNull();
  });

  it("tells what was declined from what stands after every fix, and ticks neither off", () => {
    const proven = aProvenLoop();
    const left = [{ title: "a", declined: "meant" }, { title: "b", declined: "meant" }, { title: "c", declined: null }];
    show({ ...proven, proof: { ...proven.proof!, left } });
    const unproven = part("Not proven");
    expect(unproven.getByRole("button", { name: "2 findings were declined by the fixer" })).toBeVisible();
    expect(unproven.getByRole("button", { name: "1 finding stands after every fix" })).toBeVisible();
    expect(part("Evidence").getByRole("button", { name: /^Findings/ }).querySelector(".text-warn")).not.toBeNull();
  });

  it("says when the proof is of an older head", () => {
    show(aProvenLoop({ state: "pr_reviewing", head_sha: "aaaaaaa".padEnd(40, "0") }));
    expect(part("Proof").getByText(/The head has moved since/)).toBeVisible();
  });

  it("names in the proof what was merged in, and why the merge queue took it out", () => {
    const [head_sha, commit] = ["aaaaaaa".padEnd(40, "0"), "bbbbbbb".padEnd(40, "0")];
    const ejection = { head_sha, word: "", claimed_in: null };
    const { proof } = aProvenLoop();
    const merges = [
      { commit, base_ref: "main", lost_lines: 2 },
      { commit: head_sha, base_ref: "main", lost_lines: 0 },
    ];
    const ejections = [
      { ...ejection, cause: "own_checks" as const, checks: ["build"], claimed_in: commit },
      { ...ejection, cause: "unknown" as const, checks: [], word: "eclipse" },
    ];
    show(aProvenLoop({ proof: proof && { ...proof, merges, ejections } }));
    const shown = part("Evidence");
    expect(shown.getByText("main was merged into the branch by bbbbbbb; 2 lines were left out")).toBeVisible();
    expect(shown.getByText("main was merged into the branch by aaaaaaa")).toBeVisible();
    expect(shown.getByText("Taken out of the merge queue: build failed there on this change alone; bbbbbbb claims to fix that")).toBeVisible();
    expect(shown.getByText("Taken out of the merge queue: GitHub gives a reason that Collie does not know: eclipse")).toBeVisible();
  });

  it.each([
    [{ state: "merged", merge_type: "approved" }, "It was merged into main at 4be81d0, where it was ready."],
    [{ state: "merged", merge_type: "forced" }, "It was merged into main at 4be81d0, before Collie found it ready."],
    [{ state: "closed" }, /closed on GitHub without merging/],
    [{ state: "cancelled" }, /A person cancelled it/],
  ] as const)("tells an end calmly: %o", (end, text) => {
    show(aReviewingLoop({ ...end, blocker: null, can_cancel: false }));
    expect(screen.getByText(text)).toBeVisible();
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.queryByRole("button", { name: "Merge…" })).toBeNull();
  });

  it("says why it stopped and what can be done", () => {
    show(aStoppedLoop());
    expect(screen.getByText("Manual intervention required")).toBeVisible();
    expect(screen.getByText("1 finding came back after it was fixed, and nothing else is left to fix")).toBeVisible();
    expect(screen.getByText("Fix what is listed, push it, then choose “Resume”: Collie continues from your commit.")).toBeVisible();
    expect(button("Dismiss and resume…")).toBeVisible();
  });

  it("reads out a new state of the shown loop, and nothing else", async () => {
    const { change } = show(aReviewingLoop());
    const said = () => screen.getAllByRole("status").map((region) => region.textContent).join("");
    await change({ iteration: 3, elapsed_ms: 5 });
    expect(said()).toBe("");
    await change({ state: "pr_ready_to_merge", blocker: { code: "awaiting_merge", args: {}, text: "Ready: a person decides whether to merge", needs_person: true } });
    expect(said()).toBe("Cache tenant lookups in the auth middleware: Ready to merge. Ready: a person decides whether to merge");
  });
});

describe("findings", () => {
  it("open to what was said and to the code, which is read only then", async () => {
    const finding = aFinding({
      description: "Use `region` **too**, see [the docs](https://example.org/x).\n\n- one\n- two\n\n<img src=x onerror=alert(1)>",
      suggestion: "format!(…)",
    });
    const { user, host, container } = show(aReviewingLoop({ findings: [finding] }));
    const row = button(/Cache key leaves out/);
    expect(row).toHaveAttribute("aria-expanded", "false");
    expect(host.called("excerpts")).toEqual([]);
    await user.click(row);
    expect(row).toHaveAttribute("aria-expanded", "true");
    expect(await screen.findByText("too", { selector: "strong" })).toBeVisible();
    expect(host.called("excerpts")).toEqual([{ command: "excerpts", args: { key: "acme/api#482", fingerprint: "f1" } }]);
    // What others wrote leads nowhere and is no HTML.
    expect(container.querySelector("a, img")).toBeNull();
    expect(screen.getByText(/<img src=x/)).toBeVisible();
    const where = await screen.findByRole("table", { name: "Where it was found" });
    expect(within(where).getAllByRole("row")[4]).toHaveTextContent(/^88added the finding \+.*format!/);
    // Nothing scrolls within what scrolls: long lines wrap.
    expect(where.closest("figure")?.querySelector("[class*=overflow-x-auto], [tabindex]")).toBeNull();
    expect(within(where).getAllByRole("row")[4]?.lastElementChild).toHaveClass("whitespace-pre-wrap");
    await user.click(button("Open 4be81d0 on GitHub"));
    expect(host.called("open").at(-1)).toMatchObject({ args: { target: { what: "commit", sha: "4be81d0".padEnd(40, "0") } } });
  });

  it("name all tools that made one, in the list and in the proof", async () => {
    show(aReviewingLoop({ findings: [aFinding({ also_found_by: ["CodeRabbit", "Copilot"] })] }));
    expect(screen.getByText(/also found by CodeRabbit, Copilot/)).toBeVisible();
    const proven = aProvenLoop();
    const agreements = [{ title: "Cache key leaves out the region", found_by: ["quinn", "CodeRabbit"] }];
    const { user } = show({ ...proven, proof: proven.proof && { ...proven.proof, agreements } });
    await user.click(button(/^Verdicts/));
    expect(screen.getByText("Cache key leaves out the region: found by Quinn, CodeRabbit")).toBeVisible();
  });

  it("say when their lines are gone, and show the evidence instead where there is some", async () => {
    const excerpts = { finding: [], fix_commit: null, fix: [] };
    const { user } = show(aReviewingLoop({ findings: [aFinding({ evidence: "assert left == right" })] }), { excerpts });
    await user.click(button(/Cache key leaves out/));
    expect(await screen.findByText("assert left == right")).toBeVisible();
  });

  it("offer to read the code again when it could not be read", async () => {
    const { user, host } = show(aReviewingLoop({ findings: [aFinding()] }), { excerpts: aProblem("git_failed", "The clone is not there.") });
    await user.click(button(/Cache key leaves out/));
    expect(await screen.findByText("The clone is not there.")).toBeVisible();
    host.answers.excerpts = someExcerpts;
    await user.click(button("Try again"));
    expect(await screen.findByRole("table", { name: "Where it was found" })).toBeVisible();
  });

  it("tell what became of them", () => {
    const commit = "4be81d0".padEnd(40, "0");
    const fates: [Parameters<typeof aFinding>[0], string][] = [
      [{ status: "fixed", fixed_in: [commit] }, "fixed in 4be81d0"],
      [{ status: "stuck", fixed_in: [commit] }, "stands after 4be81d0"],
      [{ status: "rejected", rejection_text: "No." }, "declined"],
      [{ status: "withdrawn" }, "withdrawn"],
      [{ introduced_by_fix: true }, "introduced by the fix"],
      [{ kind: "question" }, "question"],
    ];
    show(aReviewingLoop({ findings: fates.map(([changes], index) => aFinding({ ...changes, fingerprint: `f${index}` })) }));
    for (const [, words] of fates) expect(part("Findings").getByText(words)).toBeVisible();
  });

  it("stay readable when there are 200: what is open by heading, what is settled a click away", async () => {
    const { user } = show(aReviewingLoop({ findings: manyFindings(200) }));
    const list = part("Findings");
    expect(list.getByText("103 open · 57 fixed · 40 settled")).toBeVisible();
    const rows = () => list.getAllByRole("listitem", { hidden: true });
    expect(rows()).toHaveLength(103);
    expect(list.getAllByRole("heading", { level: 4 })[0]).toHaveTextContent(/^P0 blocking/);
    await user.click(list.getByRole("button", { name: "Show 97 settled findings" }));
    expect(rows()).toHaveLength(200);
    await user.click(list.getByRole("radio", { name: "By round" }));
    expect(list.getAllByRole("heading", { level: 4 }).map((heading) => heading.textContent)).toEqual(["Round 450", "Round 350", "Round 250", "Round 150"]);
  }, 30_000);
});

describe("the timeline", () => {
  it("is read when it is opened, and pages through a long journal", async () => {
    const { user, host } = show(aReviewingLoop(), { timeline: aTimeline(1_000) });
    expect(host.called("timeline")).toEqual([]);
    await user.click(screen.getByRole("tab", { name: "Timeline" }));
    const panel = within(await screen.findByRole("tabpanel"));
    await waitFor(() => expect(panel.getAllByRole("listitem")).toHaveLength(100));
    expect(panel.getAllByText("Run 2").length).toBeGreaterThan(0);
    await user.click(panel.getByRole("button", { name: "Show 900 older entries" }));
    expect(panel.getAllByRole("listitem")).toHaveLength(300);
  });

  it("says what went wrong with reading it, or that there is nothing yet", async () => {
    const { user, host } = show(aReviewingLoop(), { timeline: aProblem("store", "The journal cannot be read.") });
    await user.click(screen.getByRole("tab", { name: "Timeline" }));
    expect(await screen.findByText("The journal cannot be read.")).toBeVisible();
    host.answers.timeline = [];
    await user.click(button("Try again"));
    expect(await screen.findByText("Nothing has happened yet")).toBeVisible();
  });
});

describe("what can be done", () => {
  it("cancels only once asked again, and says what is lost and what is not", async () => {
    const { user, host } = show(aReviewingLoop());
    await user.click(button("Cancel…"));
    const dialog = within(screen.getByRole("dialog", { name: "Cancel this run?" }));
    expect(dialog.getByText(/stops immediately/)).toBeVisible();
    expect(dialog.getByText(/Nothing is lost/)).toBeVisible();
    await user.click(dialog.getByRole("button", { name: "Back" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(host.called("cancel")).toEqual([]);
    await waitFor(() => expect(button("Cancel…")).toHaveFocus());
    await user.keyboard("{Enter}");
    await user.click(button("Cancel the run"));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.called("cancel")).toEqual([{ command: "cancel", args: { key: "acme/api#482" } }]);
  });

  it("keeps the focus among the actions when the button that had it goes", async () => {
    const { user, change } = show(aReviewingLoop());
    await user.click(button("Cancel…"));
    await user.click(button("Cancel the run"));
    await waitFor(() => expect(button("Cancel…")).toHaveFocus());
    await change({ state: "cancelled", blocker: null, can_cancel: false, can_retry: true });
    expect(button("Retry…")).toHaveFocus();
  });

  it("says in the dialog why a cancel was refused", async () => {
    const { user } = show(aReviewingLoop(), { cancel: aProblem("no_answer", "No engine runs.", ["Start Collie again."]) });
    await user.click(button("Cancel…"));
    await user.click(button("Cancel the run"));
    const dialog = within(screen.getByRole("dialog"));
    expect(await dialog.findByText("No engine runs.")).toBeVisible();
    expect(dialog.getByText("Start Collie again.")).toBeVisible();
  });

  it.each([
    ["Retry…", "Start a new run?", /not carried over/, "Start a new run", "retry"],
    ["Resume…", "Resume this loop?", /keeps the findings/, "Resume", "resume"],
  ] as const)("%s says what it carries over", async (open, title, text, confirm, command) => {
    const { user, host } = show(aStoppedLoop());
    await user.click(button(open));
    const dialog = within(screen.getByRole("dialog", { name: title }));
    expect(dialog.getByText(text)).toBeVisible();
    await user.click(dialog.getByRole("button", { name: confirm }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.called(command)).toEqual([{ command, args: command === "resume" ? { key: "acme/api#471", rounds: 0 } : { key: "acme/api#471" } }]);
  });

  it("opens GitHub and the worktree, and says when that fails", async () => {
    const { user, host } = show(aStoppedLoop());
    await user.click(button("Open on GitHub"));
    host.answers.open = aProblem("no_worktree", "The worktree is not there any more.");
    await user.click(button("Open worktree"));
    expect(host.called("open").map((call) => call.args.target.what)).toEqual(["item", "worktree"]);
    expect(await screen.findByText("The worktree is not there any more.")).toBeVisible();
  });

  it("closes", async () => {
    const { user, onClose } = show(aReviewingLoop());
    await user.click(button("Close"));
    expect(onClose).toHaveBeenCalledOnce();
  });
});

describe("a pull request without a loop", () => {
  const key = "acme/api#468";
  const open = (pulls: ReturnType<typeof aPull>[], answers: FakeAnswers = {}) =>
    show(aReviewingLoop({ key }), { loops: [], listing: aListing({ pulls }), ...answers });

  it("can be started, and shows its loop as soon as there is one", async () => {
    const { user, host, change } = open([aPull()]);
    expect(await screen.findByRole("heading", { name: "Bump openssl" })).toBeVisible();
    expect(screen.getByText(key)).toBeVisible();
    expect(screen.getByText(/^from \S+ into main$/)).toBeInTheDocument();
    await user.click(button("Start"));
    expect(host.called("start")).toEqual([{ command: "start", args: { key } }]);
    await change(aReviewingLoop({ key, ci: greenChecks }));
    expect(await screen.findByRole("list", { name: "Steps" })).toBeVisible();
  });

  it.each([
    [{ draft: true, skip_reason: "Draft" }, "Collie would wait until it is marked as ready for review on GitHub."],
    [{ auto_merge: true, skip_reason: "Auto-merge is on" }, /its own fix could complete the merge/],
    [{ skip_reason: "Its author is not among those chosen" }, "Its author is not among those chosen"],
  ])("says why the toggle passes it by: %o", async (changes, text) => {
    open([aPull(changes)]);
    expect(await screen.findByText(text)).toBeVisible();
  });

  it("says why it could not be started", async () => {
    const { user } = open([aPull()], { start: aProblem("denied", "kim may not start loops.") });
    await user.click(await screen.findByRole("button", { name: "Start" }));
    expect(await screen.findByText("kim may not start loops.")).toBeVisible();
  });

  it("says when it is not among the open ones, and reads the list again", async () => {
    const { user, host } = open([]);
    expect(await screen.findByText("acme/api#468 is not among the open pull requests")).toBeVisible();
    await user.click(button("Refresh the list"));
    expect(host.called("refresh")).toEqual([{ command: "refresh", args: { repo: "acme/api" } }]);
  });
});
