import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const MOCKS = ["src/features/issues/renders.test.tsx", "src/features/overview/renders.test.tsx"];
const page = { environment: "jsdom" as const, setupFiles: [here("./src/test/setup.ts")] };

/**
 * What d3 sets on an object of its own although `Object.prototype` has it too. The window freezes that one (`freezePrototype`), and then such a
 * property cannot be set before the object has it.
 */
const SET_ON_OWN: Record<string, readonly [string, string, string]> = {
  "/d3-color/dist/d3-color.mjs": ["prototype.constructor = constructor", "prototype", "constructor"],
  "/d3-format/dist/d3-format.mjs": ["FormatSpecifier.prototype.toString = function", "FormatSpecifier.prototype", "toString"],
};

/** Has d3 work beside a frozen `Object.prototype`; a version that is written otherwise fails the build. */
function besideFrozenPrototypes(): Plugin {
  const done = new Set<string>();
  return {
    name: "beside-frozen-prototypes",
    apply: "build",
    transform(code, id) {
      const found = Object.entries(SET_ON_OWN).find(([file]) => id.endsWith(file));
      if (!found) return null;
      const [file, [text, owner, name]] = found;
      if (code.includes(text)) done.add(file);
      const own = `Object.defineProperty(${owner}, "${name}", { value: undefined, writable: true, configurable: true });`;
      return { code: code.replace(text, `${own} ${text}`), map: null };
    },
    buildEnd(error) {
      const missing = Object.keys(SET_ON_OWN).filter((file) => !done.has(file));
      if (!error && missing.length > 0) this.error(`${missing.join(", ")} is written otherwise: see that it works beside a frozen Object.prototype`);
    },
  };
}

export default defineConfig({
  root: here("."),
  plugins: [react(), tailwindcss(), besideFrozenPrototypes()],
  clearScreen: false,
  resolve: {
    // The page itself never scrolls, so nothing has to be locked; the original adds a <style> that the CSP forbids.
    alias: { "react-remove-scroll": here("./src/components/scroll-lock.tsx") },
  },
  server: { port: 1420, strictPort: true, fs: { allow: [here("..")] } },
  build: {
    outDir: here("./dist"),
    emptyOutDir: true,
    target: ["safari16.4", "chrome111"],
    modulePreload: { polyfill: false },
    // Nothing is written into the page itself: the CSP allows only files.
    assetsInlineLimit: 0,
  },
  test: {
    pool: "threads",
    // Every core: nothing else runs beside them.
    maxWorkers: "100%",
    restoreMocks: true,
    // Long enough for a busy machine; nothing waits for a time.
    testTimeout: 60_000,
    css: true,
    // Packages that import the scroll lock must see the alias above in tests too.
    server: { deps: { inline: [/@radix-ui/] } },
    projects: [
      // Modules are read once for all files: what they keep is kept by host or cache, of which each test makes its own.
      { extends: true, test: { ...page, name: "page", include: ["src/**/*.test.tsx"], exclude: MOCKS, isolate: false } },
      // These put modules of their own in the place of others.
      { extends: true, test: { ...page, name: "mocks", include: MOCKS } },
      // What shows nothing needs no page, which takes a second a file; the two that do say so.
      { extends: true, test: { name: "logic", include: ["src/**/*.test.ts"], environment: "node" } },
    ],
  },
});
