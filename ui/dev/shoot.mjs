// Takes pictures of the gallery's scenes: node ui/dev/shoot.mjs [SCENE…] [--theme dark] [--lang fr] [--size 900x600] [--out DIR]
// SCENE may be the beginning of names. scripts/check-axe.mjs holds axe's rules over the same scenes.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createServer } from "vite";
import { CONFIG, openBrowser } from "./browser.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    theme: { type: "string", default: "light" },
    lang: { type: "string", default: "en" },
    size: { type: "string", default: "1280x800" },
    out: { type: "string" },
    chromium: { type: "string" },
  },
});
const [width, height] = values.size.split("x").map(Number);
const folder = values.out ?? mkdtempSync(join(tmpdir(), "collie-shots-"));

const server = await createServer({
  configFile: CONFIG,
  server: { port: 0, strictPort: false, host: "127.0.0.1" },
  logLevel: "error",
});
await server.listen();
const address = `http://127.0.0.1:${server.httpServer.address().port}/dev/index.html`;
const browser = await openBrowser(values.chromium);
const page = await browser.newPage({ viewport: { width, height }, reducedMotion: "reduce", locale: values.lang, colorScheme: values.theme });
let bad = 0;
let scene = "";
page.on("console", (message) => {
  if (message.type() !== "error") return;
  bad += 1;
  console.log(`  ${scene}: ${message.text()}`);
});
page.on("pageerror", (error) => {
  bad += 1;
  console.log(`  ${scene}: ${error}`);
});

await page.goto(address, { waitUntil: "networkidle" });
const names = (await page.evaluate(() => window.scenes)).filter(
  (name) => positionals.length === 0 || positionals.some((start) => name.startsWith(start)),
);
for (scene of names) {
  await page.goto("about:blank");
  await page.goto(`${address}?scene=${scene}&theme=${values.theme}&lang=${values.lang}`, { waitUntil: "load" });
  await page.waitForFunction(() => document.querySelector("#root")?.childElementCount > 0);
  await page.waitForTimeout(300);
  const file = join(folder, `${scene}-${values.theme}-${values.lang}-${values.size}.png`);
  await page.screenshot({ path: file });
  console.log(file);
}
await browser.close();
await server.close();
process.exitCode = bad === 0 ? 0 : 1;
