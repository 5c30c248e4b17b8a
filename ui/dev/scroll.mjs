// Measures how a scene scrolls: node ui/dev/scroll.mjs [--scene review-changes-large] [--step 120] [--seconds 8]
// The page is built as it ships, and scrolled by so many pixels a frame. Told are the times between frames, beside those of the same page at rest,
// since what else runs on the machine counts; and what a frame takes of the page's thread in processor time, which must stay below 16.7 ms.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build, preview } from "vite";
import { CONFIG, openBrowser } from "./browser.mjs";

const { values } = parseArgs({
  options: {
    scene: { type: "string", default: "review-changes-large" },
    step: { type: "string", default: "120" },
    seconds: { type: "string", default: "8" },
    chromium: { type: "string" },
  },
});

const outDir = mkdtempSync(join(tmpdir(), "collie-scroll-"));
const input = fileURLToPath(new URL("./index.html", import.meta.url));
await build({ configFile: CONFIG, logLevel: "error", build: { outDir, emptyOutDir: true, rollupOptions: { input } } });
const server = await preview({ configFile: CONFIG, build: { outDir }, preview: { port: 0, strictPort: false, host: "127.0.0.1" }, logLevel: "error" });
const address = `http://127.0.0.1:${server.httpServer.address().port}/dev/index.html?scene=${values.scene}`;
const browser = await openBrowser(values.chromium);
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(address, { waitUntil: "load" });
  await page.waitForSelector("[role=table] [role=row]");
  // The whole window: the more is shown, the more there is to do.
  await page.keyboard.press("f");
  await page.waitForTimeout(500);
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value;
  };
  const measure = async (step) => {
    const before = await worked();
    const frames = await scroll(page, step, 1_000 * Number(values.seconds));
    return { ...frames, work: (1_000 * ((await worked()) - before)) / frames.times.length };
  };
  tell("at rest", await measure(0));
  tell(`by ${values.step} px a frame`, await measure(Number(values.step)));
} finally {
  await browser.close();
  await server.close();
  rmSync(outDir, { recursive: true, force: true });
}

function scroll(page, step, milliseconds) {
  return page.evaluate(
    async ({ step, milliseconds }) => {
      let scroller = document.querySelector("[role=table]");
      while (scroller && getComputedStyle(scroller).overflowY !== "auto") scroller = scroller.parentElement;
      const times = [];
      const began = performance.now();
      let last = await new Promise(requestAnimationFrame);
      let direction = 1;
      while (performance.now() - began < milliseconds) {
        if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1) direction = -1;
        else if (scroller.scrollTop === 0) direction = 1;
        scroller.scrollTop += direction * step;
        const now = await new Promise(requestAnimationFrame);
        times.push(now - last);
        last = now;
      }
      return { times, height: scroller.scrollHeight, rows: document.querySelectorAll("[role=row]").length };
    },
    { step, milliseconds },
  );
}

function tell(what, { times, height, rows, work }) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(1);
  const longer = (limit) => times.filter((time) => time > limit).length;
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1_000;
  console.log(`${values.scene}, ${height} px, ${rows} rows in the page, ${what}:`);
  console.log(`  ${(times.length / seconds).toFixed(1)} frames a second; median ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`);
  console.log(`  ${longer(17.5)} of ${times.length} frames longer than one of 60 a second, ${longer(34)} longer than two`);
  console.log(`  ${work.toFixed(1)} ms of the page's thread a frame`);
}
