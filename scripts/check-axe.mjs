// Holds axe's rules over every scene of the gallery (ui/src/features/*/scenes.tsx), as Chromium lays it out: light in English, dark in French. Says
// too what a scene writes to the console as an error.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CONFIG, openBrowser } from "../ui/dev/browser.mjs";

/** A scene is looked at once nothing in it changed for so long, or it has been changing for so long. */
const QUIET_MS = 60;
const PATIENCE_MS = 3000;
const LOOKS = [
  ["light", "en"],
  ["dark", "fr"],
];

// As in development: a missing text throws, and React says what it says.
process.env.NODE_ENV = "development";
const { build, preview } = await import("vite");

const outDir = mkdtempSync(join(tmpdir(), "collie-gallery-"));
const input = fileURLToPath(new URL("../ui/dev/index.html", import.meta.url));
await build({ configFile: CONFIG, mode: "development", logLevel: "error", build: { outDir, minify: false, rolldownOptions: { input } } });
const server = await preview({ configFile: CONFIG, logLevel: "error", build: { outDir }, preview: { port: 0, host: "127.0.0.1" } });
const address = `http://127.0.0.1:${server.httpServer.address().port}/dev/index.html`;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await openBrowser();
const problems = [];

/** In the page: shows a scene, waits until it is quiet, and answers what axe finds. */
async function look([scene, theme, lang, quiet, patience]) {
  window.showScene(scene, theme, lang);
  await new Promise((resolve) => {
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
  // Styles hold once they were painted.
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  // Where landmarks are is up to the whole window; some scenes are parts of it.
  const { violations } = await window.axe.run(document, { resultTypes: ["violations"], rules: { region: { enabled: false } } });
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.any[0]?.message ?? ""}`));
}

/** A page for one theme and one language: styles of another would still be passing over. */
async function open() {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  const at = { scene: "" };
  page.on("console", (message) => message.type() === "error" && problems.push(`${at.scene}: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`${at.scene}: ${error}`));
  await page.goto(address);
  await page.evaluate(axe);
  return { page, at };
}

const counts = await Promise.all(
  LOOKS.map(async ([theme, lang]) => {
    const { page, at } = await open();
    const scenes = await page.evaluate(() => window.scenes);
    for (const scene of scenes) {
      at.scene = `${scene} ${theme} ${lang}`;
      const found = await page.evaluate(look, [scene, theme, lang, QUIET_MS, PATIENCE_MS]);
      problems.push(...found.map((each) => `${at.scene}: ${each}`));
    }
    return scenes.length;
  }),
);
await browser.close();
await server.close();
rmSync(outDir, { recursive: true });

for (const problem of problems) console.log(problem);
const looked = counts.reduce((sum, count) => sum + count, 0);
console.log(`${looked} scenes looked at, ${problems.length} problems`);
process.exitCode = problems.length === 0 && looked > 0 ? 0 : 1;
