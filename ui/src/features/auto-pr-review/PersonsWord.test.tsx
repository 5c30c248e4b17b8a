import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { LoopView } from "../../generated/wire";
import { textIn } from "../../i18n";
import { aFinding, aProblem } from "../../test";
import { aReviewingLoop, aStoppedLoop } from "./fixtures";
import { showLoop } from "./show-loop";

const key = "acme/api#471";
const button = (name: string | RegExp) => screen.getByRole("button", { name });
const dialog = () => within(screen.getByRole("dialog"));
const oneStanding = (changes: Partial<LoopView> = {}) => aStoppedLoop({ findings: [aFinding({ status: "stuck" })], ...changes });

describe("a finding that does not matter", () => {
  it("is dismissed with a reason, and the run resumed, from the box that says why it stopped", async () => {
    const { host, user } = showLoop(oneStanding());
    await user.click(button("Dismiss and resume…"));
    const confirm = dialog().getByRole("button", { name: "Dismiss and resume" });
    expect(confirm).toBeDisabled();
    await user.type(dialog().getByLabelText("Reason"), "  Meant as it is. ");
    await user.click(confirm);
    expect(host.called("dismiss")).toEqual([{ command: "dismiss", args: { key, fingerprint: "f1", reason: "Meant as it is." } }]);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.called("resume")).toEqual([{ command: "resume", args: { key, rounds: 0 } }]);
  });

  it("is chosen where several stand", async () => {
    const { host, user } = showLoop(aStoppedLoop());
    await user.click(button("Dismiss and resume…"));
    await user.click(dialog().getByRole("button", { name: /The new branch is never reached/ }));
    await user.type(dialog().getByLabelText("Reason"), "Dead on purpose");
    await user.click(dialog().getByRole("button", { name: "Dismiss" }));
    expect(host.called("dismiss")[0]?.args.fingerprint).toBe("f3");
    expect(host.called("resume")).toEqual([]);
  });

  it("stays, and the dialog open, when it is refused", async () => {
    const { host, user } = showLoop(oneStanding(), { dismiss: aProblem("no_finding", "It no longer has this finding.") });
    await user.click(button("Dismiss and resume…"));
    await user.type(dialog().getByLabelText("Reason"), "Meant");
    await user.click(dialog().getByRole("button", { name: "Dismiss and resume" }));
    expect(await dialog().findByText("It no longer has this finding.")).toBeVisible();
    expect(host.called("resume")).toEqual([]);
  });

  it("says who dismissed it and why, and cannot be dismissed again", async () => {
    const dismissal = { by: "ana", reason: "Meant as it is", at: "2026-03-14T10:00:00Z" };
    const { user } = showLoop(aReviewingLoop({ findings: [aFinding({ status: "dismissed", dismissal, can_dismiss: false })] }));
    expect(screen.getByText("dismissed by @ana")).toBeVisible();
    await user.click(button(/Cache key leaves out/));
    expect(screen.getByText("@ana dismissed it: Meant as it is")).toBeVisible();
    expect(screen.queryByRole("button", { name: "Dismiss…" })).toBeNull();
  });
});

describe("a finding that stands", () => {
  it("is spoken of to the fixer, and opened on GitHub and in the editor", async () => {
    const { host, user } = showLoop(aReviewingLoop({ findings: [aFinding()] }));
    await user.click(button(/Cache key leaves out/));
    await user.click(button("Open thread"));
    await user.click(button("Open in editor"));
    const at = { key: "acme/api#482", fingerprint: "f1" };
    expect(host.called("open").map(({ args }) => args.target)).toEqual([
      { what: "thread", ...at },
      { what: "code", ...at },
    ]);
    await user.click(button("Tell the fixer…"));
    await user.type(dialog().getByLabelText("Note"), "Keep the name.");
    await user.click(dialog().getByRole("button", { name: "Send" }));
    expect(host.called("note")).toEqual([{ command: "note", args: { ...at, text: "Keep the name." } }]);
  });

  it("offers nothing that leads nowhere", async () => {
    const { user } = showLoop(aReviewingLoop({ findings: [aFinding({ can_dismiss: false, has_page: false, file: "" })] }));
    await user.click(button(/Cache key leaves out/));
    const actions = within(screen.getByRole("group", { name: "What you can do about this finding" }));
    expect(actions.getAllByRole("button").map((each) => each.textContent)).toEqual(["Tell the fixer…"]);
  });
});

describe("a run whose rounds are spent", () => {
  it("goes on with two more", async () => {
    const error = { code: "iterations_spent" as const, message: "5 rounds are spent", hints: [] };
    const { host, user } = showLoop(oneStanding({ error }));
    await user.click(button("2 more rounds…"));
    expect(dialog().getByText(/may push up to 7 times/)).toBeVisible();
    await user.click(dialog().getByRole("button", { name: "Resume" }));
    expect(host.called("resume")).toEqual([{ command: "resume", args: { key, rounds: 2 } }]);
  });

  it("is offered none where another thing stopped it", () => {
    showLoop(oneStanding());
    expect(screen.queryByRole("button", { name: "2 more rounds…" })).toBeNull();
  });
});

describe("what a person can do about a run that stopped", () => {
  const t = textIn("en");
  const hints = ["hint-fix-yourself", "hint-dismiss", "hint-resume", "hint-more-iterations"].map((key) => t(key));
  const stopped = (code: "stuck" | "iterations_spent", changes: Partial<LoopView> = {}) => oneStanding({ error: { code, message: "It stopped", hints }, ...changes });
  const told = () => hints.filter((hint) => screen.queryByText(hint) !== null);

  it("is said once: as a button, or else in words", () => {
    const { unmount } = showLoop(stopped("iterations_spent"));
    expect(told()).toEqual([t("hint-fix-yourself")]);
    expect(screen.getAllByText("What you can do")).toHaveLength(1);
    expect(screen.getByRole("group", { name: "What you can do" })).toBeVisible();
    unmount();
    // No button gives more rounds.
    showLoop(stopped("stuck"));
    expect(told()).toEqual([t("hint-fix-yourself"), t("hint-more-iterations")]);
  });

  it("is said in words where no button does it", () => {
    showLoop(stopped("stuck", { can_resume: false, findings: [] }));
    expect(told()).toEqual(hints);
  });
});
