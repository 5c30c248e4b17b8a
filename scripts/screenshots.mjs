// Takes the pictures of docs/screenshots: the window's page in Chromium, on the real backend and the demo's real forge.
// node scripts/screenshots.mjs [--out DIR] [--bridge PATH] [--chromium PATH]
// Needs `cargo build -p collie-bridge` and `npm run ui:build`. Fails when the page's console shows an error.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openBrowser, serveGallery, showScene } from "../ui/dev/browser.mjs";
import { asTheWindow, ask, BRIDGE, openBridge, openChromium, until } from "./demo-page.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: {
    out: { type: "string", default: join(root, "docs/screenshots") },
    bridge: { type: "string", default: BRIDGE },
    chromium: { type: "string", default: process.env.COLLIE_CHROMIUM ?? "/usr/bin/chromium" },
  },
});

const FIRST = { theme: "light", lang: "en", size: "1280x800" };
/** How views are shown besides, unless they may pass while pictures are taken. */
const OTHERS = [
  { ...FIRST, theme: "dark" },
  { ...FIRST, lang: "fr" },
  { ...FIRST, size: "900x600" },
  { theme: "dark", lang: "fr", size: "900x600" },
];
const MAX_BYTES = 10 * 1024 * 1024;
const ENDS = new Set(["pr_ready_to_merge", "needs_human", "failed", "merged", "closed", "cancelled"]);

/** A language model on loopback that begins to answer and does not end: its readers are at work for as long as they are looked at. */
async function openModel() {
  const says = (content) => ({ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] });
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(() => response.write(`data: ${JSON.stringify(says("and then "))}\n\n`), 100);
    response.on("close", () => clearInterval(timer));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close };
}

/** The page and what the pictures do with it. */
class Camera {
  problems = [];
  language = FIRST.lang;
  /** Calls that wait for their answer. */
  asked = 0;

  constructor(page, url) {
    this.page = page;
    this.url = url;
    const tell = (text) => {
      this.problems.push(text);
      console.log(`  console: ${text}`);
    };
    page.on("console", (message) => message.type() === "error" && tell(message.text()));
    page.on("pageerror", (error) => tell(String(error)));
    const count = (by) => (request) => {
      if (new URL(request.url()).pathname === "/rpc") this.asked += by;
    };
    page.on("request", count(1));
    page.on("requestfinished", count(-1));
    page.on("requestfailed", count(-1));
  }

  rpc(command, args) {
    return ask(this.page, command, args);
  }

  async go(hash) {
    await this.page.evaluate((to) => (window.location.hash = to), hash);
    await this.settled();
    // Closing gives the focus back to a row, which a picture need not show.
    await this.page.evaluate(() => document.activeElement?.blur());
  }

  async detail(key, place = `repo/${key.split("#")[0]}`) {
    await this.go(`#/${place}?show=${encodeURIComponent(key)}`);
    await this.page.getByRole("tab").first().waitFor();
  }

  button(name) {
    return this.page.getByRole("button", { name });
  }

  async show({ theme, lang, size }) {
    const [width, height] = size.split("x").map(Number);
    await this.page.setViewportSize({ width, height });
    await this.page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    if (lang !== this.language) await this.rpc("save_settings", { changes: { language: lang } });
    this.language = lang;
    await this.page.waitForFunction((wanted) => document.documentElement.lang === wanted, lang);
    await this.settled();
  }

  /** Waits until nothing is being read, and the page has been drawn twice since. */
  async settled() {
    await until("every call to be answered", 30, () => this.asked === 0);
    await this.page.waitForFunction(() => !document.querySelector(".wait, [aria-busy=true]"));
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }

  /** A picture as it is first shown, and in the other ways; just one of what may pass meanwhile. */
  async shoot(name, { passes = false, prepare = async () => undefined } = {}) {
    for (const way of passes ? [FIRST] : [FIRST, ...OTHERS]) {
      await this.show(way);
      await prepare();
      await this.page.mouse.move(2, 2);
      await this.settled();
      const file = join(values.out, `${name}-${way.theme}-${way.lang}-${way.size}.png`);
      await this.page.screenshot({ path: file });
      console.log(file);
    }
    await this.show(FIRST);
  }
}

async function shootOnboarding(camera) {
  const { page } = camera;
  await page.goto(camera.url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await camera.shoot("welcome");
  await camera.button("Enter a token").click();
  await camera.shoot("token");
  await page.reload();
  await camera.button("Open").click();
  await camera.button("Start all").waitFor({ timeout: 120_000 });
  await camera.shoot("scenarios");
}

const loopOf = async (camera, key) => (await camera.rpc("loops")).find((loop) => loop.key === key);

async function shootRunning(camera, keys) {
  const { page } = camera;
  await camera.button("Start all").click();
  await until("all scenarios have a loop", 60, async () => (await camera.rpc("loops")).length === Object.keys(keys).length);
  await camera.button("Go to the pull requests").click();
  await until("findings to show", 120, async () => (await loopOf(camera, keys["fix-loop"]))?.findings.length > 0);
  await camera.detail(keys["fix-loop"]);
  await camera.shoot("issues");
  await camera.detail(keys["fix-loop"], "working");
  await camera.shoot("working", { passes: true });
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await camera.shoot("keys");
  await page.keyboard.press("Escape");
  const running = await until("a loop that can be cancelled", 60, async () => (await camera.rpc("loops")).find((loop) => loop.can_cancel));
  await camera.detail(running.key, "working");
  // Asked about where work would be lost, else done at once and to be taken back.
  await camera.button(/^Cancel(…)?$/).click();
  await camera.shoot("cancel", { passes: true });
  const undo = camera.button("Undo");
  if (await undo.isVisible()) await undo.click();
  else await page.keyboard.press("Escape");
  await until("a person is waited for", 120, async () => (await loopOf(camera, keys.human))?.blocker?.needs_person);
  await camera.detail(keys.human, "needs-you");
  await camera.shoot("waits-for-ana", { passes: true });
}

async function shootEnds(camera, keys) {
  const { page } = camera;
  await until("every scenario has come to its end", 300, async () =>
    (await camera.rpc("loops")).every((loop) => ENDS.has(loop.state) || loop.blocker?.needs_person),
  );
  // Merge is where the window is; a browser leads to GitHub.
  await asTheWindow(page);
  await page.reload();
  await camera.go("#/");
  await page.getByRole("row").nth(2).waitFor();
  await camera.shoot("overview");
  await page.keyboard.press("Control+k");
  await page.getByRole("option").first().waitFor();
  await camera.shoot("palette");
  await page.keyboard.press("Escape");
  await camera.button(/^Notifications/).click();
  await page.getByRole("dialog").waitFor();
  await camera.shoot("notifications");
  await page.keyboard.press("Escape");
  await camera.go("#/needs-you");
  await page.getByRole("row").nth(2).waitFor();
  await camera.shoot("needs-you");
  await camera.detail(keys["ci-red"], "needs-you");
  await camera.shoot("needs-human");
  await camera.go("#/ready");
  await camera.shoot("ready");
  await camera.detail(keys["fix-loop"], "ready");
  await camera.shoot("proof");
  await page.getByRole("button", { name: /^Findings/ }).click();
  await page.locator("li li button[aria-expanded=false]").last().click();
  const found = page.getByText("Where it was found").first();
  await found.waitFor();
  const prepare = () => page.locator("li button[aria-expanded=true]").last().evaluate((button) => button.scrollIntoView());
  await camera.shoot("finding", { prepare });
  await page.getByRole("tab").nth(1).click();
  await page.getByRole("tabpanel").waitFor();
  await camera.shoot("changes");
  await page.getByRole("tab").nth(2).click();
  await camera.shoot("timeline");
  await camera.go("#/working");
  await camera.shoot("empty");
  await camera.go("#/repo/demo/shop");
  await camera.button(/^Issues/).click();
  await camera.shoot("tickets");
}

/** The pull request of three rounds with a model and prices, at its end: its changes with Merge beside them, its life, what is merged, the figures. */
async function shootThreeRounds(camera, key) {
  const { page } = camera;
  await camera.detail(key, "ready");
  await camera.shoot("three-rounds");
  await page.getByRole("tab").nth(2).click();
  await camera.shoot("three-rounds-timeline");
  await page.getByRole("tab").nth(1).click();
  await page.getByRole("tabpanel").waitFor();
  await camera.shoot("three-rounds-changes");
  await page.keyboard.press("f");
  await camera.shoot("three-rounds-changes-wide");
  await page.keyboard.press("f");
  await camera.button(/^(Merge…|Fusionner…)$/).click();
  await page.getByRole("dialog").waitFor();
  await camera.shoot("merge");
  await page.keyboard.press("Escape");
  await camera.go("#/insights");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await camera.shoot("insights");
  await camera.go("#/repo/demo/shop");
  const toggle = page.getByRole("switch", { name: "Auto-PR-Review" });
  if ((await toggle.getAttribute("aria-checked")) === "false") {
    await toggle.click();
    await page.getByRole("dialog").waitFor();
    await camera.shoot("auto-review-sheet");
    await page.keyboard.press("Escape");
  }
  await page.unroute("**/rpc*");
}

/** What the demo does not come to, from the gallery: many loops and what is done to several, what is asked first, errors, costs, who may only look. */
const FROM_THE_GALLERY = {
  "overview-50": "fifty-loops",
  "overview-50-compact": "fifty-loops-compact",
  "overview-bulk": "bulk",
  "overview-bulk-cancel": "bulk-cancel",
  "overview-save-view": "save-view",
  "overview-snooze": "snooze",
  "overview-paused": "paused",
  "overview-reader": "server-reader",
  "issues-palette-filtered": "palette-filtered",
  "issues-undo": "undo",
  "issues-remove-repository": "remove-repository",
  "onboarding-repositories": "choose-repositories",
  "onboarding-first-tested": "first-minutes-cost",
  "insights-some": "insights-many",
  "onboarding-first": "first-minutes",
  "onboarding-allow": "allow",
  "issues-offline": "error-offline",
  "issues-quota": "error-quota",
  "issues-unauthorized": "error-unauthorized",
  "issues-stopped": "error-stopped",
  "overview-error": "error-store",
  "settings-file-broken": "error-settings",
  "review-merge-fails": "error-head-moved",
  "review-merge-refused": "merge-refused",
  "review-merge-done": "merge-done",
  "review-retry": "retry",
  "review-resume": "resume",
  "review-dismiss": "dismiss",
  "review-dismiss-choose": "dismiss-choose",
  "review-note": "note",
  "review-more-rounds": "more-rounds",
  "review-budget": "budget",
  "review-verify-untrusted": "verify-untrusted",
  "review-trust-commands": "trust-commands",
  "review-author-not-allowed": "author-not-allowed",
  "review-allow-author": "allow-author",
  "review-unseen": "unseen",
  "review-awaiting-approval": "awaiting-approval",
  "review-approve": "approve",
  "review-reject": "reject",
  "autonomy-menu": "autonomy-menu",
  "review-observing": "observing",
  "review-description": "description",
  "review-ready-unproven": "ready-unproven",
  "review-earlier-runs": "earlier-runs",
  "review-duplicated": "duplicated",
};

async function shootGallery() {
  const gallery = await serveGallery();
  const browser = await openBrowser(values.chromium);
  for (const { theme, lang, size } of [FIRST, { theme: "dark", lang: "fr", size: "900x600" }]) {
    const [width, height] = size.split("x").map(Number);
    const page = await browser.newPage({ viewport: { width, height }, reducedMotion: "reduce", locale: lang });
    await page.goto(gallery.address);
    for (const [scene, name] of Object.entries(FROM_THE_GALLERY)) {
      await showScene(page, scene, theme, lang);
      await page.screenshot({ path: join(values.out, `${name}-${theme}-${lang}-${size}.png`) });
    }
    await page.close();
  }
  await browser.close();
  await gallery.close();
}

/** Two models at work: from here on the demo's panel runs on one. */
async function shootActivity(camera, url, clean) {
  const { page } = camera;
  // A scenario can be played again once its loop has ended.
  await camera.rpc("cancel", { key: clean });
  await until("the loop to be cancelled", 30, async () => (await loopOf(camera, clean)).state === "cancelled");
  const panel = ["quinn", "sam"].map((name) => ({ name, kind: "agent" }));
  const stages = [{ reviewers: [...panel, { name: "rules", kind: "rules" }] }];
  const changes = { "llm.provider": "compatible", "llm.model": "scripted-model", "llm.url": url, stages };
  const problems = await camera.rpc("save_settings", { changes });
  if (problems.length > 0) throw new Error(`the model cannot be set up: ${JSON.stringify(problems)}`);
  await camera.rpc("play_scenario", { scenario: "clean" });
  const { key } = await until("two models to answer", 120, async () =>
    (await camera.rpc("activities")).find(({ workers }) => workers.length === panel.length && workers.every(({ recent }) => recent.length > 0)),
  );
  await camera.detail(key, "working");
  await page.getByRole("region", { name: "At work" }).waitFor();
  await camera.shoot("activity");
  await page.getByRole("tab").nth(2).click();
  await page.getByRole("heading", { name: "Now" }).waitFor();
  await camera.shoot("activity-timeline");
}

async function shootSettings(camera) {
  for (const page of ["general", "accounts", "repositories", "panel", "models", "limits", "rules", "bots", "memory", "machine"]) {
    await camera.go(`#/settings/${page}`);
    await camera.page.getByRole("heading", { level: 1 }).first().waitFor();
    await camera.shoot(`settings-${page}`);
  }
  await camera.go("#/settings/models");
  const prepare = () => camera.page.getByRole("heading", { name: /^(Who fixes|Qui corrige)$/ }).evaluate((heading) => heading.scrollIntoView());
  await camera.shoot("settings-agents", { prepare });
}

/** Fewer colours, so that the repository stays small; the pictures are drawn with few. */
function shrink() {
  const files = readdirSync(values.out).filter((name) => name.endsWith(".png")).map((name) => join(values.out, name));
  const { error, status } = spawnSync("pngquant", ["128", "--force", "--ext", ".png", "--speed", "1", "--strip", "--skip-if-larger", ...files], { stdio: "inherit" });
  if (error) console.log(`  pngquant is not there (${error.code}): the pictures stay large`);
  else if (status !== 0 && status !== 98) throw new Error(`pngquant ended with ${status}`);
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  console.log(`${files.length} pictures, ${(bytes / 1024 / 1024).toFixed(1)} MB`);
  if (!error && bytes > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes: take fewer pictures`);
}

rmSync(values.out, { recursive: true, force: true });
mkdirSync(values.out, { recursive: true });
const home = mkdtempSync(join(tmpdir(), "collie-"));
const bridge = await openBridge(home, values.bridge);
const model = await openModel();
const browser = await openChromium(values.chromium);
const camera = new Camera(await browser.newPage({ locale: "en-GB" }), bridge.url);
try {
  await shootOnboarding(camera);
  const { demo } = await camera.rpc("session");
  const keys = Object.fromEntries(demo.scenarios.map(({ name, key }) => [name, key]));
  await shootRunning(camera, keys);
  await shootEnds(camera, keys);
  await shootThreeRounds(camera, keys["three-rounds"]);
  await shootActivity(camera, model.url, keys.clean);
  await shootSettings(camera);
} finally {
  await browser.close();
  await bridge.close();
  model.close();
  rmSync(home, { recursive: true, force: true });
}
await shootGallery();
shrink();
if (camera.problems.length > 0) throw new Error(`${camera.problems.length} errors in the console`);
