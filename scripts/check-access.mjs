// Holds, over every scene of the gallery in Chromium, what axe cannot see (§13.7, §17; WCAG 2.2, 1.4.4, 1.4.10, 1.4.11, 2.4.3, 2.4.7):
//   - text alone at 200 %, and a window 480 pixels wide: nothing leaves the page at its sides, and what can be pressed can be hit;
//   - forced colours: what is chosen differs from what is not by more than a ground, and what is in front has an edge;
//   - the keyboard alone: Tab goes through the window in the order of reading, shows where it is, and comes to the end.
//   - at the usual size, in both languages: what is made to stand on one line does.
// node scripts/check-access.mjs [SCENE…]

import { openBrowser, serveGallery, showScene } from "../ui/dev/browser.mjs";

const only = process.argv.slice(2);
const SIZES = [
  { name: "200 %", viewport: { width: 1280, height: 800 }, text: 200 },
  { name: "480 px", viewport: { width: 480, height: 800 }, text: 100 },
];
/** How many stops a person goes through before the scene is believed to have no end. */
const MAX_STOPS = 400;

const gallery = await serveGallery();
const browser = await openBrowser();
const problems = [];

/** In the page: what is lost at its sides, and what can be pressed but not hit. */
function lost() {
  const found = [];
  const name = (element) => (element.getAttribute("aria-label") ?? element.textContent ?? element.tagName).trim().slice(0, 60);
  const { innerWidth: width, innerHeight: height } = window;
  if (document.documentElement.scrollWidth > width) found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  const front = document.querySelector('[role="dialog"], [role="menu"]');
  for (const element of document.querySelectorAll('a[href], button, input, select, textarea, [role="switch"], [role="tab"]')) {
    if (front && !front.contains(element)) continue;
    // What lies behind the whole window of a diff is not there for anybody.
    if (element.closest("[inert]")) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const box = element.getBoundingClientRect();
    // Shown to screen readers alone.
    if (box.width <= 1 || box.height <= 1) continue;
    // Scrolled out of a pane, up or down, or sideways where that can be scrolled.
    const scroller = element.parentElement?.closest("[data-scroller], .overflow-auto, .overflow-y-auto, .overflow-x-auto");
    const pane = scroller?.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    // The heads of a list stay where it begins: what lies below them is scrolled out too.
    const heads = scroller?.querySelector('[role="grid"] > [role="row"].sticky');
    const top = heads && !heads.contains(element) ? heads.getBoundingClientRect().bottom : (pane?.top ?? 0);
    if (y < top + 2 || y > Math.min(pane?.bottom ?? height, height) - 2) continue;
    if (box.left < -1 || box.right > width + 1) {
      found.push(`“${name(element)}” leaves the page: ${Math.round(box.left)} to ${Math.round(box.right)} of ${width} px`);
      continue;
    }
    const hit = document.elementFromPoint(x, y);
    const over = element.closest("label") ?? element;
    if (hit && !over.contains(hit) && !hit.contains(element) && !hit.closest("label")?.contains(element)) found.push(`“${name(element)}” is covered by “${name(hit)}”`);
  }
  return found;
}

/** In the page: pairs of things that look alike though one of them is chosen, and what is in front without an edge. */
function alike() {
  const look = (element) => {
    const { outlineStyle, outlineColor, borderBottomColor, backgroundColor } = getComputedStyle(element);
    return [outlineStyle, outlineStyle === "none" ? "" : outlineColor, borderBottomColor, backgroundColor].join(" ");
  };
  const found = [];
  for (const [what, chosen, other] of [
    ["tabs", '[role="tab"][aria-selected="true"]', '[role="tab"][aria-selected="false"]'],
    ["pages", '[aria-current="page"]', 'nav a:not([aria-current="page"])'],
    ["buttons that are pressed", '[aria-pressed="true"]', '[aria-pressed="false"]'],
    ["switches", '[role="switch"][aria-checked="true"]', '[role="switch"][aria-checked="false"]'],
  ]) {
    const [on, off] = [document.querySelector(chosen), document.querySelector(other)];
    if (on && off && look(on) === look(off)) found.push(`${what}: chosen or not look alike`);
  }
  for (const front of document.querySelectorAll('[role="dialog"], [role="menu"], [role="switch"]')) {
    const { borderTopWidth, borderTopColor } = getComputedStyle(front);
    if (borderTopWidth === "0px" || borderTopColor === "rgba(0, 0, 0, 0)") found.push(`${front.getAttribute("role")} without an edge`);
  }
  return found;
}

/** Goes through a scene by Tab: in the order of the document, each stop in sight and marked, until it begins again. */
async function tabThrough(page) {
  if (await page.evaluate(() => document.querySelector('[role="menu"]') !== null)) return [];
  // From the top, wherever the scene put the focus; a dialog keeps it.
  await page.evaluate(() => {
    const top = document.createElement("button");
    (document.querySelector('[role="dialog"]') ?? document.body).prepend(top);
    top.focus();
    top.remove();
  });
  const found = [];
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return { end: true };
      // What keeps the focus in a dialog.
      if (element.matches('[data-radix-focus-guard], [role="dialog"]')) return { skip: true };
      const seen = (window.seenStops ??= []);
      if (seen.includes(element)) return { end: true };
      const last = seen.at(-1);
      seen.push(element);
      const label = element.closest("label");
      const isMarked = (each) => each && getComputedStyle(each).outlineStyle !== "none" && Number.parseFloat(getComputedStyle(each).outlineWidth) >= 2;
      const box = element.getBoundingClientRect();
      const name = (element.getAttribute("aria-label") ?? element.textContent ?? element.tagName).trim().slice(0, 60);
      return {
        name,
        after: !last || Boolean(last.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING),
        // The one field of the palette has the focus as long as that is open: its caret shows it.
        marked: Boolean(element.matches('[role="combobox"][aria-activedescendant]') || isMarked(element) || isMarked(label)),
        shown: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
      };
    });
    if (at.end) break;
    if (at.skip) continue;
    if (!at.after) found.push(`“${at.name}” comes before what stands before it`);
    if (!at.marked) found.push(`“${at.name}” has the focus and does not show it`);
    if (!at.shown) found.push(`“${at.name}” has the focus and is out of sight`);
    if (stop === MAX_STOPS - 1) found.push("Tab does not come to an end");
  }
  const stops = await page.evaluate(() => {
    const { length } = window.seenStops ?? [];
    window.seenStops = undefined;
    return length;
  });
  if (stops === 0) found.push("nothing can be reached by Tab");
  return found;
}

async function open(options, text = 100) {
  const page = await browser.newPage({ reducedMotion: "reduce", ...options });
  await page.goto(gallery.address);
  await page.addStyleTag({ content: `html { font-size: ${text}% !important; }` });
  const scenes = (await page.evaluate(() => window.scenes)).filter((name) => only.length === 0 || only.some((start) => name.startsWith(start)));
  return { page, scenes };
}

/** In the page: what is to stand on one line, and does not. */
function broken() {
  return [...document.querySelectorAll("[data-one-line]")].flatMap((line) => {
    const middles = [...line.children].map((each) => each.getBoundingClientRect()).filter((box) => box.height > 0).map((box) => box.top + box.height / 2);
    const lowest = Math.max(...middles) - Math.min(...middles);
    return lowest > 4 ? [`“${line.getAttribute("aria-label")}” stands on more than one line`] : [];
  });
}

let looked = 0;

/** Looks at every scene in one way. */
async function pass({ options, text, theme = "light", lang = "en", how, look, nth = 0, of = 1 }) {
  const { page, scenes } = await open(options, text);
  for (const scene of scenes.filter((_, index) => index % of === nth)) {
    await showScene(page, scene, theme, lang);
    problems.push(...(await look(page)).map((each) => `${scene} ${how}: ${each}`));
    looked += 1;
  }
  await page.close();
}

const viewport = { width: 1280, height: 800 };
await Promise.all([
  // French is the longer one.
  ...SIZES.map(({ name, viewport, text }) => pass({ options: { viewport }, text, lang: "fr", how: name, look: (page) => page.evaluate(lost) })),
  pass({ options: { viewport, forcedColors: "active" }, theme: "dark", how: "forced colours", look: (page) => page.evaluate(alike) }),
  ...["en", "fr"].map((lang) => pass({ options: { viewport }, lang, how: `in one line, ${lang}`, look: (page) => page.evaluate(broken) })),
  ...[0, 1].map((nth) => pass({ options: { viewport }, how: "by keyboard", look: tabThrough, nth, of: 2 })),
]);
await browser.close();
await gallery.close();

for (const problem of problems) console.log(problem);
console.log(`${looked} scenes looked at, ${problems.length} problems`);
process.exitCode = problems.length === 0 && looked > 0 ? 0 : 1;
