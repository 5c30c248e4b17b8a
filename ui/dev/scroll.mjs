// Measures how a scene scrolls: node ui/dev/scroll.mjs [--scene review-changes-large] [--step 120] [--seconds 8]
// The page is built as it ships, and scrolled by so many pixels a frame. Told are the times between frames, beside those of the same page at rest,
// since what else runs on the machine counts; and what a frame takes of the page's thread in processor time, which must stay below 16.7 ms.
import { parseArgs } from "node:util";
import { scrollFrames, tellFrames, withScene } from "./frames.mjs";

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
    const frames = await scrollFrames(page, { scroller: "[role=table]", step, milliseconds: 1_000 * Number(values.seconds) });
    return { ...frames, work: (1_000 * ((await worked()) - before)) / frames.times.length };
  };
  tellFrames(`${values.scene} at rest`, await measure(0));
  tellFrames(`${values.scene} by ${values.step} px a frame`, await measure(Number(values.step)));
});
