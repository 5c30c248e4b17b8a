// What the measurements of frames share: the gallery as it ships, and how frames are told of.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, preview } from "vite";
import { CONFIG, openBrowser } from "./browser.mjs";

/** Builds the gallery, and gives the page of a scene with a clock of its thread's processor time to `use`. */
export async function withScene(scene, chromium, use) {
  const outDir = mkdtempSync(join(tmpdir(), "collie-frames-"));
  const input = fileURLToPath(new URL("./index.html", import.meta.url));
  await build({ configFile: CONFIG, logLevel: "error", build: { outDir, emptyOutDir: true, rollupOptions: { input } } });
  const server = await preview({ configFile: CONFIG, build: { outDir }, preview: { port: 0, strictPort: false, host: "127.0.0.1" }, logLevel: "error" });
  const address = `http://127.0.0.1:${server.httpServer.address().port}/dev/index.html?scene=${scene}`;
  const browser = await openBrowser(chromium);
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(address, { waitUntil: "load" });
    const client = await page.context().newCDPSession(page);
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    const worked = async () => {
      const { metrics } = await client.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration").value;
    };
    await use(page, worked);
  } finally {
    await browser.close();
    await server.close();
    rmSync(outDir, { recursive: true, force: true });
  }
}

/** Says how long the frames of a measurement were. */
export function tellFrames(what, { times, height, rows, work }) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(1);
  const longer = (limit) => times.filter((time) => time > limit).length;
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1_000;
  console.log(`${what} (${height} px, ${rows} rows in the page):`);
  console.log(`  ${(times.length / seconds).toFixed(1)} frames a second; median ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`);
  console.log(`  ${longer(17.5)} of ${times.length} frames longer than one of 60 a second, ${longer(34)} longer than two`);
  console.log(`  ${work.toFixed(1)} ms of the page's thread a frame`);
}
