import { render } from "@testing-library/react";
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
