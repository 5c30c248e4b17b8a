// Opens Chromium without a window, for the gallery, and serves the gallery itself.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

/** What vite is configured by. */
export const CONFIG = fileURLToPath(new URL("../vite.config.mts", import.meta.url));

/** A scene is looked at once nothing in it changed for so long, or it has been changing for so long. */
const QUIET_MS = 60;
const PATIENCE_MS = 3000;

/** Chromium as setup.sh installs it, or the one that COLLIE_CHROMIUM names. */
export function openBrowser(executablePath = process.env.COLLIE_CHROMIUM ?? "/usr/bin/chromium") {
  return chromium.launch({
    executablePath,
    args: "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(" "),
  });
}

/** Builds the gallery as in development (a missing text throws, and React says what it says) and serves it until `close`. */
export async function serveGallery() {
  process.env.NODE_ENV = "development";
  const { build, preview } = await import("vite");
  const outDir = mkdtempSync(join(tmpdir(), "collie-gallery-"));
  const input = fileURLToPath(new URL("./index.html", import.meta.url));
  await build({ configFile: CONFIG, mode: "development", logLevel: "error", build: { outDir, minify: false, rolldownOptions: { input } } });
  const server = await preview({ configFile: CONFIG, logLevel: "error", build: { outDir }, preview: { port: 0, host: "127.0.0.1" } });
  const close = async () => {
    await server.close();
    rmSync(outDir, { recursive: true });
  };
  return { address: `http://127.0.0.1:${server.httpServer.address().port}/dev/index.html`, close };
}

/** Shows a scene of the gallery in its page, and waits until it is quiet and painted. */
export function showScene(page, scene, theme, lang) {
  return page.evaluate(showAndWait, [scene, theme, lang, QUIET_MS, PATIENCE_MS]);
}

/** In the page. */
async function showAndWait([scene, theme, lang, quiet, patience]) {
  const untilQuiet = () =>
    new Promise((resolve) => {
      const end = () => {
        observer.disconnect();
        resolve();
      };
      let timer = setTimeout(end, quiet);
      const observer = new MutationObserver(() => {
        clearTimeout(timer);
        timer = setTimeout(end, quiet);
      });
      observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
      setTimeout(end, patience);
    });
  window.showScene(scene, theme, lang);
  // What a person does in it takes its time where the machine is busy; a script ends by itself.
  do await untilQuiet();
  while (document.body.dataset.script);
  // Parts that are loaded when they are first shown; what a scene leaves loading stays so.
  const until = performance.now() + patience / 4;
  while (performance.now() < until && document.querySelector(".wait, [aria-busy=true]")) await new Promise(requestAnimationFrame);
  // Styles hold once they were painted, and colours once they have come over from those of the scene before.
  for (let frame = 0; frame < 2; frame += 1) {
    await new Promise(requestAnimationFrame);
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  }
}
