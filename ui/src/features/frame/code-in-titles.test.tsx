import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactElement } from "react";
import { expect, test } from "vitest";
import { Views } from "../../App";
import { CommandDialog } from "../../components";
import { ago, aListing, aLoop, aPull, renderUI, type FakeHost } from "../../test";
import { paneHeight } from "../../test/window";
import { AutoReviewSheet } from "../autonomy";
import { CommitList } from "../changes/CommitList";
import { aCommit, someChanges } from "../changes/fixtures";
import { hostWith } from "../issues/fixtures";
import { NotificationsDialog } from "../notifications";
import { keepNews } from "../notifications/notifications";

const TITLE = "Add `ago` to the log";
const nothing = () => undefined;

/** Draws what stands between backticks as code, and shows no backtick. */
async function showsCode(element: ReactElement, host: FakeHost = hostWith()) {
  const shown = renderUI(element, { host });
  await waitFor(() => expect([...document.querySelectorAll("code")].map(({ textContent }) => textContent)).toContain("ago"));
  expect(document.body.textContent).not.toContain("`");
  return shown;
}

test("the palette draws code in what it lists", async () => {
  const groups = [{ name: "Pull requests", entries: [{ id: "1", label: TITLE, hint: "in `main`", run: nothing }] }];
  await showsCode(<CommandDialog label="Commands" placeholder="" open onClose={nothing} query="" onQuery={nothing} groups={groups} none="Nothing" />);
});

test("notifications draw code in titles and reasons", async () => {
  keepNews([{ id: "1", kind: "failed", key: "acme/api#1", run: "run-1", title: TITLE, code: "stuck", text: "`e2e` hangs", language: "en", at: ago(3) }]);
  await showsCode(<NotificationsDialog open onClose={nothing} />);
});

test("commits draw code in their subjects", async () => {
  const changes = { ...someChanges, rounds: [{ round: 1, commits: [aCommit({ subject: TITLE })] }] };
  await showsCode(<CommitList changes={changes} selected="" file={0} onSelect={nothing} onFile={nothing} />);
});

test("the sheet of Auto-PR-Review draws code in titles", async () => {
  await showsCode(<AutoReviewSheet repo="acme/api" level="push" onClose={nothing} />, hostWith({}, { listing: aListing({ pulls: [aPull({ title: TITLE })] }) }));
});

test("what is asked before several are cancelled draws code in titles", async () => {
  window.location.hash = "#/working";
  paneHeight(2_000);
  const loops = [aLoop({ title: TITLE, state: "pr_fixing" })];
  renderUI(<Views />, { host: hostWith({}, { loops }) });
  const user = userEvent.setup({ delay: null });
  await screen.findByRole("grid");
  await user.keyboard("jx");
  await user.click(screen.getByRole("button", { name: "Cancel 1" }));
  const dialog = await screen.findByRole("dialog");
  expect(dialog.querySelector("code")).toHaveTextContent("ago");
  expect(dialog).not.toHaveTextContent("`");
});
