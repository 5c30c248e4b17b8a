// Measures a list while its loops change: node ui/dev/churn.mjs [--scene overview-1000] [--changes 50] [--step 24] [--seconds 10]
// The page is built as it ships. Told are the times between frames at rest, while so many loops a second change (titles, states, rounds, so that rows
// move between groups), and while it is scrolled besides; what else runs on the machine counts, so they compare with those at rest alone.
import { parseArgs } from "node:util";
import { tellFrames, withScene } from "./frames.mjs";

const { values } = parseArgs({
  options: {
    scene: { type: "string", default: "overview-1000" },
    changes: { type: "string", default: "50" },
    step: { type: "string", default: "24" },
    seconds: { type: "string", default: "10" },
    chromium: { type: "string" },
  },
});

await withScene(values.scene, values.chromium, async (page, worked) => {
  await page.waitForSelector("[role=grid] [data-key]");
  await page.waitForTimeout(500);
  const measure = async (changes, step) => {
    const before = await worked();
    const frames = await churn(page, { changes, step, milliseconds: 1_000 * Number(values.seconds) });
    return { ...frames, work: (1_000 * ((await worked()) - before)) / frames.times.length };
  };
  tellFrames(`${values.scene} at rest`, await measure(0, 0));
  tellFrames(`${values.scene}, ${values.changes} loops a second change`, await measure(Number(values.changes), 0));
  tellFrames(`${values.scene}, the same and ${values.step} px a frame`, await measure(Number(values.changes), Number(values.step)));
});

function churn(page, asked) {
  return page.evaluate(async ({ changes, step, milliseconds }) => {
    const scroller = document.querySelector("[data-scroller]");
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
    const timer = changes > 0 ? setInterval(change, 1_000 / changes) : undefined;
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
    clearInterval(timer);
    return { times, height: scroller.scrollHeight, rows: document.querySelectorAll("[role=row]").length };
  }, asked);
}
