import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { aReviewingLoop, aProvenLoop, someEarlierRuns } from "./fixtures";
import { showLoop } from "./show-loop";

const section = async () => within(await screen.findByRole("region", { name: "Earlier runs" }));

describe("runs that another one has followed", () => {
  it("are folded, the latest first, and open with the proof as it was", async () => {
    const { user } = showLoop(aReviewingLoop(), { earlier_runs: someEarlierRuns() });
    const runs = (await section()).getAllByRole("button", { expanded: false });
    expect(runs.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^Run 3: Cancelled/),
      expect.stringMatching(/^Run 2: Manual intervention required/),
      expect.stringMatching(/^Run 1: Closed/),
    ]);
    // Cancelled, however ready it once was.
    expect(runs.map((run) => run.querySelector("svg")?.getAttribute("class"))).toEqual([
      expect.stringContaining("lucide-minus"),
      expect.stringContaining("lucide-circle-alert"),
      expect.stringContaining("lucide-minus"),
    ]);
    await user.click(runs[0] as Element);
    const shown = await section();
    expect(shown.getByText("It ended on 9f3c2ab.")).toBeVisible();
    expect(shown.getByText("Seen at 9f3c2ab when it was ready")).toBeVisible();
    expect(shown.getByText("7 checks passed")).toBeVisible();
    expect(shown.getByText("1 finding fixed")).toBeVisible();
    expect(shown.getByRole("button", { name: "Open 4be81d0 on GitHub" })).toBeVisible();
  });

  it("say why they stopped, and where nothing was proven or kept", async () => {
    const { user } = showLoop(aReviewingLoop(), { earlier_runs: someEarlierRuns() });
    const [, stopped, old] = (await section()).getAllByRole("button", { expanded: false });
    await user.click(stopped as Element);
    await user.click(old as Element);
    const shown = await section();
    expect(shown.getByText("It ended on 1c07a9e, which was not ready.")).toBeVisible();
    expect(shown.getByText(/^1 finding came back after it was fixed/)).toBeVisible();
    expect(shown.getByText("Nothing but its times was kept then.")).toBeVisible();
    expect(shown.queryByText(/^Seen at/)).toBeNull();
  });

  it("are beside a present one that is ready, too", async () => {
    showLoop(aProvenLoop(), { earlier_runs: someEarlierRuns() });
    expect((await section()).getAllByRole("button")).toHaveLength(3);
  });

  it("take no place where there are none", async () => {
    const { host } = showLoop(aReviewingLoop());
    await screen.findByRole("region", { name: "Findings" });
    expect(host.called("earlier_runs")).toHaveLength(1);
    expect(screen.queryByRole("region", { name: "Earlier runs" })).toBeNull();
  });
});
