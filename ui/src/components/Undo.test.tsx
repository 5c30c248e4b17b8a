import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renderUI } from "../test";
import { UNDO_MS, UndoProvider, useUndo } from "./Undo";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const commit = vi.fn();

function Offer() {
  const undo = useUndo();
  return (
    <button type="button" onClick={() => undo({ id: "one", text: "It goes", commit })}>
      go
    </button>
  );
}

function offered() {
  commit.mockClear();
  const ui = renderUI(
    <UndoProvider>
      <Offer />
    </UndoProvider>,
  );
  fireEvent.click(screen.getByText("go"));
  fireEvent.click(screen.getByText("go"));
  expect(screen.getAllByText("It goes")).toHaveLength(1);
  return ui;
}

test("what is not taken back is done after five seconds, once", () => {
  offered();
  act(() => void vi.advanceTimersByTime(4_999));
  expect(commit).not.toHaveBeenCalled();
  act(() => void vi.advanceTimersByTime(1));
  expect(commit).toHaveBeenCalledOnce();
  expect(screen.queryByText("It goes")).not.toBeInTheDocument();
  expect(UNDO_MS).toBe(5_000);
});

test("what is taken back is never done", () => {
  const { unmount } = offered();
  fireEvent.click(screen.getByRole("button", { name: "Undo" }));
  act(() => void vi.advanceTimersByTime(60_000));
  unmount();
  expect(commit).not.toHaveBeenCalled();
});

test("a window that goes does not forget what was asked for", () => {
  offered();
  act(() => void window.dispatchEvent(new Event("pagehide")));
  expect(commit).toHaveBeenCalledOnce();
});

test("a frame that goes does not forget it either", () => {
  offered().unmount();
  expect(commit).toHaveBeenCalledOnce();
});

test("without a provider it is done at once", () => {
  commit.mockClear();
  renderUI(<Offer />);
  fireEvent.click(screen.getByText("go"));
  expect(commit).toHaveBeenCalledOnce();
});
