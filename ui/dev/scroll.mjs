// Measures how a scene scrolls: node ui/dev/scroll.mjs [--scene review-changes-large] [--step 120] [--seconds 8]
// The page is built as it ships, and scrolled by so many pixels a frame. Told are the times between frames, beside those of the same page at rest,
// since what else runs on the machine counts; and what a frame takes of the page's thread in processor time, which must stay below 16.7 ms.
import { parseArgs } from "node:util";
import { tellFrames, withScene } from "./frames.mjs";

const { values } = parseArgs({
  options: {
    scene: { type: "string", default: "review-changes-large" },
    step: { type: "string", default: "120" },
    seconds: { type: "string", default: "8" },
    chromium: { type: "string" },
  },
});

await withScene(values.scene, values.chromium, async (page, worked) => {
  await page.waitForSelector("[role=table] [role=row]");
  // The whole window: the more is shown, the more there is to do.
  await page.keyboard.press("f");
  await page.waitForTimeout(500);
  const measure = async (step) => {
    const before = await worked();
    const frames = await scroll(page, step, 1_000 * Number(values.seconds));
    return { ...frames, work: (1_000 * ((await worked()) - before)) / frames.times.length };
  };
  tellFrames(`${values.scene} at rest`, await measure(0));
  tellFrames(`${values.scene} by ${values.step} px a frame`, await measure(Number(values.step)));
});

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
