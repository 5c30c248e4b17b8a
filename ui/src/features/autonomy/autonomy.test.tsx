import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { EngineView } from "../../generated/wire";
import { aListing, aProblem, aPull, aRepository, fakeHost, renderUI, type FakeAnswers } from "../../test";
import { AutoReviewSheet, LevelMenu } from "./index";

const pulls = [
  aPull({ number: 12, title: "Trim the log" }),
  aPull({ number: 14, title: "Move the cache", left_out: true }),
  aPull({ number: 15, title: "A draft", draft: true, would_start: false, skip_reason: "Draft" }),
  aPull({ number: 16, title: "Name the port" }),
];

const ENGINE: EngineView = { slots: 3, working: 2, queued: 0, process: null, elsewhere: false };

function showSheet(answers: FakeAnswers = {}, engine = ENGINE) {
  const session = { engine };
  const host = fakeHost({ answers: { listing: aListing({ pulls }), repositories: [], ...answers } });
  const closed = { times: 0 };
  const shown = renderUI(<AutoReviewSheet repo="acme/api" level="observe" onClose={() => (closed.times += 1)} />, { host, session });
  return { ...shown, closed, user: userEvent.setup({ delay: null }) };
}

describe("the sheet behind the toggle", () => {
  it("says how many match, which start now, as whom and how far", async () => {
    const { user } = showSheet();
    const sheet = within(await screen.findByRole("dialog", { name: "Turn Auto-PR-Review on for acme/api?" }));
    expect(await sheet.findByText("3 pull requests match; 1 starts now, 1 waits.")).toBeVisible();
    expect(sheet.getByText(/^Nothing is written as @/)).toBeVisible();
    expect(sheet.queryByLabelText("#15 A draft")).toBeNull();
    await user.click(sheet.getByRole("radio", { name: "Push" }));
    expect(sheet.getByText(/^Comments and pushes as @/)).toBeVisible();
  });

  it("counts by the slots of all workers, and by none where those are not limited", async () => {
    const { unmount } = showSheet({}, { ...ENGINE, slots: 8, working: 2, elsewhere: true });
    expect(await screen.findByText("3 pull requests match; 2 start now.")).toBeVisible();
    unmount();
    showSheet({}, { ...ENGINE, slots: null, working: 0, elsewhere: true });
    expect(await screen.findByText("3 pull requests match. Each starts once a worker has room for it.")).toBeVisible();
    expect(screen.queryByText(/now/)).toBeNull();
  });

  it("starts nothing before it is confirmed, and leaves out what was unticked", async () => {
    const { user, host, closed } = showSheet();
    const box = await screen.findByRole("checkbox", { name: "#12 Trim the log" });
    expect(screen.getByRole("checkbox", { name: "#14 Move the cache" })).not.toBeChecked();
    await user.click(box);
    await user.click(screen.getByRole("radio", { name: "Ask" }));
    expect(host.called("set_auto_review")).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Turn on" }));
    await waitFor(() => expect(closed.times).toBe(1));
    const plan = { autonomy: "ask", except: [12, 14] };
    expect(host.called("set_auto_review")).toEqual([{ command: "set_auto_review", args: { repo: "acme/api", on: true, plan } }]);
  });

  it("stays and says why when it was refused", async () => {
    const { user, closed } = showSheet({ set_auto_review: aProblem("settings_unwritable", "The file cannot be written.", []) });
    await screen.findByRole("checkbox", { name: "#12 Trim the log" });
    await user.click(screen.getByRole("button", { name: "Turn on" }));
    expect(await within(screen.getByRole("dialog")).findByText("The file cannot be written.")).toBeVisible();
    expect(closed.times).toBe(0);
  });
});

describe("the menu of levels", () => {
  it("tells each with what it does, and changes the repository's", async () => {
    const host = fakeHost({ answers: {} });
    renderUI(<LevelMenu repo="acme/api" level="observe" onProblem={() => undefined} />, { host });
    const user = userEvent.setup({ delay: null });
    await user.click(screen.getByRole("button", { name: "Autonomy: observe · what Collie does by itself in acme/api" }));
    expect(await screen.findByRole("menuitemradio", { name: /^Observe/ })).toBeChecked();
    await user.click(screen.getByRole("menuitemradio", { name: /^Ask/ }));
    expect(host.called("set_autonomy")).toEqual([{ command: "set_autonomy", args: { repo: "acme/api", level: "ask" } }]);
  });

  it("reads as a fact, not as something that is done", () => {
    const menu = <LevelMenu repo="acme/api" level="push" onProblem={() => undefined} />;
    const { unmount } = renderUI(menu);
    expect(screen.getByRole("button", { name: /^Autonomy: push/ })).toHaveTextContent("Autonomy: push");
    unmount();
    renderUI(menu, { language: "fr" });
    expect(screen.getByRole("button", { name: /^Autonomie/ })).toHaveTextContent(/^Autonomie\s: pousser$/);
  });

  it("names the repository that it changes, and tells the repository's level where the pull request's is lower", async () => {
    const host = fakeHost({ answers: { repositories: [aRepository({ autonomy: "push" })] } });
    renderUI(<LevelMenu repo="acme/api" level="observe" onProblem={() => undefined} />, { host });
    const user = userEvent.setup({ delay: null });
    await user.click(screen.getByRole("button", { name: /^Autonomy: observe/ }));
    expect(await screen.findByText("What Collie does by itself in acme/api, in every pull request")).toBeVisible();
    expect(screen.getByRole("menuitemradio", { name: /^Push/ })).toBeChecked();
    await user.click(screen.getByRole("menuitemradio", { name: /^Observe/ }));
    expect(host.called("set_autonomy").map(({ args }) => args.level)).toEqual(["observe"]);
  });
});
