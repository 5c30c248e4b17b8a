import "@testing-library/jest-dom/vitest";
import { cleanup } from "@testing-library/react";
import { afterEach, beforeEach } from "vitest";
import { currentWidth, windowWidth } from "./window";

// What jsdom lacks and Radix or the app asks for.
class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
// For good: a test that takes its own stubs back leaves it.
globalThis.ResizeObserver ??= NoObserver;
Element.prototype.scrollIntoView ??= () => undefined;
Element.prototype.hasPointerCapture ??= () => false;
Element.prototype.setPointerCapture ??= () => undefined;
Element.prototype.releasePointerCapture ??= () => undefined;

beforeEach(() => {
  windowWidth(1280);
  window.matchMedia = (query: string) => {
    const most = /max-width: (\d+)px/.exec(query)?.[1];
    const matches = most === undefined ? false : currentWidth() <= Number(most);
    return Object.assign(new EventTarget(), { matches, media: query, onchange: null, addListener() {}, removeListener() {} }) as MediaQueryList;
  };
});

afterEach(() => {
  cleanup();
  window.location.hash = "";
  localStorage.clear();
});
