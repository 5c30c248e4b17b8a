import "@testing-library/jest-dom/vitest";
import { cleanup } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";

// What jsdom lacks and Radix or the app asks for.
class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
vi.stubGlobal("ResizeObserver", NoObserver);
Element.prototype.scrollIntoView ??= () => undefined;
Element.prototype.hasPointerCapture ??= () => false;
Element.prototype.setPointerCapture ??= () => undefined;
Element.prototype.releasePointerCapture ??= () => undefined;

let width = 1280;

/** Sets how wide the window is for media queries of the next render. */
export function windowWidth(px: number): void {
  width = px;
}

beforeEach(() => {
  width = 1280;
  window.matchMedia = (query: string) => {
    const most = /max-width: (\d+)px/.exec(query)?.[1];
    const matches = most === undefined ? false : width <= Number(most);
    return Object.assign(new EventTarget(), { matches, media: query, onchange: null, addListener() {}, removeListener() {} }) as MediaQueryList;
  };
});

afterEach(() => {
  cleanup();
  window.location.hash = "";
  localStorage.clear();
});
