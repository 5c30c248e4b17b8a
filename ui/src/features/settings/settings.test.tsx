import { act, configure, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { DoctorLine, JsonValue, SessionView, SettingsView } from "../../generated/wire";
import { aListing, aProblem, aRepository, aSession, fakeHost, renderUI, type FakeAnswers } from "../../test";
import { commandOf, lineOf } from "./command";
import { allSettings, MODELS, offered, REPOSITORIES } from "./fixtures";
import { Settings } from "./index";

// A busy machine answers late.
configure({ asyncUtilTimeout: 10_000 });

async function open(group: string, answers: FakeAnswers = {}, session: Partial<SessionView> = {}) {
  const onClose = vi.fn();
  const host = fakeHost({ answers: { settings: allSettings(), ...answers } });
  const shown = renderUI(<Settings group={group} onClose={onClose} />, { host, session });
  await screen.findAllByRole("heading", { level: group === "machine" || group === "memory" ? 2 : 3 }).catch(() => undefined);
  const to = (next: string) => shown.rerender(<Settings group={next} onClose={onClose} />);
  /** Changes what Rust answers, and says so. */
  const outside = (settings: SettingsView) =>
    act(() => {
      host.answers.settings = settings;
      host.emit([{ type: "stale", topics: [["settings"]] }]);
    });
  return { ...shown, host, onClose, to, outside, user: userEvent.setup({ delay: null }) };
}

const field = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name });
const model = () => screen.getByRole<HTMLInputElement>("combobox", { name: "Model" });
const button = (name: string | RegExp) => screen.getByRole("button", { name });
const saved = (host: ReturnType<typeof fakeHost>) => host.called("save_settings").map(({ args }) => args.changes);

async function write(user: ReturnType<typeof userEvent.setup>, name: string, text: string) {
  await user.clear(field(name));
  await user.type(field(name), text);
}

describe("a draft", () => {
  it("is saved as a whole, then what holds is shown", async () => {
    const { host, user } = await open("limits");
    expect(screen.queryByRole("button", { name: "Save" })).toBeNull();
    await write(user, "Slots", "5");
    await write(user, "Wait for bots", "20m");
    expect(screen.getByText("2 unsaved changes")).toBeVisible();
    host.answers.settings = allSettings({ slots: { value: 5, source: "file" }, external_bot_timeout: { value: "20m", source: "file" } });
    await user.click(button("Save"));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Save" })).toBeNull());
    expect(saved(host)).toEqual([{ slots: 5, external_bot_timeout: "20m" }]);
    expect(field("Slots")).toHaveValue("5");
  });

  it("says what the demo has set, beside what is usual", async () => {
    await open("limits", { settings: allSettings({ slots: { value: 7, default: 3, source: "demo" } }) });
    const slots = field("Slots");
    expect(slots).toHaveValue("7");
    expect(screen.getByText("Set for the demo.").closest("p")).toHaveTextContent("Default: 3. Set for the demo.");
    expect(screen.queryByRole("button", { name: "Reset to default: Slots" })).toBeNull();
  });

  it("is no draft any more once the old value stands again", async () => {
    const { user } = await open("limits");
    await write(user, "Slots", "5");
    await write(user, "Slots", "3");
    expect(screen.queryByRole("button", { name: "Save" })).toBeNull();
  });

  it("is saved by the keyboard, and discarded by its button", async () => {
    const { host, user } = await open("limits");
    await write(user, "Slots", "5");
    await user.keyboard("{Control>}s{/Control}");
    expect(saved(host)).toEqual([{ slots: 5 }]);
    await write(user, "Slots", "6");
    await user.click(button("Discard"));
    expect(field("Slots")).toHaveValue("3");
  });

  it("keeps what is edited while it is being saved", async () => {
    let answer: (problems: []) => void = () => undefined;
    const { host, user } = await open("limits", { save_settings: () => new Promise<[]>((resolve) => (answer = resolve)) });
    await write(user, "Slots", "5");
    await write(user, "Restarts", "30");
    await write(user, "Wait for bots", "20m");
    await user.click(button("Save"));
    await write(user, "Slots", "7");
    await write(user, "Wait for bots", "10m");
    host.answers.settings = allSettings({
      slots: { value: 5, source: "file" },
      max_restarts: { value: 30, source: "file" },
      external_bot_timeout: { value: "20m", source: "file" },
    });
    act(() => host.emit([{ type: "stale", topics: [["settings"]] }]));
    await waitFor(() => expect(host.called("settings")).toHaveLength(2));
    act(() => answer([]));
    await waitFor(() => expect(button("Save")).not.toHaveAttribute("aria-busy"));
    expect(field("Slots")).toHaveValue("7");
    expect(field("Restarts")).toHaveValue("30");
    // Back to what held before the save: that is a change now.
    expect(field("Wait for bots")).toHaveValue("10m");
    expect(screen.getByText("2 unsaved changes")).toBeVisible();
    expect(screen.queryByText(/^Changed elsewhere/)).toBeNull();
    await user.click(button("Save"));
    expect(saved(host)[1]).toEqual({ slots: 7, external_bot_timeout: "10m" });
  });

  it("is saved once, however long the keys are held", async () => {
    const { host, user } = await open("limits", { save_settings: () => new Promise(() => undefined) });
    await write(user, "Slots", "5");
    await user.keyboard("{Control>}{s>4/}s{/Control}");
    expect(saved(host)).toHaveLength(1);
  });

  it("takes a key out of the file to reset it", async () => {
    const { host, user } = await open("limits");
    await user.click(button("Reset to default: Wait for checks"));
    expect(field("Wait for checks")).toHaveValue("30m");
    await user.click(button("Save"));
    expect(saved(host)).toEqual([{ ci_check_timeout: null }]);
  });

  it("stays when it cannot be saved, with what is wrong at the field", async () => {
    const message = "expected a whole number from 1 to 64";
    const problems = [{ key: "slots", line: null, message }];
    // The check of what was typed has not been answered yet.
    const { host, user } = await open("limits", { save_settings: problems, check_settings: () => new Promise(() => undefined) });
    await write(user, "Slots", "many");
    await user.click(button("Save"));
    expect(await screen.findByText(message)).toBeVisible();
    expect(field("Slots")).toBeInvalid();
    expect(field("Slots")).toHaveValue("many");
    expect(saved(host)).toEqual([{ slots: "many" }]);
    field("Wait for bots").focus();
    await user.click(button("Show"));
    expect(field("Slots")).toHaveFocus();
  });

  it("says what keeps it from being saved at all", async () => {
    const { user } = await open("limits", { save_settings: aProblem("settings_unwritable", "config.toml cannot be written", ["Make room on the disk."]) });
    await write(user, "Slots", "5");
    await user.click(button("Save"));
    expect(await screen.findByText("config.toml cannot be written Make room on the disk.")).toBeVisible();
    expect(field("Slots")).toHaveValue("5");
  });

  it("is checked once typing pauses", async () => {
    const check = vi.fn(({ changes }: { changes: Record<string, JsonValue> }) =>
      changes.poll_interval === "5s" ? [{ key: "poll_interval", line: null, message: "set it to \"15s\" or more" }] : [],
    );
    const { user } = await open("limits", { check_settings: check });
    await write(user, "Read GitHub every", "5s");
    expect(await screen.findByText(/15s" or more/)).toBeVisible();
    expect(screen.getByText("1 setting must be corrected before you can save")).toBeVisible();
    expect(screen.getByRole("link", { name: "Limits, has a problem" })).toBeVisible();
    expect(check.mock.calls.map(([args]) => args.changes.poll_interval)).not.toContain("5");
    await write(user, "Read GitHub every", "30s");
    await waitFor(() => expect(screen.queryByText(/15s" or more/)).toBeNull());
  });

  it("outlives its page and a change from elsewhere, of which it tells", async () => {
    const { user, to, outside } = await open("limits");
    await write(user, "Slots", "5");
    to("panel");
    expect(await screen.findByRole("link", { name: "Limits, changed" })).toBeVisible();
    to("limits");
    outside(allSettings({ slots: { value: 8, source: "file" }, max_restarts: { value: 30, source: "file" } }));
    await waitFor(() => expect(field("Restarts")).toHaveValue("30"));
    expect(field("Slots")).toHaveValue("5");
    expect(screen.getByText("Changed elsewhere to 8 while you were editing.")).toBeVisible();
    await user.click(button("Use that value"));
    expect(field("Slots")).toHaveValue("8");
    expect(screen.queryByRole("button", { name: "Save" })).toBeNull();
  });

  it("is not left without a question, be it by the button or by a link of the window", async () => {
    const { user, onClose } = await open("limits");
    const link = document.body.appendChild(document.createElement("a"));
    link.href = "#/ready";
    link.textContent = "Ready";
    await write(user, "Slots", "5");
    await user.click(link);
    expect(window.location.hash).toBe("");
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Back" }));
    await user.click(button("Close settings"));
    expect(onClose).not.toHaveBeenCalled();
    await user.click(button("Discard and leave"));
    expect(onClose).toHaveBeenCalledOnce();
    expect(field("Slots")).toHaveValue("3");
    link.remove();
  });
});

describe("a setting", () => {
  it.each([
    ["language", "Language", "fr"],
    ["desktop.theme", "Theme", "dark"],
  ])("holds at once: %s", async (key, label, word) => {
    const { host, user } = await open("general");
    await user.selectOptions(screen.getByRole("combobox", { name: label }), word);
    expect(saved(host)).toEqual([{ [key]: word }]);
    expect(screen.queryByRole("button", { name: "Save" })).toBeNull();
  });

  it("that the environment holds says so, and cannot be changed", async () => {
    await open("panel", { settings: allSettings({ max_comments: { value: 5, source: "environment", variable: "MAX_COMMENTS" } }) });
    expect(field("Inline comments")).toBeDisabled();
    expect(field("Inline comments")).toHaveAccessibleDescription(/Set by MAX_COMMENTS in the environment/);
    expect(screen.queryByRole("button", { name: "Reset to default: Inline comments" })).toBeNull();
  });

  it("that is wrong in the file is named at the top with its line, and at its field", async () => {
    const message = "\"soon\" is not a duration";
    const { user } = await open("limits", { settings: allSettings({}, [{ key: "ci_check_timeout", line: 3, message }]) });
    const top = screen.getByRole("alert");
    expect(top).toHaveTextContent("Line 3");
    await user.click(within(top).getByRole("button", { name: "Wait for checks" }));
    expect(field("Wait for checks")).toHaveFocus();
    expect(field("Wait for checks")).toHaveAccessibleDescription(new RegExp(message));
  });

  it.each([
    ["general", "theme", "desktop.theme"],
    ["general", "toggle", "desktop.notifications"],
    ["panel", "choice", "strictness"],
    ["panel", "stages", "stages[0].reviewers"],
    ["bots", "bots", "bots"],
    ["repositories", "repositories", "repositories"],
    ["accounts", "logins", "allowed_users"],
  ])("that is wrong is gone to and tells why: %s, %s", async (page, _kind, key) => {
    const message = `not like this: ${key}`;
    const { user } = await open(page, { settings: allSettings({}, [{ key, line: 3, message }]) });
    await user.click(within(within(screen.getByRole("alert")).getByRole("listitem")).getByRole("button"));
    expect(document.activeElement).not.toBe(document.body);
    expect(document.activeElement).toHaveAccessibleDescription(new RegExp(message.replace(/[[\]]/g, "\\$&")));
  });

  it("that nobody knows can be taken out of the file, and says what else stands in the way", async () => {
    const problems = [
      { key: "max_iteration", line: 9, message: "unknown key" },
      { key: "stages.reviewers", line: 12, message: "a reviewer is named twice in one stage" },
    ];
    const { host, user } = await open("general", { settings: allSettings({}, problems), save_settings: [{ key: "", line: null, message: "not this one" }] });
    await user.click(button("Remove them"));
    expect(saved(host)).toEqual([{ max_iteration: null, stages: null }]);
    expect(await screen.findByText("not this one")).toBeVisible();
  });

  it("is not saved beside another that is wrong in the file, which is shown then", async () => {
    const problems = [{ key: "max_iteration", line: 9, message: "unknown key" }];
    const { user } = await open("limits", { settings: allSettings({}, problems), check_settings: problems, save_settings: problems });
    await write(user, "Slots", "5");
    await user.click(await screen.findByRole("button", { name: "Show" }));
    expect(document.activeElement).toHaveTextContent(/has errors/);
  });

  it("takes a share as the language writes it", async () => {
    const { host, user } = await open("panel", {}, { language: "en" });
    await write(user, "Confidence threshold", "0,85");
    await user.click(button("Save"));
    expect(saved(host)).toEqual([{ comment_threshold: 0.85 }]);
  });

  it("of logins takes several at once, without @, and drops the last by Backspace", async () => {
    const { host, user } = await open("accounts");
    await user.type(field("Add to Allowed users"), "@ana, ben,@kim{Enter}");
    await user.type(field("Add to Allowed users"), "{Backspace}");
    await user.click(button("Remove kim"));
    await user.click(button("Save"));
    expect(saved(host)).toEqual([{ allowed_users: ["ana"] }]);
  });

  it("of texts takes one a line, in order", async () => {
    const { host, user } = await open("rules");
    await user.clear(field("Verify commands"));
    await user.type(field("Verify commands"), "make lint{Enter}{Enter}  make test ");
    await user.click(button("Save"));
    expect(saved(host)).toEqual([{ "verify.commands": ["make lint", "make test"] }]);
  });

  it("of bots adds one's own by number, and leaves the shipped ones", async () => {
    const { host, user } = await open("bots");
    expect(screen.queryByRole("button", { name: "Remove cursor" })).toBeNull();
    await user.click(button("Add a bot"));
    expect(field("Login")).toBeInvalid();
    await user.type(field("Login"), "my-bot[[bot]");
    await user.type(field("Account number"), "206951365");
    expect(screen.getByText("A bot with this number is already in the list.")).toBeVisible();
    await write(user, "Account number", "42");
    await user.click(button("Add a bot"));
    await user.click(button("Remove acme-reviewer"));
    expect(button("Remove my-bot")).toHaveFocus();
    await user.click(button("Save"));
    const bots = saved(host)[0]?.bots as { login: string }[];
    expect(bots.slice(-2)).toEqual([expect.objectContaining({ login: "dependabot" }), { login: "my-bot", id: 42, shipped: false }]);
  });
});

describe("the panel", () => {
  const STAGES = [
    { reviewers: [{ name: "rules", kind: "rules" }, { name: "ana", kind: "human" }] },
    { reviewers: [{ name: "ben", kind: "human" }] },
  ];
  const panel = () => open("panel", { settings: allSettings({ stages: { value: STAGES, source: "file" } }) });

  it("is arranged by keyboard alone", async () => {
    const { host, user } = await panel();
    act(() => screen.getByRole("group", { name: "Stage 2" }).focus());
    await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(screen.getByRole("group", { name: "Stage 1" })).toHaveFocus();
    expect(screen.getByText("Stage 2 moved to position 1 of 2")).toBeInTheDocument();
    const ana = screen.getByText("@ana").closest("li");
    act(() => ana?.focus());
    await user.keyboard("{Alt>}{ArrowUp}{/Alt}{Delete}");
    await user.type(field("Add a reviewer to stage 1"), "@Ben{Enter}");
    expect(screen.getByText("Ben is already in this stage.")).toBeVisible();
    await write(user, "Add a reviewer to stage 1", "cleo{Enter}");
    await user.click(button("Save"));
    expect(saved(host)).toEqual([
      {
        stages: [
          { reviewers: [{ name: "ben", kind: "human" }, { name: "cleo", kind: "human" }] },
          { reviewers: [{ name: "rules", kind: "rules" }] },
        ],
      },
    ]);
  });

  it("takes at most five to a stage, and says when one has nobody", async () => {
    const { user } = await panel();
    for (const login of ["a", "b", "c"]) await user.type(field("Add a reviewer to stage 1"), `${login}{Enter}`);
    expect(screen.getByText("A stage has at most 5 reviewers.")).toBeVisible();
    await user.click(button("Add a stage"));
    expect(screen.getByText("A stage needs a reviewer.")).toBeVisible();
    await user.click(button("Remove stage 3"));
    expect(screen.queryByText("A stage needs a reviewer.")).toBeNull();
  });
});

describe("repositories", () => {
  it("are switched and removed at once", async () => {
    const { host, user } = await open("repositories", {
      remove_repository: () => {
        host.answers.settings = allSettings({ repositories: { value: REPOSITORIES.filter(({ name }) => name !== "acme/web") } });
        return null;
      },
    });
    await user.click(screen.getByRole("switch", { name: "Auto-PR-Review for acme/api" }));
    expect(host.called("set_auto_review")[0]?.args).toEqual({ repo: "acme/api", on: false });
    await user.click(button("Remove acme/web"));
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Remove" }));
    expect(host.called("remove_repository")[0]?.args).toEqual({ repo: "acme/web" });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await waitFor(() => expect(button(/^acme\/infrastructure/)).toHaveFocus());
  });

  it("start nothing before the sheet is confirmed", async () => {
    const { host, user } = await open("repositories", { listing: aListing() });
    await user.click(screen.getByRole("switch", { name: "Auto-PR-Review for acme/web" }));
    const sheet = within(await screen.findByRole("dialog", { name: "Turn Auto-PR-Review on for acme/web?" }));
    // Listed before there were levels: it pushes until somebody says otherwise.
    expect(sheet.getByRole("radio", { name: "Push" })).toBeChecked();
    await user.click(sheet.getByRole("button", { name: "Back" }));
    expect(host.called("set_auto_review")).toEqual([]);
  });

  it("have a level, which is saved as the filters are", async () => {
    const { host, user } = await open("repositories");
    await user.click(button(/^acme\/web/));
    await user.selectOptions(screen.getByRole("combobox", { name: "What Collie does by itself" }), "observe");
    await user.click(button("Save"));
    await waitFor(() => expect(host.called("save_settings")).toHaveLength(1));
    const saved = host.called("save_settings")[0]?.args.changes.repositories;
    expect(saved).toMatchObject([{ autonomy: null }, { name: "acme/web", autonomy: "observe" }, { autonomy: null }]);
  });

  it("keep their edited filters while others come and are switched elsewhere", async () => {
    const { host, user, outside } = await open("repositories");
    await user.click(button(/^acme\/web/));
    await user.type(field("Add to Base branches"), "release/1.x{Enter}");
    const [api, web] = REPOSITORIES;
    if (!api || !web) throw new Error("the fixture has two");
    const added = { name: "acme/new", auto_pr_review_enabled: false, authors: [], labels: [], base_branches: [], read_from: [], unsandboxed: false };
    outside(allSettings({ repositories: { value: [{ ...api, auto_pr_review_enabled: false }, { ...web, auto_pr_review_enabled: true }, added] } }));
    await waitFor(() => expect(screen.getByRole("switch", { name: "Auto-PR-Review for acme/web" })).toBeChecked());
    await user.click(button("Save"));
    expect(saved(host)).toEqual([
      { repositories: [{ ...api, auto_pr_review_enabled: false }, { ...web, auto_pr_review_enabled: true, base_branches: ["release/1.x"] }, added] },
    ]);
  });
});

describe("the sandbox of a repository", () => {
  it("is left only by who confirms it, and entered again at once", async () => {
    const { host, user } = await open("repositories");
    await user.click(button(/^acme\/web/));
    const toggle = () => screen.getByRole("switch", { name: "Run without the sandbox" });
    await user.click(toggle());
    const dialog = () => within(screen.getByRole("dialog"));
    expect(dialog().getByText(/your files, your credentials and the network/)).toBeVisible();
    await user.click(dialog().getByRole("button", { name: "Back" }));
    expect(toggle()).not.toBeChecked();
    await user.click(toggle());
    const confirm = () => user.click(dialog().getByRole("button", { name: "Run without the sandbox" }));
    await confirm();
    expect(toggle()).toBeChecked();
    await user.click(toggle());
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(toggle()).not.toBeChecked();
    await user.click(toggle());
    await confirm();
    await user.click(button("Save"));
    const rows = () => saved(host).at(-1)?.repositories as typeof REPOSITORIES;
    expect(rows().map(({ unsandboxed }) => unsandboxed)).toEqual([false, true, false]);
  });
});

describe("the account", () => {
  it("signs out once confirmed, and says when it cannot", async () => {
    const { host, user } = await open("accounts", { sign_out: aProblem("busy", "A fix is being pushed", ["Wait a moment."]) });
    await user.click(button("Sign out…"));
    await user.click(button("Sign out"));
    expect(await screen.findByRole("alert")).toHaveTextContent("A fix is being pushed");
    host.answers.sign_out = null;
    await user.click(button("Sign out"));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("of a server is signed out on this browser, or on every one", async () => {
    const { host, user } = await open("accounts", {}, aSession({ server: true }));
    await user.click(button("Sign out…"));
    await user.click(screen.getByRole("checkbox", { name: "On every browser where I am signed in" }));
    await user.click(button("Sign out"));
    await waitFor(() => expect(host.called("sign_out_everywhere")).toHaveLength(1));
    expect(host.called("sign_out")).toHaveLength(0);
  });

  it("leaves the demo, with or without its data", async () => {
    const { host, user } = await open("accounts", {}, aSession({ account: { login: "kim", host: "127.0.0.1", source: "demo", allowed: true, missing_scopes: [] } }));
    await user.click(button("Leave the demo…"));
    await user.click(screen.getByRole("checkbox", { name: "Delete the demo’s data" }));
    await user.click(button("Leave"));
    expect(host.called("leave_demo")[0]?.args).toEqual({ forget: true });
  });
});

describe("this machine", () => {
  it("shows how each thing is, in words too, and looks again", async () => {
    const { host, user } = await open("machine", { doctor: [{ code: "gh", title: "gh", status: "warning", text: "not found" }] });
    expect(await screen.findByRole("img", { name: "works, with limitations" })).toBeVisible();
    host.answers.doctor = [{ code: "gh", title: "gh", status: "ok", text: "gh version 2.80" }];
    await user.click(button("Check again"));
    expect(await screen.findByText("gh version 2.80")).toBeVisible();
  });
});

describe("memory", () => {
  const entry = {
    id: "a1",
    verdict: "dismissed" as const,
    title: "The retry loop has no bound",
    file: "src/retry.ts",
    reason: "the caller has a deadline",
    by: "ana",
    pull: 12,
    at: "2026-11-20T10:00:00Z",
    expires_at: "2027-11-20T10:00:00Z",
  };
  const memory = { file: "/home/kim/memory/web.toml", entries: [entry] };

  it("shows what people made of findings, and forgets what one takes out", async () => {
    const { host, user } = await open("memory", { repositories: [aRepository({ name: "acme/api" })], review_memory: memory });
    expect(await screen.findByText("The retry loop has no bound")).toBeVisible();
    expect(screen.getByText("the caller has a deadline")).toBeVisible();
    expect(screen.getByText(/@ana · #12 · until/)).toBeVisible();
    host.answers.review_memory = { file: memory.file, entries: [] };
    await user.click(button("Forget “The retry loop has no bound”"));
    expect(host.called("forget_judgement")[0]?.args).toEqual({ repo: "acme/api", id: "a1" });
  });

  it("says of a file that cannot be read what is wrong with it", async () => {
    await open("memory", { repositories: [aRepository({ name: "acme/api" })], review_memory: aProblem("store", "reading web.toml: line 3", ["Correct the file."]) });
    expect(await screen.findByText(/line 3/)).toBeVisible();
  });

  it("says so where there is no repository", async () => {
    await open("memory", { repositories: [] });
    expect(await screen.findByText("The sidebar is empty: add a repository first.")).toBeVisible();
  });
});

describe("models and agents", () => {
  const models = (changes = MODELS, answers: FakeAnswers = {}) => open("models", { settings: allSettings(changes), doctor: DOCTOR, ...answers });
  const DOCTOR: DoctorLine[] = [
    { code: "git", title: "git", status: "ok", text: "git version 2.47.3" },
    { code: "model", title: "language model", status: "ok", text: "none set up" },
    { code: "agent", title: "coding agent", status: "ok", text: "Codex 0.58.0: logged in" },
    { code: "agent", title: "coding agent", status: "warning", text: "Gemini CLI 0.16.0: not logged in" },
  ];
  const choose = (user: ReturnType<typeof userEvent.setup>, name: string, option: string) =>
    user.selectOptions(screen.getByRole("combobox", { name }), option);

  it("show what is installed, and look again when asked", async () => {
    const { host, user } = await models();
    expect(await screen.findByText("Codex 0.58.0: logged in")).toBeVisible();
    expect(screen.getByText("Gemini CLI 0.16.0: not logged in")).toBeVisible();
    expect(screen.queryByText("git version 2.47.3")).toBeNull();
    // The colour is not all that tells one from the other.
    const sign = (name: string) => screen.getAllByRole("img", { name })[0]?.querySelector("svg")?.getAttribute("class");
    expect(sign("OK")).toContain("lucide-check");
    expect(sign("works, with limitations")).toContain("lucide-circle-alert");
    host.answers.doctor = [{ code: "agent", title: "coding agent", status: "ok", text: "none found" }];
    await user.click(button("Check again"));
    expect(await screen.findByText("none found")).toBeVisible();
  });

  it("ask for both halves of a model together, and say at the other what is missing", async () => {
    const message = "a language model needs both";
    const check = vi.fn(({ changes }: { changes: Record<string, JsonValue> }) =>
      changes["llm.model"] === undefined ? [{ key: "llm.model", line: null, message }] : [],
    );
    const { host, user } = await models({}, { check_settings: check });
    await choose(user, "Provider", "Anthropic");
    expect(await screen.findByText(message)).toBeVisible();
    expect(model()).toBeInvalid();
    await user.type(model(), "claude-x");
    await waitFor(() => expect(screen.queryByText(message)).toBeNull());
    await user.click(button("Save"));
    expect(saved(host)).toEqual([{ "llm.provider": "anthropic", "llm.model": "claude-x" }]);
  });

  it("take a model out again by None and empty fields", async () => {
    const { host, user } = await models();
    await choose(user, "Provider", "None");
    await user.clear(model());
    await user.clear(field("Temperature"));
    await user.click(button("Save"));
    expect(saved(host)).toEqual([{ "llm.provider": null, "llm.model": null, "llm.temperature": null }]);
  });

  it("ask for the key and the models of what is chosen, before it is saved", async () => {
    const { host, user } = await models({}, { list_models: [{ name: "claude-x", title: "Claude X", context_tokens: 200_000 }] });
    expect(screen.queryByRole("heading", { name: "Key" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Test" })).toBeNull();
    await user.click(model());
    expect(host.called("list_models")).toEqual([]);
    await choose(user, "Provider", "Anthropic");
    expect(await screen.findByText("No key")).toBeVisible();
    await user.click(model());
    expect(await screen.findByText("1 model offered there")).toBeVisible();
    const changes = { "llm.provider": "anthropic" };
    expect(host.called("list_models").map(({ args }) => args)).toEqual([{ table: "llm", changes }]);
    await waitFor(() => expect(host.called("model_key").at(-1)?.args).toEqual({ table: "llm", changes }));
    await user.type(screen.getByLabelText("New key"), "sk-1{Enter}");
    await waitFor(() => expect(host.called("set_model_key").map(({ args }) => args)).toEqual([{ table: "llm", changes, secret: "sk-1" }]));
    expect(screen.getByText("1 unsaved change")).toBeVisible();
  });

  it("give a persona and one that takes over a model of its own, whole", async () => {
    const message = "\"much\" is not valid";
    const { host, user } = await models({}, {
      check_settings: ({ changes }) =>
        JSON.stringify(changes).includes("TEAM") ? [{ key: "reviewers", path: "reviewers.sam.key_variable", line: null, message }] : [],
    });
    await user.type(field("Name of another model"), "spare{Enter}");
    expect(button("spare choose provider and model")).toHaveAttribute("aria-expanded", "true");
    await choose(user, "Provider of spare", "Ollama");
    await user.type(screen.getByRole("combobox", { name: "Model of spare" }), "qwen3");
    await user.type(field("Largest request of spare"), "16000");
    await user.type(screen.getByRole("combobox", { name: "Add to Takes over" }), "spare{Enter}");
    await user.click(button("More: model options of sam"));
    await choose(user, "Effort of sam", "High");
    await user.type(field("Key command of sam"), 'pass "the key"');
    await user.type(screen.getByRole("combobox", { name: "Add to Takes over of sam" }), "spare{Enter}");
    const sam = within(screen.getByRole("group", { name: "Extra headers of sam" }));
    await user.type(sam.getByRole("textbox", { name: "Name of a header" }), "X-Gateway");
    await user.selectOptions(sam.getByRole("combobox", { name: "What is given for it" }), "Variable");
    await user.type(sam.getByRole("textbox", { name: "Value, or name of the variable" }), "GATEWAY{Enter}");
    await user.type(field("Key variable of sam"), "TEAM");
    expect(await screen.findByText("reviewers.sam.key_variable")).toBeVisible();
    expect(field("Key variable of sam")).toBeInvalid();
    await user.clear(field("Key variable of sam"));
    await user.click(button("Save"));
    await waitFor(() => expect(saved(host)).toHaveLength(1));
    expect(saved(host)[0]).toEqual({
      "llm.fallback": ["spare"],
      models: [{ name: "spare", model: "qwen3", provider: "ollama", context_tokens: 16000 }],
      reviewers: [
        {
          name: "sam",
          runs_on: null,
          model: null,
          escalates_to: null,
          effort: "high",
          key_command: ["pass", "the key"],
          fallback: ["spare"],
          headers: [{ name: "X-Gateway", value: "GATEWAY", from_variable: true }],
        },
      ],
    });
  });

  it("cannot be changed where the environment decides", async () => {
    await models({ "llm.model": { value: "m", source: "environment", variable: "LLM_MODEL" } });
    expect(model()).toBeDisabled();
    expect(model()).toHaveAccessibleDescription(/Set by LLM_MODEL in the environment/);
  });

  it("give authors and personas what fixes and reads for them", async () => {
    const { host, user } = await models();
    await choose(user, "Who fixes what @kim opened", "Goose");
    await user.click(button("Remove claude-bot"));
    expect(button("Remove kim")).toHaveFocus();
    await user.type(field("Author"), "@Kim");
    expect(screen.getByText("@Kim is already in the list.")).toBeVisible();
    await write(user, "Author", "@ben");
    await choose(user, "Fixed by", "Built-in rules");
    await user.click(button("Add"));
    await choose(user, "What sam runs on", "Default");
    await user.clear(screen.getByRole("combobox", { name: "Another model for sam" }));
    await user.type(screen.getByRole("combobox", { name: "Another model for quinn" }), "small");
    await user.click(button("Save"));
    expect(saved(host)).toEqual([
      {
        "fixer.by_author": [{ login: "kim", runs_on: "goose" }, { login: "ben", runs_on: "rules" }],
        reviewers: [
          { name: "ada", runs_on: "house-agent", model: null, escalates_to: null },
          { name: "quinn", runs_on: null, model: "small", escalates_to: null },
        ],
      },
    ]);
  });

  it("know an agent that is being added at once", async () => {
    const { host, user } = await models({});
    const name = screen.getByRole("combobox", { name: "Name of the agent" });
    await user.type(name, "My Agent");
    expect(screen.getByText("Only lower-case letters, digits and dashes.")).toBeVisible();
    await user.clear(name);
    await user.type(name, "my-agent{Enter}");
    await user.type(field("Command"), `my-agent --say "two words" it\\'s`);
    await user.type(field("Add to Variables of my-agent"), "MY_TOKEN{Enter}");
    await user.type(field("Add to Hosts that my-agent reaches beside those of its makers"), "models.example.com{Enter}");
    await choose(user, "Who fixes", "my-agent");
    await user.click(button("Save"));
    expect(saved(host)).toEqual([
      { "fixer.runs_on": "my-agent", agents: [{ name: "my-agent", command: ["my-agent", "--say", "two words", "it's"], env: ["MY_TOKEN"], hosts: ["models.example.com"], readable: [], state: [] }] },
    ]);
  });

  it.each([
    [["a", "--b=c"], "a --b=c"],
    [["a b", 'c"d', "e\\f"], '"a b" "c\\"d" "e\\\\f"'],
    [["it's"], `"it's"`],
    [[], ""],
  ])("write a command as a line that means the same: %j", (command, line) => {
    expect(lineOf(command)).toBe(line);
    expect(commandOf(line)).toEqual(command);
  });

  it("offer personas to stages, and say of one that nothing can run it", async () => {
    const stages = { kind: { type: "stages" as const, personas: offered(null), persona_problems: ["personas/nora.md, line 1: no front matter"] } };
    const { host, user, to } = await open("panel", { settings: allSettings({ stages }), doctor: DOCTOR });
    expect(screen.getByText("personas/nora.md, line 1: no front matter")).toBeVisible();
    await user.click(button("Add a persona to stage 1"));
    await user.click(await screen.findByRole("menuitem", { name: "Quinn" }));
    expect(await screen.findByRole("link", { name: "nothing to run on" })).toHaveAttribute("href", "#/settings/models");
    // What is being changed may give it something: nothing is said until that is saved.
    to("models");
    await user.type(await screen.findByRole("combobox", { name: "Model" }), "m");
    to("panel");
    expect(screen.queryByRole("link", { name: "nothing to run on" })).toBeNull();
    await user.click(button("Save"));
    expect(saved(host)[0]?.stages).toEqual([{ reviewers: [{ name: "rules", kind: "rules" }, { name: "quinn", kind: "agent" }] }]);
  });

  it("let a persona ask in others, as usual or as chosen, and call it no change of what runs them", async () => {
    const stages = {
      kind: { type: "stages" as const, personas: offered("llm"), persona_problems: [] },
      value: [{ reviewers: [{ name: "quinn", kind: "agent" }, { name: "sam", kind: "agent" }] }],
    };
    const reviewers = { value: [{ name: "sam", runs_on: "codex", model: null, escalates_to: ["gone"] }], source: "file" as const };
    const { host, user } = await open("panel", { settings: allSettings({ stages, reviewers }) });
    await user.click(button("quinn can add Sam"));
    const choice = (name: RegExp) => screen.findByRole("menuitemcheckbox", { name });
    expect(screen.queryByRole("menuitemcheckbox", { name: /^Quinn/ })).toBeNull();
    await user.click(await choice(/^Sam/));
    await user.click(await choice(/^ada/));
    await user.click(await choice(/^Priya/));
    await user.keyboard("{Escape}");
    expect(button("quinn can add Priya, ada")).toHaveFocus();
    expect(screen.getAllByText("Language model")).toHaveLength(2);
    await user.click(button("sam can add gone"));
    await user.click(await choice(/^gone/));
    await user.keyboard("{Escape}");
    expect(button("sam adds nobody")).toBeVisible();
    await user.click(button("Save"));
    expect(saved(host)).toEqual([
      {
        reviewers: [
          { name: "quinn", runs_on: null, model: null, escalates_to: ["priya", "ada"] },
          { name: "sam", runs_on: "codex", model: null, escalates_to: null },
        ],
      },
    ]);
  });

  it("are changed no more once a persona asks in whom it usually does", async () => {
    const stages = { kind: { type: "stages" as const, personas: offered("llm"), persona_problems: [] }, value: [{ reviewers: [{ name: "quinn", kind: "agent" }] }] };
    const { user } = await open("panel", { settings: allSettings({ stages }) });
    await user.click(button("quinn can add Sam"));
    const sam = await screen.findByRole("menuitemcheckbox", { name: /^Sam/ });
    await user.click(sam);
    expect(await screen.findByText("1 unsaved change")).toBeVisible();
    await user.click(sam);
    expect(screen.queryByText("1 unsaved change")).toBeNull();
  });
});

describe("what was spent", () => {
  const spent = (cost_usd: number | null, unpriced = false) => ({ input_tokens: 1_000, output_tokens: 10, cost_usd, ...(unpriced && { unpriced }) });
  const none = { cost_usd: null, tokens: null };

  it("stands above the limits, with what is left, and never a zero for what has no price", async () => {
    await open("limits", {
      spending: {
        day: { spent: spent(1.2), unpriced_tokens: 0, limit: { cost_usd: 20, tokens: 4_000_000 } },
        total: { spent: spent(null, true), unpriced_tokens: 1_010, limit: none },
        pull_request_limit: none,
      },
    });
    expect(await screen.findByText("$1.20 of $20.00, $18.80 left")).toBeVisible();
    expect(screen.getByText("price unknown, no limit · 1K tokens without a price")).toBeVisible();
  });

  it("is never less than nothing, and shows tokens beside their limit", async () => {
    const over = { spent: spent(5.5, true), unpriced_tokens: 2_500_000, limit: { cost_usd: 5, tokens: 1_000_000 } };
    await open("limits", { spending: { day: over, total: over, pull_request_limit: none } });
    expect((await screen.findAllByText("$5.50 + unknown of $5.00, $0.00 left · 2.5M of 1M tokens without a price"))[0]).toBeVisible();
  });
});
