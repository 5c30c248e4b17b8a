import { act, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { aLoop, fakeHost, renderUI } from "../test";
import { useLoops } from ".";

function Titles() {
  return <ul>{useLoops().map((loop) => <li key={loop.key}>{loop.title}</li>)}</ul>;
}

test("a patch of a loop is shown in place", async () => {
  const { host } = renderUI(<Titles />, { host: fakeHost({ answers: { loops: [aLoop()] } }) });
  act(() => host.emit([{ type: "loop", key: "acme/api#480", changed: { title: "Another title" } }]));
  await waitFor(() => expect(screen.getByRole("listitem")).toHaveTextContent("Another title"));
});
