import { act, configure, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import type { ModelKeyView, ModelTestView } from "../../generated/wire";
import { aModelKey, aProblem, fakeHost, renderUI, type FakeAnswers } from "../../test";
import { serviceOf } from "./changes";
import { ModelKey, ModelName, ModelTest, type ModelRef } from "./index";

// A busy machine answers late.
configure({ asyncUtilTimeout: 10_000 });

const MODEL: ModelRef = { table: "llm", changes: { "llm.provider": "anthropic" } };
const KEPT = aModelKey({ source: "keychain", stored: true });

function show(element: React.ReactElement, answers: FakeAnswers = {}, language: "en" | "fr" = "en") {
  const host = fakeHost({ answers });
  const shown = renderUI(element, { host, language });
  return { ...shown, host, user: userEvent.setup({ delay: null }) };
}

const button = (name: string) => screen.getByRole("button", { name });
const stale = (host: ReturnType<typeof fakeHost>, answer: ModelKeyView) =>
  act(() => {
    host.answers.model_key = answer;
    host.emit([{ type: "stale", topics: [["model_key"]] }]);
  });

describe("a key", () => {
  it.each<[Partial<ModelKeyView>, string]>([
    [{ source: "keychain", stored: true }, "In the system keychain"],
    [{ source: "variable", name: "TEAM_KEY" }, "In the environment variable TEAM_KEY"],
    [{ source: "command", name: "gcloud", editable: false }, "Printed by gcloud at the beginning of each review"],
    [{ source: "missing" }, "No key"],
    [{ source: "unneeded" }, "No key; not required here"],
  ])("says where it is: %j", async (key, words) => {
    show(<ModelKey model={MODEL} />, { model_key: aModelKey(key) });
    expect(await screen.findByText(words)).toBeVisible();
  });

  it("is typed, sent once, and gone from the page", async () => {
    const { host, user, container } = show(<ModelKey model={MODEL} />);
    const field = await screen.findByLabelText("New key");
    expect(field).toHaveAttribute("type", "password");
    await user.type(field, "sk-zebrafink");
    await user.keyboard("{Enter}{Enter}");
    await waitFor(() => expect(host.called("set_model_key").map(({ args }) => args)).toEqual([{ ...MODEL, secret: "sk-zebrafink" }]));
    await waitFor(() => expect(screen.getByLabelText("New key")).toHaveValue(""));
    await stale(host, KEPT);
    expect(await screen.findByText("In the system keychain")).toBeVisible();
    expect(screen.queryByLabelText("New key")).toBeNull();
    expect(container.innerHTML).not.toContain("zebrafink");
  });

  it("is not sent while nothing is typed", async () => {
    const { host, user } = show(<ModelKey model={MODEL} />);
    await user.type(await screen.findByLabelText("New key"), "  {Enter}");
    expect(screen.getByRole("alert")).toHaveTextContent("Paste a key first.");
    expect(screen.getByLabelText("New key")).toBeInvalid();
    expect(host.called("set_model_key")).toEqual([]);
  });

  it("stays to be mended where it is refused, with what to do", async () => {
    const { user } = show(<ModelKey model={MODEL} />, { set_model_key: aProblem("keychain_locked", "The keychain is locked.", ["Unlock it and try again."]) });
    await user.type(await screen.findByLabelText("New key"), "sk-1{Enter}");
    expect(await screen.findByText("The keychain is locked.")).toBeVisible();
    expect(screen.getByText("Unlock it and try again.")).toBeVisible();
    expect(screen.getByLabelText("New key")).toHaveValue("sk-1");
  });

  it("can be replaced and removed, never read", async () => {
    const { host, user } = show(<ModelKey model={MODEL} />, { model_key: KEPT });
    await user.click(await screen.findByRole("button", { name: "Replace" }));
    expect(screen.getByLabelText("New key")).toHaveValue("");
    expect(screen.getByLabelText("New key")).toHaveFocus();
    await user.click(button("Cancel"));
    await user.click(button("Remove"));
    expect(host.called("remove_model_key").map(({ args }) => args)).toEqual([MODEL]);
    await stale(host, aModelKey());
    expect(await screen.findByLabelText("New key")).toBeVisible();
  });

  it("has no field where there is no keychain, but says what works", async () => {
    const problem = { is_absent: true, message: "Collie found no keychain on this system.", hints: ["Set the key as an environment variable."] };
    show(<ModelKey model={MODEL} />, { model_key: aModelKey({ problem }) });
    expect(await screen.findByText("Collie found no keychain on this system. Set the key as an environment variable.")).toBeVisible();
    expect(screen.getByText("Looked for in ANTHROPIC_API_KEY, LLM_API_KEY.")).toBeVisible();
    expect(screen.queryByLabelText("New key")).toBeNull();
  });

  it("says that a variable comes first, and that a named one is not set", async () => {
    const first = show(<ModelKey model={MODEL} />, { model_key: aModelKey({ source: "variable", name: "LLM_API_KEY", stored: true }) });
    expect(await screen.findByText("The keychain has one too. It is not used while LLM_API_KEY is set.")).toBeVisible();
    first.unmount();
    show(<ModelKey model={MODEL} />, { model_key: aModelKey({ editable: false, variables: ["TEAM_KEY"] }) }, "fr");
    expect(await screen.findByText(/TEAM_KEY, qui n’est pas définie/)).toBeVisible();
    expect(screen.queryByRole("button")).toBeNull();
  });
});

const ANSWER: ModelTestView = { model: "anthropic/claude-x", answered_as: null, latency_ms: 1812, input_tokens: 45, output_tokens: 12, cost_usd: 0.000042 };

describe("a test", () => {
  it("says what a real answer took, and never that an unknown price is nothing", async () => {
    const { host, user } = show(<ModelTest model={MODEL} />, { test_model: ANSWER });
    await user.click(button("Test"));
    expect(await screen.findByText("anthropic/claude-x answered in 1,812 ms · 45 tokens in, 12 out · < $0.01", { selector: "main *, p *" })).toBeVisible();
    host.answers.test_model = { ...ANSWER, cost_usd: null, answered_as: "claude-x-1" };
    await user.click(button("Test"));
    expect(await screen.findByText(/price unknown · as claude-x-1/, { selector: "p *" })).toBeVisible();
    expect(host.called("test_model").map(({ args }) => args)).toEqual([MODEL, MODEL]);
  });

  it("says why it failed and what to do", async () => {
    const { user } = show(<ModelTest model={MODEL} />, { test_model: aProblem("llm_unauthorized", "anthropic/claude-x does not accept the key: check it.") });
    await user.click(button("Test"));
    expect(await screen.findByRole("alert")).toHaveTextContent("does not accept the key");
    expect(button("Test")).toBeEnabled();
  });

  it("is asked once however often it is pressed, and given up when the page is left", async () => {
    const { host, user, unmount } = show(<ModelTest model={MODEL} />, { test_model: () => new Promise(() => undefined) });
    await user.dblClick(button("Test"));
    expect(button("Test")).toHaveAttribute("aria-busy", "true");
    expect(host.called("test_model")).toHaveLength(1);
    unmount();
    expect(host.called("stop_model_test").map(({ args }) => args)).toEqual([{ table: "llm" }]);
  });

  it("stops nothing that is over", async () => {
    const { host, user, unmount } = show(<ModelTest model={MODEL} />, { test_model: ANSWER });
    await user.click(button("Test"));
    await screen.findAllByText(/answered in/);
    unmount();
    expect(host.called("stop_model_test")).toEqual([]);
  });

  it("says nothing of another model", async () => {
    const { user, rerender } = show(<ModelTest model={MODEL} />, { test_model: ANSWER });
    await user.click(button("Test"));
    await screen.findByText(/answered in/, { selector: "p *" });
    rerender(<ModelTest model={{ table: "llm", changes: { "llm.provider": "openai" } }} />);
    expect(screen.queryByText(/answered in/, { selector: "p *" })).toBeNull();
  });
});

function Name({ model = MODEL }: { model?: ModelRef | null }) {
  const [value, setValue] = useState("");
  return <ModelName label="Model" value={value} onChange={setValue} model={model} />;
}

const name = () => screen.getByRole("combobox", { name: "Model" });

describe("the name of a model", () => {
  it("is offered from the list of the service, asked for once the field is entered; others can be typed", async () => {
    const listed = Array.from({ length: 500 }, (_, nth) => ({ name: `model-${nth}`, title: nth === 0 ? "The first" : null, context_tokens: nth === 0 ? 8192 : null }));
    const { host, user, container } = show(<Name />, { list_models: listed });
    expect(host.called("list_models")).toEqual([]);
    await user.click(name());
    expect(await screen.findByText("500 models offered there")).toBeVisible();
    expect(container.querySelectorAll("datalist option")).toHaveLength(500);
    expect(container.querySelector("datalist option")).toHaveAttribute("label", "The first · 8,192 tokens");
    await user.type(name(), "model-499");
    expect(screen.getByText("500 models offered there")).toBeVisible();
    await user.type(name(), "9");
    expect(screen.getByText("Not among the 500 models offered there")).toBeVisible();
    expect(name()).toHaveValue("model-4999");
    expect(host.called("list_models")).toHaveLength(1);
  });

  it("says that the list is loading, and can be typed meanwhile", async () => {
    const { user } = show(<Name />, { list_models: () => new Promise(() => undefined) });
    await user.type(name(), "x");
    expect(await screen.findByText("Loading the list of models…")).toBeVisible();
    expect(name()).toHaveValue("x");
  });

  it("says why there is no list, and can be typed all the same", async () => {
    const { user } = show(<Name />, { list_models: aProblem("llm_not_listed", "azure has no list of its models: its own console names them.") });
    await user.type(name(), "ours");
    expect(await screen.findByText("No list, but the name can be typed: azure has no list of its models: its own console names them.")).toBeVisible();
    expect(name()).toHaveValue("ours");
  });

  it("asks nobody while no provider is chosen", async () => {
    const { host, user } = show(<Name model={null} />);
    await user.type(name(), "ours");
    expect(host.called("list_models")).toEqual([]);
  });
});

it("a service is the same whatever its model is called", () => {
  const changes = { "llm.model": "a", "llm.url": "http://h", models: [{ name: "spare", model: "b" }, { name: "other", model: "c" }] };
  expect(serviceOf({ table: "llm", changes }).changes).toEqual({ "llm.url": "http://h", models: changes.models });
  expect(serviceOf({ table: "models.spare", changes }).changes).toEqual({ ...changes, models: [{ name: "spare", model: null }, { name: "other", model: "c" }] });
});
