import { render, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import Markdown from "./Markdown";

it.each([
  ["quotes", `${">".repeat(400)} the end`],
  ["lists", `${"- ".repeat(200)}the end`],
  ["emphasis", `${"**a ".repeat(200)}the end${" b**".repeat(200)}`],
])("shows %s in one another to a depth that every window can lay out", (_, text) => {
  const { container } = render(<Markdown text={text} />);
  expect(container).toHaveTextContent("the end");
  const depth = (node: Element): number => 1 + Math.max(0, ...[...node.children].map(depth));
  expect(depth(container)).toBeGreaterThan(8);
  expect(depth(container)).toBeLessThan(40);
});

it.each([
  ["nested deeper than the stack", `${">".repeat(9000)} the end`],
  ["longer than any finding", `${"**a ".repeat(10_000)}the end`],
])("shows what is %s as it is written", (_, text) => {
  const { container } = render(<Markdown text={text} />);
  expect(container.textContent).toBe(text);
});

it("folds what reviews fold away, and shows other HTML as it is written", () => {
  const table = "| Check | Result |\n|---|---|\n| build | passed |\n";
  const inner = `<details>\n<summary>Inner</summary>\n\n- one\n\n</details>\n`;
  const text = `Before.\n\n<details>\n<summary>2 checks passed</summary>\n\n${table}\n${inner}\n</details>\n\nAfter.\n\n<details open onclick="x">\n<summary>Odd</summary>\n\n<b>bold</b>`;
  render(<Markdown text={text} />);
  const [outer, nested] = screen.getAllByRole("group") as [HTMLElement, HTMLElement];
  expect(outer).toHaveTextContent(/^2 checks passed/);
  expect(within(outer).getByRole("table", { hidden: true })).toHaveTextContent("build");
  expect(nested).toHaveTextContent("Innerone");
  expect(outer).toContainElement(nested);
  expect(screen.getByText("After.")).toBeVisible();
  expect(screen.getByText(/<details open onclick="x">/)).toBeVisible();
  expect(screen.getAllByRole("group")).toHaveLength(2);
});

it("shows what is never closed as it is written", () => {
  const { container } = render(<Markdown text={"<details>\n<summary>Open</summary>\n\nfirst\n\n<details>\n<summary>Too</summary>\n\nlast\n"} />);
  expect(container.textContent?.replace(/\s+/g, "")).toBe("<details><summary>Open</summary>first<details><summary>Too</summary>last");
});
