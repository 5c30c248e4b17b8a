import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { renderUI, sha } from "../test";
import { Sha } from "./Sha";

test("a commit that was copied says so where it stands for a moment, and aloud", async () => {
  renderUI(<Sha sha={sha("9f3c2ab")} />);
  const user = userEvent.setup({ delay: null });
  const button = screen.getByRole("button", { name: "Copy 9f3c2ab" });
  await user.click(button);
  await waitFor(() => expect(button).toHaveTextContent("Copied"));
  expect(await navigator.clipboard.readText()).toBe(sha("9f3c2ab"));
  expect(screen.getAllByRole("status").some((status) => status.textContent === "Copied")).toBe(true);
  await waitFor(() => expect(button).toHaveTextContent("9f3c2ab"), { timeout: 10_000 });
});

test("a commit that could not be copied says so too", async () => {
  renderUI(<Sha sha={sha("9f3c2ab")} />);
  const user = userEvent.setup({ delay: null });
  vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new Error("denied"));
  await user.click(screen.getByRole("button", { name: "Copy 9f3c2ab" }));
  await waitFor(() => expect(screen.getByRole("button", { name: "Copy 9f3c2ab" })).toHaveTextContent("Could not copy to the clipboard"));
});
