import { readFileSync } from "node:fs";
import { join } from "node:path";
import { configure, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { fakeHost, renderUI, type FakeAnswers } from "../../test";
import { allSettings, MODELS } from "./fixtures";
import { Settings } from "./index";
import { MEASURED } from "./ReviewTakes";

// A busy machine answers late.
configure({ asyncUtilTimeout: 10_000 });

async function models(changes = MODELS, answers: FakeAnswers = {}) {
  const host = fakeHost({ answers: { settings: allSettings(changes), doctor: [], ...answers } });
  renderUI(<Settings group="models" onClose={() => undefined} />, { host });
  await screen.findAllByRole("heading", { level: 3 });
  return { host, user: userEvent.setup({ delay: null }) };
}

const field = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name });
const button = (name: string) => screen.getByRole("button", { name });
const saved = (host: ReturnType<typeof fakeHost>) => host.called("save_settings").map(({ args }) => args.changes);
const choose = (user: ReturnType<typeof userEvent.setup>, name: string, option: string) => user.selectOptions(screen.getByRole("combobox", { name }), option);

describe("agents, their servers and personas", () => {
  it("tell an agent its model and its effort, and take them back by silence", async () => {
    const message = '"much" is not valid';
    const agent = { name: "house-agent", command: ["house-agent"], env: [], hosts: [], readable: [], state: [] };
    const { host, user } = await models({ agents: { value: [{ ...agent, effort: "low" }], source: "file" } }, {
      check_settings: ({ changes }) =>
        JSON.stringify(changes).includes("max") ? [{ key: "agents", path: "agents.house-agent.effort", line: null, message }] : [],
    });
    expect(field("Model of the agent house-agent")).toHaveAttribute("placeholder", "Its own choice");
    await user.type(field("Model of the agent house-agent"), "house-large");
    await choose(user, "Effort of the agent house-agent", "Maximum");
    expect(await screen.findByText("agents.house-agent.effort")).toBeVisible();
    expect(screen.getByRole("combobox", { name: "Effort of the agent house-agent" })).toBeInvalid();
    await choose(user, "Effort of the agent house-agent", "Its own choice");
    await waitFor(() => expect(screen.queryByText("agents.house-agent.effort")).toBeNull());
    await user.click(button("Save"));
    expect(saved(host)).toEqual([{ agents: [{ ...agent, model: "house-large" }] }]);
  });

  it("tell a persona's agent another model and effort than it has of its table", async () => {
    const agent = { name: "house-agent", command: ["house-agent"], env: [], hosts: [], readable: [], state: [], model: "house-large", effort: "low" };
    const reviewers = { value: [{ name: "sam", runs_on: "house-agent", model: null, escalates_to: null }], source: "file" as const };
    const { host, user } = await models({ agents: { value: [agent], source: "file" }, reviewers });
    expect(field("Another model for sam")).toHaveAttribute("placeholder", "house-large");
    await user.type(field("Another model for sam"), "house-small");
    await user.click(button("More: effort of sam"));
    expect(screen.getByRole("option", { name: "Same: Low", selected: true })).toBeVisible();
    await choose(user, "Effort of sam", "High");
    expect(button("More: effort of sam, which has its own")).toBeVisible();
    await user.click(button("Save"));
    expect(saved(host)).toEqual([{ reviewers: [{ name: "sam", runs_on: "house-agent", model: "house-small", escalates_to: null, effort: "high" }] }]);
  });

  it("add an MCP server that is a program, for those whom the user names", async () => {
    const message = "an MCP server needs a command";
    const { host, user } = await models({}, {
      check_settings: ({ changes }) => (JSON.stringify(changes).includes("used_by\":[]") ? [{ key: "mcp", path: "mcp.docs", line: null, message }] : []),
    });
    await user.type(field("Name of the server"), "docs{Enter}");
    expect(await screen.findByText(new RegExp(message))).toBeVisible();
    // Nobody gets it by itself.
    expect(screen.getByRole("checkbox", { name: "The agent that fixes" })).not.toBeChecked();
    await user.type(field("Command of docs"), 'docs-server "my docs"');
    await user.type(field("Add to Variables that docs gets"), "DOCS_TOKEN{Enter}");
    await user.click(screen.getByRole("checkbox", { name: "Agents that review" }));
    await user.click(screen.getByRole("checkbox", { name: "The agent that fixes" }));
    await user.click(screen.getByRole("checkbox", { name: "Agents that review" }));
    await user.type(field("Add to Hosts that docs reaches"), "docs.example.com{Enter}");
    await user.type(field("Add to Files and folders that the server docs may read"), "/srv/docs{Enter}");
    await waitFor(() => expect(screen.queryByText(new RegExp(message))).toBeNull());
    await user.click(button("Save"));
    expect(saved(host)).toEqual([
      { mcp: [{ name: "docs", command: ["docs-server", "my docs"], env: ["DOCS_TOKEN"], headers: [], used_by: ["fixer"], hosts: ["docs.example.com"], readable: ["/srv/docs"] }] },
    ]);
  });

  it("make an MCP server one at an address, whose secrets come from variables", async () => {
    const docs = { name: "docs", command: ["docs"], env: ["DOCS_TOKEN"], headers: [], used_by: ["reviewers"], hosts: [], readable: [] };
    const message = "no address";
    const { host, user } = await models({ mcp: { value: [docs], source: "file" } }, {
      check_settings: ({ changes }) => (JSON.stringify(changes).includes('"url":"ftp') ? [{ key: "mcp", path: "mcp.docs.url", line: null, message }] : []),
    });
    await choose(user, "Kind of docs", "Address");
    expect(screen.queryByRole("textbox", { name: "Command of docs" })).toBeNull();
    await user.type(field("Address of docs"), "ftp://x");
    expect(await screen.findByText("mcp.docs.url")).toBeVisible();
    expect(field("Address of docs")).toBeInvalid();
    await user.clear(field("Address of docs"));
    await user.type(field("Address of docs"), "https://mcp.example.com");
    await choose(user, "Transport of docs", "SSE, the older form");
    const headers = within(screen.getByRole("group", { name: "Headers of docs" }));
    await user.type(headers.getByRole("textbox", { name: "Name of a header" }), "Authorization");
    // A secret is what is usual: its variable is asked for unless one chooses otherwise.
    await user.type(headers.getByRole("textbox", { name: "Value, or name of the variable" }), "DOCS_AUTH{Enter}");
    await user.click(button("Save"));
    expect(saved(host)).toEqual([
      {
        mcp: [
          {
            name: "docs",
            command: [],
            env: [],
            url: "https://mcp.example.com",
            transport: "sse",
            headers: [{ name: "Authorization", value: "DOCS_AUTH", from_variable: true }],
            used_by: ["reviewers"],
            hosts: [],
            readable: [],
          },
        ],
      },
    ]);
  });

  it("say what a review takes, as it was measured", async () => {
    await models();
    expect(screen.getByText(/16,558 tokens at first and 3,190 after a fix, the median measured on 21 public pull requests/)).toBeVisible();
    const measured = readFileSync(join(import.meta.dirname, "../../../../docs/measurements.md"), "utf8");
    const { pulls, first, again } = MEASURED;
    const shown = (tokens: number) => tokens.toLocaleString("en");
    const table = measured.split("\n\n").find((block) => block.startsWith(`| of ${pulls} | version 1,`));
    expect(table).toMatch(new RegExp(`first review, tokens.* \\| ${shown(first)} \\([^|]*\\|\n`));
    expect(table).toMatch(new RegExp(`second review, tokens.* \\| ${shown(again)} \\([^|]*\\|\n`));
  });

  it("take the focus to the next server once one is removed, past the headers of others", async () => {
    const header = { name: "X-Team", value: "TEAM", from_variable: true };
    const server = (name: string) => ({ name, command: [], env: [], url: "https://h", transport: "http", headers: [header], used_by: ["fixer"], hosts: [], readable: [] });
    const { user } = await models({ mcp: { value: ["a", "b", "c"].map(server), source: "file" } });
    await user.click(button("Remove b"));
    expect(button("Remove c")).toHaveFocus();
    await user.click(button("Remove c"));
    await user.click(button("Remove a"));
    expect(field("Name of the server")).toHaveFocus();
  });

  it("show what a persona has of the model for all, and what it has not once its provider is another", async () => {
    const { host, user } = await models({
      ...MODELS,
      "llm.url": { value: "https://gateway.example.com", source: "file" },
      "llm.key_command": { value: ["pass", "the key"], source: "file" },
      "llm.context_tokens": { value: 32_000, source: "file" },
      "llm.headers": { value: [{ name: "X-Team", value: "reviews", from_variable: false }], source: "file" },
    });
    await user.click(button("More: model options of quinn"));
    const shown = (name: string) => field(name).getAttribute("placeholder");
    const chosen = (name: string) => screen.getByRole<HTMLSelectElement>("combobox", { name }).selectedOptions[0]?.textContent;
    const takesOver = () => screen.getByRole("combobox", { name: "Add to Takes over of quinn" }).getAttribute("placeholder");
    expect(chosen("Provider of quinn")).toBe("Same: Anthropic");
    expect(chosen("Effort of quinn")).toBe("Same: High");
    expect(shown("Address of quinn")).toBe("Same: https://gateway.example.com");
    expect(shown("Temperature of quinn")).toBe("Same: 0.2");
    expect(shown("Largest request of quinn")).toBe("Same: 32000");
    // Nobody said anything of it: it follows from the model.
    expect(shown("Longest answer of quinn")).toBe("Usual");
    expect(shown("Key variable of quinn")).toBe("Usual");
    expect(shown("Key command of quinn")).toBe('Same: pass "the key"');
    expect(takesOver()).toBe("Same: spare");
    expect(within(screen.getByRole("group", { name: "Extra headers of quinn" })).getByText("Same: X-Team")).toBeVisible();
    expect(screen.getByRole("combobox", { name: "Another model for quinn" })).toHaveAttribute("placeholder", "claude-sonnet-4-5");
    await choose(user, "Provider of quinn", "OpenAI");
    expect(chosen("Effort of quinn")).toBe("None");
    expect(shown("Address of quinn")).toBe("Usual");
    expect(shown("Key command of quinn")).toBe("Usual");
    expect(shown("Temperature of quinn")).toBe("Same: 0.2");
    expect(takesOver()).toBe("Same: spare");
    expect(screen.queryByText("Same: X-Team")).toBeNull();
    expect(screen.getByRole("combobox", { name: "Another model for quinn" })).not.toHaveAttribute("placeholder");
    await user.click(button("Let nobody take over"));
    expect(takesOver()).toBe("Nobody");
    await user.click(button("Same as for all"));
    expect(takesOver()).toBe("Same: spare");
    await user.click(button("Let nobody take over"));
    await user.click(button("Save"));
    const ada = { name: "ada", runs_on: "house-agent", model: null, escalates_to: null };
    const sam = { name: "sam", runs_on: "llm", model: "claude-opus-4-5", escalates_to: null };
    const quinn = { name: "quinn", runs_on: null, model: null, escalates_to: null, provider: "openai", fallback: [] };
    expect(saved(host)).toEqual([{ reviewers: [ada, quinn, sam] }]);
  });
});
