// @vitest-environment jsdom
import { afterEach, expect, test, vi } from "vitest";
import { kept, storedTexts, storedWord } from "./kept";

afterEach(() => localStorage.clear());

test("what is kept is there at the next start, and is the same object until it changes", () => {
  kept("a", storedTexts).set(["x"]);
  const next = kept("a", storedTexts);
  expect(next.get()).toEqual(["x"]);
  expect(next.get()).toBe(next.get());
});

test("what was stored by another page, or by nobody, is read as far as it is understood", () => {
  const check = (stored: string | null, words: string[]) => {
    if (stored === null) localStorage.clear();
    else localStorage.setItem("a", stored);
    expect(kept("a", storedTexts).get()).toEqual(words);
  };
  check(null, []);
  check("{", []);
  check("7", []);
  check('["x", 7]', ["x"]);
  expect(storedWord("c", ["a", "b"])).toBe("a");
  expect(storedWord("b", ["a", "b"])).toBe("b");
});

test("without storage a value holds until the window closes", () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new Error("full");
  });
  const store = kept("a", storedTexts);
  const heard = vi.fn();
  store.subscribe(heard);
  store.set(["x"]);
  expect(store.get()).toEqual(["x"]);
  expect(heard).toHaveBeenCalledOnce();
});
