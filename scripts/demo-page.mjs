// The window's page in Chromium, on the real backend and the demo's real forge: what pictures of it share.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Where the bridge is built. */
export const BRIDGE = join(root, "target/debug/collie-bridge");

/** The bridge on a home of its own, with no account, no keychain and no configuration of this machine. */
export async function openBridge(home, binary) {
  const { PATH, LANG } = process.env;
  const bridge = spawn(binary, ["--dist", join(root, "ui/dist")], {
    env: { PATH, LANG, HOME: home, COLLIE_HOME: join(home, "collie") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => bridge.once("close", resolve));
  for await (const line of createInterface({ input: bridge.stdout })) {
    const close = async () => {
      bridge.kill("SIGTERM");
      await ended;
    };
    return { url: JSON.parse(line).url, close };
  }
  throw new Error(`${binary} ended before it listened`);
}

/** Calls `check` until it gives something, for as long as `seconds`. */
export async function until(what, seconds, check) {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Chromium without a window. */
export function openChromium(executablePath = process.env.COLLIE_CHROMIUM ?? "/usr/bin/chromium") {
  return chromium.launch({
    executablePath,
    args: "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(" "),
  });
}

/** Asks the backend from the page, whose address has the secret that the bridge asks for. */
export async function ask(page, command, args) {
  const { status, answer } = await page.evaluate(
    async (body) => {
      const response = await fetch(`/rpc${window.location.search}`, { method: "POST", headers: { "content-type": "application/json" }, body });
      return { status: response.status, answer: await response.json() };
    },
    JSON.stringify(args ? { command, args } : { command }),
  );
  if (status !== 200) throw new Error(`${command}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Has the page be told that it can merge, as the desktop window is, which alone can: what it shows is then the window's. */
export async function asTheWindow(page) {
  await page.route("**/rpc*", async (route) => {
    if (JSON.parse(route.request().postData() ?? "{}").command !== "session") return route.continue();
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), can_merge: true } });
  });
}
