// Takes pictures of the gallery's scenes: node ui/dev/shoot.mjs [SCENE…] [--theme dark] [--lang fr] [--size 900x600] [--out DIR] [--axe]
// SCENE may be the beginning of names. With --axe it also holds axe's rules, contrast included.
import { mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { createServer } from "vite";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    theme: { type: "string", default: "light" },
    lang: { type: "string", default: "en" },
    size: { type: "string", default: "1280x800" },
    out: { type: "string" },
    axe: { type: "boolean", default: false },
    chromium: { type: "string", default: process.env.COLLIE_CHROMIUM ?? "/usr/bin/chromium" },
  },
});
const [width, height] = values.size.split("x").map(Number);
const folder = values.out ?? mkdtempSync(join(tmpdir(), "collie-shots-"));

const server = await createServer({
  configFile: fileURLToPath(new URL("../vite.config.mts", import.meta.url)),
  server: { port: 0, strictPort: false, host: "127.0.0.1" },
  logLevel: "error",
});
await server.listen();
const address = `http://127.0.0.1:${server.httpServer.address().port}/dev/index.html`;
const browser = await chromium.launch({
  executablePath: values.chromium,
  args: "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(" "),
});
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
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
for (scene of names) {
  await page.goto("about:blank");
  await page.goto(`${address}?scene=${scene}&theme=${values.theme}&lang=${values.lang}`, { waitUntil: "load" });
  await page.waitForFunction(() => document.querySelector("#root")?.childElementCount > 0);
  await page.waitForTimeout(300);
  const file = join(folder, `${scene}-${values.theme}-${values.lang}-${values.size}.png`);
  await page.screenshot({ path: file });
  console.log(file);
  if (values.axe) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { rules: { region: { enabled: false } } }));
    for (const { id, nodes } of violations) {
      bad += 1;
      console.log(`  ${id}: ${nodes.map((node) => `${node.html.slice(0, 200)} ${node.any[0]?.message ?? ""}`).join("\n    ")}`);
    }
  }
}
await browser.close();
await server.close();
process.exitCode = bad === 0 ? 0 : 1;
