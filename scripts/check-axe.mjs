// Holds axe's rules over every scene of the gallery (ui/src/features/*/scenes.tsx), as Chromium lays it out: light in English, dark in French. Says
// too what a scene writes to the console as an error, and which list takes more screens than it may.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { openBrowser, serveGallery, showScene } from "../ui/dev/browser.mjs";

const LOOKS = [
  ["light", "en"],
  ["dark", "fr"],
];

/** In how many screens of 1280 x 800 the list of a scene has to fit (§13.8). */
const SCREENS = { "overview-50-compact": 2 };

/** How often, and after how long, it is looked again whether it fits. */
const SETTLE_LOOKS = 20;
const SETTLE_MS = 250;

const gallery = await serveGallery();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await openBrowser();
const problems = [];

/** In the page: what axe finds in the scene that is shown. */
async function look() {
  // Where landmarks are is up to the whole window; some scenes are parts of it.
  const { violations } = await window.axe.run(document, { resultTypes: ["violations"], rules: { region: { enabled: false } } });
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.any[0]?.message ?? ""}`));
}

/** In the page: how often its list has to be scrolled by what is in sight, and once more. */
function screensOfList() {
  const list = document.querySelector("[data-scroller]");
  return list.scrollHeight / list.clientHeight;
}

/** The same once it fits, or has not for some time: rows are first as high as is guessed, and a busy machine lays them out late. */
async function settledScreens(page, allowed) {
  for (let looks = 1; ; looks += 1) {
    const screens = await page.evaluate(screensOfList);
    if (screens <= allowed || looks === SETTLE_LOOKS) return screens;
    await page.waitForTimeout(SETTLE_MS);
  }
}

/** A page for one theme and one language: styles of another would still be passing over. */
async function open() {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  const at = { scene: "" };
  page.on("console", (message) => message.type() === "error" && problems.push(`${at.scene}: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`${at.scene}: ${error}`));
  await page.goto(gallery.address);
  await page.evaluate(axe);
  return { page, at };
}

const counts = await Promise.all(
  LOOKS.map(async ([theme, lang]) => {
    const { page, at } = await open();
    const scenes = await page.evaluate(() => window.scenes);
    for (const scene of scenes) {
      at.scene = `${scene} ${theme} ${lang}`;
      await showScene(page, scene, theme, lang);
      const found = await page.evaluate(look);
      problems.push(...found.map((each) => `${at.scene}: ${each}`));
      const screens = SCREENS[scene] && (await settledScreens(page, SCREENS[scene]));
      if (screens > SCREENS[scene]) problems.push(`${at.scene}: the list takes ${screens.toFixed(2)} screens, ${SCREENS[scene]} are allowed`);
    }
    return scenes.length;
  }),
);
await browser.close();
await gallery.close();

for (const problem of problems) console.log(problem);
const looked = counts.reduce((sum, count) => sum + count, 0);
console.log(`${looked} scenes looked at, ${problems.length} problems`);
process.exitCode = problems.length === 0 && looked > 0 ? 0 : 1;
