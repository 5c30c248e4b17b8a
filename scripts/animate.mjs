// Makes docs/images/loop.png, an animated picture (APNG) of one loop from its start to ready: the window's page in Chromium on the real backend, and the
// demo's pull request of three rounds. A frame for each change that is seen, shown as long as it was, shortened.
// node scripts/animate.mjs [--out FILE] [--theme dark] [--scenario three-rounds] [--bridge PATH] [--chromium PATH]
// Needs `cargo build -p collie-bridge` and `npm run ui:build`, and the npm registry: the encoder, upng-js, is installed into a temporary folder.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ask, asTheWindow, BRIDGE, openBridge, openChromium, until } from "./demo-page.mjs";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: fileURLToPath(new URL("../docs/images/loop.png", import.meta.url)) },
    theme: { type: "string", default: "light" },
    scenario: { type: "string", default: "three-rounds" },
    bridge: { type: "string", default: BRIDGE },
    chromium: { type: "string" },
  },
});
const ENCODER = "upng-js@2.1.0";
const [WIDTH, HEIGHT] = [1100, 688];
const COLOURS = 64;
const LOOK_EVERY_MS = 250;
/** How long a frame is shown: as it was, within these. */
const [SHORTEST_MS, LONGEST_MS, LAST_MS] = [250, 1_400, 5_000];
const MAX_FRAMES = 60;
const MAX_BYTES = 2 * 1024 * 1024;
const ENDS = new Set(["pr_ready_to_merge", "needs_human", "failed"]);

const folder = mkdtempSync(join(tmpdir(), "collie-animate-"));
execFileSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--silent", "--prefix", folder, ENCODER], { stdio: "inherit" });
const UPNG = createRequire(join(folder, "package.json"))("upng-js");

const bridge = await openBridge(join(folder, "home"), values.bridge);
const browser = await openChromium(values.chromium);
const frames = [];
try {
  const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT }, colorScheme: values.theme, reducedMotion: "reduce", locale: "en-GB" });
  await asTheWindow(page);
  await page.goto(bridge.url);
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.getByRole("button", { name: "Start all" }).waitFor({ timeout: 120_000 });
  const { demo } = await ask(page, "session");
  const { key } = demo.scenarios.find(({ name }) => name === values.scenario);
  await page.getByRole("button", { name: "Go to the pull requests" }).click();
  await page.evaluate(([repo, shown]) => (window.location.hash = `#/repo/${repo}?show=${encodeURIComponent(shown)}`), [key.split("#")[0], key]);
  await page.getByRole("button", { name: "Start", exact: true }).last().waitFor();
  await frame(page);
  await ask(page, "play_scenario", { scenario: values.scenario });
  await until("the loop to come to its end", 300, async () => {
    await frame(page);
    const loop = (await ask(page, "loops")).find((one) => one.key === key);
    return loop && ENDS.has(loop.state);
  });
  await page.waitForTimeout(1_000);
  await frame(page);
  for (const tab of [2, 1]) {
    await page.getByRole("tab").nth(tab).click();
    await page.waitForTimeout(800);
    await frame(page);
    frames.at(-1).hold = 2_500;
  }
} finally {
  await browser.close();
  await bridge.close();
  rmSync(folder, { recursive: true, force: true });
}

const shown = thinned(frames);
const delays = shown.map(({ at, hold }, index) => hold ?? (index === shown.length - 1 ? LAST_MS : Math.min(LONGEST_MS, Math.max(SHORTEST_MS, shown[index + 1].at - at))));
delays[delays.length - 1] = LAST_MS;
const picture = Buffer.from(UPNG.encode(shown.map(({ pixels }) => pixels), WIDTH, HEIGHT, COLOURS, delays));
writeFileSync(values.out, picture);
console.log(`${values.out}: ${shown.length} frames of ${frames.length}, ${(picture.length / 1024).toFixed(0)} KiB`);
if (picture.length > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes: fewer colours or frames`);

/** Takes a picture, if it differs from the one before; clocks that tick are no difference. */
async function frame(page) {
  await page.mouse.move(2, 2);
  const text = await page.evaluate(() => document.querySelector("#root").innerText.replace(/\d+ (s|min)\b/g, ""));
  if (frames.at(-1)?.text !== text) {
    const png = await page.screenshot();
    frames.push({ at: Date.now(), text, pixels: UPNG.toRGBA8(UPNG.decode(new Uint8Array(png).buffer))[0] });
  }
  await page.waitForTimeout(LOOK_EVERY_MS);
}

/** As many frames as there is room for, those that last the shortest left out. */
function thinned(all) {
  const kept = [...all];
  while (kept.length > MAX_FRAMES) {
    const lasts = kept.map(({ at, hold }, index) => (index === 0 || hold || index >= kept.length - 2 ? Infinity : kept[index + 1].at - at));
    kept.splice(lasts.indexOf(Math.min(...lasts)), 1);
  }
  return kept;
}
