import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { anOverBudgetLoop, aReviewingLoop } from "./fixtures";
import { showLoop } from "./show-loop";

describe("a budget that does not pay for the next question", () => {
  it("is said with its amounts, and leads to the limits", async () => {
    showLoop(anOverBudgetLoop());
    expect(screen.getByText(/\$4\.90 of \$5\.00 are spent or reserved/)).toBeVisible();
    await userEvent.click(screen.getByRole("button", { name: "Raise the limit…" }));
    expect(window.location.hash).toBe("#/settings/limits");
  });

  it("is offered to be raised only where it is what is waited for", () => {
    showLoop(aReviewingLoop());
    expect(screen.queryByRole("button", { name: "Raise the limit…" })).toBeNull();
  });
});
