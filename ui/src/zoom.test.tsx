import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { Announcer } from "./components";
import { fakeHost, renderUI } from "./test";
import { useZoom, ZOOM_STEPS, zoomAfter } from "./zoom";

const pressed = (key: string, more = {}) => ({ key, ctrlKey: true, metaKey: false, altKey: false, ...more });

beforeEach(() => localStorage.clear());

test("each step leads to the next and back, and stops at the ends", () => {
  for (const [index, step] of ZOOM_STEPS.entries()) {
    expect(zoomAfter(pressed("+"), step)).toBe(ZOOM_STEPS[index + 1] ?? 300);
    expect(zoomAfter(pressed("-"), step)).toBe(ZOOM_STEPS[index - 1] ?? 50);
    expect(zoomAfter(pressed("0"), step)).toBe(100);
  }
  expect(zoomAfter(pressed("=", { ctrlKey: false, metaKey: true }), 100)).toBe(110);
  expect(zoomAfter(pressed("+", { ctrlKey: false }), 100)).toBeNull();
  expect(zoomAfter(pressed("+", { altKey: true }), 100)).toBeNull();
  expect(zoomAfter(pressed("k"), 100)).toBeNull();
});

function Zoomed({ setZoom }: { setZoom?: (factor: number) => void }) {
  useZoom({ ...fakeHost(), setZoom });
  return <input aria-label="field" />;
}

const show = (setZoom?: (factor: number) => void) =>
  renderUI(
    <Announcer>
      <Zoomed setZoom={setZoom} />
    </Announcer>,
  );

test("keys zoom from within a field too, it is read out, and it is kept for the next start", async () => {
  const user = userEvent.setup({ delay: null });
  const setZoom = vi.fn();
  const { unmount } = show(setZoom);
  expect(setZoom).not.toHaveBeenCalled();
  await user.click(screen.getByLabelText("field"));
  await user.keyboard("{Control>}+{/Control}");
  expect(setZoom).toHaveBeenLastCalledWith(1.1);
  expect(screen.getByText(/^Zoom .*110.*%$/)).toBeInTheDocument();
  unmount();
  const next = vi.fn();
  show(next);
  expect(next).toHaveBeenCalledWith(1.1);
  await user.keyboard("{Control>}0{/Control}");
  expect(next).toHaveBeenLastCalledWith(1);
});

test("a browser keeps its own keys", () => {
  show();
  const event = new KeyboardEvent("keydown", { key: "+", ctrlKey: true, cancelable: true, bubbles: true });
  window.dispatchEvent(event);
  expect(event.defaultPrevented).toBe(false);
});
