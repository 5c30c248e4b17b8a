// Opens Chromium without a window, for the gallery.
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

/** What vite is configured by. */
export const CONFIG = fileURLToPath(new URL("../vite.config.mts", import.meta.url));

/** Chromium as setup.sh installs it, or the one that COLLIE_CHROMIUM names. */
export function openBrowser(executablePath = process.env.COLLIE_CHROMIUM ?? "/usr/bin/chromium") {
  return chromium.launch({
    executablePath,
    args: "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(" "),
  });
}
