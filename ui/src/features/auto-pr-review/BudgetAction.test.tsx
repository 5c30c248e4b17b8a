import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { LoopView } from "../../generated/wire";
import { fakeHost, renderUI } from "../../test";
import { anOverBudgetLoop, aReviewingLoop, someExcerpts } from "./fixtures";
import { LoopDetail } from "./LoopDetail";

function show(loop: LoopView) {
  const host = fakeHost({ answers: { loops: [loop], excerpts: someExcerpts, timeline: [] } });
  renderUI(<LoopDetail loopKey={loop.key} onClose={() => undefined} />, { host });
}

describe("a budget that does not pay for the next question", () => {
  it("is said with its amounts, and leads to the limits", async () => {
    show(anOverBudgetLoop());
    expect(screen.getByText(/\$4\.90 of \$5\.00 are spent or reserved/)).toBeVisible();
    await userEvent.click(screen.getByRole("button", { name: "Raise the limit…" }));
    expect(window.location.hash).toBe("#/settings/limits");
  });

  it("is offered to be raised only where it is what is waited for", () => {
    show(aReviewingLoop());
    expect(screen.queryByRole("button", { name: "Raise the limit…" })).toBeNull();
  });
});
