import { vi } from "vitest";

let width = 1280;

/** How wide the window is for media queries. */
export const currentWidth = (): number => width;

/** Sets how wide the window is; it is 1280 again for the next test. */
export function windowWidth(px: number): void {
  width = px;
}

/** Gives every pane a size until the end of the test: what has none shows no lines. */
export function paneHeight(px: number): void {
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(px);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(1_000);
  HTMLElement.prototype.scrollTo ??= () => undefined;
}
