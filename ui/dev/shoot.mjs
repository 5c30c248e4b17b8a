// Takes pictures of the gallery's scenes: node ui/dev/shoot.mjs [SCENE…] [--theme dark] [--lang fr] [--size 900x600] [--text 200]
// [--contrast more] [--forced-colors] [--out DIR] [--list]
// SCENE may be the beginning of names. --text is the size of text alone, in percent. scripts/check-axe.mjs holds axe's rules over the same scenes.
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openBrowser, serveGallery, showScene } from "./browser.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    theme: { type: "string", default: "light" },
    lang: { type: "string", default: "en" },
    size: { type: "string", default: "1280x800" },
    text: { type: "string", default: "100" },
    contrast: { type: "string", default: "no-preference" },
    "forced-colors": { type: "boolean", default: false },
    out: { type: "string" },
    list: { type: "boolean", default: false },
    chromium: { type: "string" },
  },
});
const { theme, lang, size, text, contrast, "forced-colors": forced } = values;
const [width, height] = size.split("x").map(Number);
const folder = values.out ?? mkdtempSync(join(tmpdir(), "collie-shots-"));
mkdirSync(folder, { recursive: true });

const gallery = await serveGallery();
const browser = await openBrowser(values.chromium);
const page = await browser.newPage({
  viewport: { width, height },
  reducedMotion: "reduce",
  locale: lang,
  colorScheme: theme,
  contrast,
  forcedColors: forced ? "active" : "none",
});
let bad = 0;
let scene = "";
const tell = (what) => {
  bad += 1;
  console.log(`  ${scene}: ${what}`);
};
page.on("console", (message) => message.type() === "error" && tell(message.text()));
page.on("pageerror", (error) => tell(String(error)));

await page.goto(gallery.address);
// As browsers do where only text is enlarged, or their own size of text is another.
await page.addStyleTag({ content: `html { font-size: ${text}% !important; }` });
const names = (await page.evaluate(() => window.scenes)).filter(
  (name) => positionals.length === 0 || positionals.some((start) => name.startsWith(start)),
);
if (values.list) {
  console.log(names.join("\n"));
} else {
  const ways = [theme, lang, size, text !== "100" && `${text}%`, forced && "forced", contrast === "more" && "more"].filter(Boolean).join("-");
  for (scene of names) {
    await showScene(page, scene, theme, lang);
    await page.mouse.move(2, 2);
    const file = join(folder, `${scene}-${ways}.png`);
    await page.screenshot({ path: file });
    console.log(file);
  }
}
await browser.close();
await gallery.close();
process.exitCode = bad === 0 ? 0 : 1;
