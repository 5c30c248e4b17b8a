import { act, configure, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { Views } from "../../App";
import { aListing, aPull, aRepository, renderUI } from "../../test";
import { paneHeight } from "../../test/window";
import { hostWith } from "../issues/fixtures";

// A busy machine answers late.
configure({ asyncUtilTimeout: 10_000 });

/** What a server keeps from people who may only look, and what from those who may act but not decide. */
const OF_OPERATORS = ["spending", "insights", "settings", "doctor", "set_paused"];
const OF_THE_MACHINE = ["available_repositories", "model_key", "list_models", "detect_credentials"];

function show(address: string, rights: { operate: boolean; own_machine: boolean }, mayWrite: boolean) {
  window.location.hash = address;
  paneHeight(2_000);
  const repositories = [aRepository({ may_write: mayWrite })];
  const listing = aListing({ pulls: [aPull({ key: "acme/api#1", number: 1, title: "Not begun" })] });
  const session = { rights, can_merge: false };
  const host = hostWith(session, { repositories, listing, open_pulls: { pulls: listing.pulls, unread: [], truncated: [] } });
  return { ...renderUI(<Views />, { host, session }), user: userEvent.setup({ delay: null }), asked: () => host.calls.map(({ command }) => command as string) };
}

const READER = { operate: false, own_machine: false };
const OPERATOR = { operate: true, own_machine: false };
const names = (role: "button" | "link" | "menuitem") => screen.queryAllByRole(role).map((element) => element.getAttribute("aria-label") ?? element.textContent ?? "");

test("who may only look is offered nothing that a server refuses, and nothing is asked for that it would", async () => {
  const { user, asked } = show("#/", READER, false);
  await screen.findByRole("grid");
  await screen.findByText("Not begun");
  expect(screen.queryByRole("button", { name: /^Start a loop/ })).toBeNull();
  act(() => screen.getByText("Not begun").closest<HTMLElement>("[role=row]")?.focus());
  await user.keyboard("x");
  const bulk = within(await screen.findByRole("toolbar", { name: "Selected pull requests" }));
  expect(bulk.getAllByRole("button").map((button) => button.getAttribute("aria-label") ?? button.textContent)).toEqual(["Clear the selection"]);
  await user.keyboard("s");
  expect(await screen.findByText(/^You may look\./)).toBeVisible();
  expect(asked()).not.toContain("start");
  await user.keyboard("{Control>}k{/Control}");
  await screen.findByRole("combobox");
  expect(screen.queryAllByRole("option").map(({ textContent }) => textContent)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(Start|Cancel)/)]));
  await user.keyboard("{Escape}");
  await user.click(await screen.findByRole("button", { name: "Close" }));
  act(() => screen.getByText("#482", { exact: false }).closest<HTMLElement>("[role=row]")?.focus());
  await user.keyboard("c");
  expect(await screen.findByText(/^You may look\./)).toBeVisible();
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(asked()).not.toContain("cancel");
  await user.click(screen.getByRole("button", { name: "Close" }));
  expect(names("button")).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(Pause everything|Add repositories|Spent today.*)$/)]));
  expect(names("link")).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(Insights|Settings)$/)]));
  await user.keyboard("4");
  expect(window.location.hash).not.toContain("insights");
  window.location.hash = "#/settings/models";
  expect(await screen.findByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  window.location.hash = "#/repo/acme/api?show=acme%2Fapi%23482";
  await screen.findByText(/^You may look\./);
  expect(screen.getByRole("switch", { name: "Auto-PR-Review" })).toBeDisabled();
  await user.keyboard("c");
  // Beside the loop, and as the answer to the key.
  await waitFor(() => expect(screen.getAllByText(/^You may look\./)).toHaveLength(2));
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(asked()).not.toContain("cancel");
  const actions = within(screen.getByRole("group", { name: "Actions" }));
  expect(actions.getAllByRole("button").map(({ textContent }) => textContent)).toEqual(["Merge…"]);
  expect(screen.queryByRole("button", { name: /^Start a loop/ })).toBeNull();
  expect(asked().filter((command) => [...OF_OPERATORS, ...OF_THE_MACHINE].includes(command))).toEqual([]);
});

test("who decides about a server is offered that, and what only its machine can do is shown to be read", async () => {
  const { asked } = show("#/settings/limits", OPERATOR, true);
  expect(await screen.findByText("These settings can only be read here")).toBeVisible();
  for (const field of screen.queryAllByRole("textbox")) expect(field).toBeDisabled();
  window.location.hash = "#/";
  expect(await screen.findByRole("button", { name: "Pause everything" })).toBeVisible();
  expect(names("link")).toEqual(expect.arrayContaining(["Insights", "Settings"]));
  expect(names("button")).not.toContain("Add repositories");
  expect(await screen.findByRole("button", { name: "Start a loop for Not begun" })).toBeVisible();
  expect(asked()).toContain("spending");
  expect(asked().filter((command) => OF_THE_MACHINE.includes(command))).toEqual([]);
});
