// Measures a list while its loops change: node ui/dev/churn.mjs [--scene overview-1000] [--changes 50] [--step 24] [--seconds 10]
// The page is built as it ships. Told are the times between frames at rest, while so many loops a second change (titles, states, rounds, so that rows
// move between groups), and while it is scrolled besides; what else runs on the machine counts there. The processor times of
// the page's tasks do not count it.
import { parseArgs } from "node:util";
import { scrollFrames, tellFrames, withScene } from "./frames.mjs";

const { values } = parseArgs({
  options: {
    scene: { type: "string", default: "overview-1000" },
    changes: { type: "string", default: "50" },
    step: { type: "string", default: "24" },
    seconds: { type: "string", default: "10" },
    chromium: { type: "string" },
  },
});

await withScene(values.scene, values.chromium, async (page, worked, watchTasks) => {
  await page.waitForSelector("[role=grid] [data-key]");
  await page.waitForTimeout(500);
  const measure = async (changes, step) => {
    const tasks = await watchTasks();
    const before = await worked();
    const stop = await churn(page, changes);
    const frames = await scrollFrames(page, { scroller: "[data-scroller]", step, milliseconds: 1_000 * Number(values.seconds) });
    await stop();
    const work = (1_000 * ((await worked()) - before)) / frames.times.length;
    return { ...frames, work, tasks: await tasks() };
  };
  tellFrames(`${values.scene} at rest`, await measure(0, 0));
  tellFrames(`${values.scene}, ${values.changes} loops a second change`, await measure(Number(values.changes), 0));
  tellFrames(`${values.scene}, the same and ${values.step} px a frame`, await measure(Number(values.changes), Number(values.step)));
});

/** Changes so many loops a second until the answer is called. */
async function churn(page, changes) {
  if (changes === 0) return async () => undefined;
  await page.evaluate((changes) => {
    const keys = window.loopKeys();
    const states = [
      { state: "pr_reviewing", attention: "working", blocker: null },
      { state: "pr_fixing", attention: "working", blocker: null },
      { state: "pr_ready_to_merge", attention: "ready", blocker: null },
      { state: "needs_human", attention: "needs_you", blocker: null },
    ];
    let nth = 0;
    const change = () => {
      nth += 1;
      const key = keys[(nth * 7919) % keys.length];
      const changed = { ...states[nth % states.length], title: `Change ${nth}`, iteration: nth % 5, updated_at: new Date().toISOString() };
      window.emitUpdates([{ type: "loop", key, changed }]);
    };
    window.churning = setInterval(change, 1_000 / changes);
  }, changes);
  return () => page.evaluate(() => clearInterval(window.churning));
}
