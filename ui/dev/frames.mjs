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
    await use(page, worked, () => watchTasks(client));
  } finally {
    await browser.close();
    await server.close();
    rmSync(outDir, { recursive: true, force: true });
  }
}

/**
 * Traces the tasks of the page's thread until the answer is called, which gives their processor times in ms, the longest first. They are the page's
 * own, however long others kept the thread waiting.
 */
async function watchTasks(client) {
  const events = [];
  const collect = ({ value }) => events.push(...value);
  client.on("Tracing.dataCollected", collect);
  await client.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["toplevel", "devtools.timeline"] } });
  return async () => {
    const complete = new Promise((resolve) => client.once("Tracing.tracingComplete", resolve));
    await client.send("Tracing.end");
    await complete;
    client.off("Tracing.dataCollected", collect);
    const page = events.find(({ name }) => name === "FireAnimationFrame");
    const own = events.filter(({ name, pid, tid, tdur }) => /RunTask/.test(name) && pid === page?.pid && tid === page?.tid && tdur !== undefined);
    return own.map(({ tdur }) => tdur / 1_000).sort((a, b) => b - a);
  };
}

/** Scrolls the element of a selector up and down by so many pixels a frame, for so long: the times between frames, and how much there is to see. */
export function scrollFrames(page, asked) {
  return page.evaluate(async ({ scroller: selector, step, milliseconds }) => {
    let scroller = document.querySelector(selector);
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
  }, asked);
}

/** Says how long the frames of a measurement were. */
export function tellFrames(what, { times, height, rows, work, tasks }) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(1);
  const longer = (limit) => times.filter((time) => time > limit).length;
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1_000;
  console.log(`${what} (${height} px, ${rows} rows in the page):`);
  console.log(`  ${(times.length / seconds).toFixed(1)} frames a second; median ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`);
  console.log(`  ${longer(17.5)} of ${times.length} frames longer than one of 60 a second, ${longer(34)} longer than two`);
  console.log(`  ${work.toFixed(1)} ms of the page's thread a frame`);
  if (!tasks) return;
  const over = (limit) => tasks.filter((task) => task > limit).length;
  console.log(`  longest task ${tasks[0]?.toFixed(1)} ms of processor time; ${over(16.7)} over 16.7 ms, ${over(34)} over 34 ms`);
}
