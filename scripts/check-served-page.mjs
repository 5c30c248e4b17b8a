// Uses the page of a running `collie serve` in Chromium, as a team would (§18.1): signs in, starts a loop, watches it get ready in two
// browsers at once, merges on GitHub, signs out. A forge stands for GitHub; its count of requests says that the server merged nothing.
// node scripts/check-served-page.mjs [--pictures DIR]
// Needs git, Chromium and a built `collie` (target/debug first) that has the page: `npm run ui:build` before it was built.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openChromium } from "./demo-page.mjs";
import { forgeWorld, OWNER, REPO } from "./forge-world.mjs";
import { environment, findCollie, startServer } from "./on-a-forge.mjs";

const { values: option } = parseArgs({ options: { pictures: { type: "string" } } });
const NAME = `${OWNER}/${REPO}`;
const CONFIG = `
poll_interval = "1s"
ready_poll_interval = "1s"
no_checks_grace = "1s"
ignored_checks = ["test"]

[[repositories]]
name = "${NAME}"
`;

/** Starts a server on a data folder. */
function serve(forge, data, listen) {
  const env = { ...process.env, ...environment(data, forge.apiUrl), GITHUB_TOKEN: `forge-${OWNER}`, GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS: `${OWNER},ana` };
  return startServer(findCollie("debug", "release"), { env, listen });
}

/** Ends a server, which has to go in peace. */
async function end(server) {
  const status = await server.stop();
  if (status !== 0) throw new Error(`the server ended with ${status}`);
}

/** What the forge was asked that speaks of merging, since the last time this was called. */
async function merges(forge) {
  const { routes = {}, graphql = {} } = await forge.requests();
  return [...Object.keys(routes), ...Object.keys(graphql).filter((name) => name.startsWith("mutation"))].filter((name) => /merge/i.test(name));
}

const waiting = { timeout: 60_000 };

/** Opens the page in a browser of its own. What its console says against it is kept. */
async function openPage(browser, url, said) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB" });
  const page = await context.newPage();
  page.setDefaultTimeout(waiting.timeout);
  page.on("console", (message) => message.type() === "error" && said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  await page.goto(url);
  return page;
}

async function signIn(page, token) {
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

const row = (page) => page.getByRole("row").filter({ hasText: `${NAME}#1` });

async function check(forge, data, browser) {
  const said = [];
  let server = await serve(forge, data, "127.0.0.1:0");
  const { url } = server;
  let shown = 0;
  const picture = async (page) => option.pictures && page.screenshot({ path: join(option.pictures, `served-${(shown += 1)}.png`) });
  try {
    const [ana, kim] = [await openPage(browser, url, said), await openPage(browser, url, said)];

    // Who is nobody on GitHub stays out, and is told so.
    await signIn(ana, "not-a-token");
    await ana.getByRole("alert").filter({ hasText: /token/i }).first().waitFor(waiting);
    await picture(ana);
    // The browser itself reports the refusal.
    said.splice(0).filter((text) => !/status of 4\d\d/.test(text)).forEach((text) => said.push(text));

    await signIn(ana, "forge-ana");
    await row(ana).waitFor(waiting);
    await signIn(kim, "forge-kim");
    await row(kim).waitFor(waiting);
    // Kim may read: what is not theirs to do is not offered.
    if (await kim.getByRole("button", { name: /^Start a loop/ }).count()) throw new Error("a reader is offered to start a loop");

    await ana.getByRole("button", { name: "Start a loop for Feature" }).click();
    // Kim sees it without a reload.
    for (const page of [ana, kim]) await row(page).getByRole("img", { name: "Ready to merge" }).waitFor(waiting);
    await picture(ana);

    await row(ana).getByText("Feature", { exact: true }).click();
    const merge = ana.getByRole("link", { name: /Merge on GitHub/ }).or(ana.getByRole("button", { name: /Merge on GitHub/ }));
    await merge.first().waitFor(waiting);
    await picture(ana);
    const [opened] = await Promise.all([ana.context().waitForEvent("page"), merge.first().click()]);
    const address = opened.url() === "about:blank" ? await opened.waitForURL(/pull/).then(() => opened.url()) : opened.url();
    if (!address.endsWith(`/${NAME}/pull/1`)) throw new Error(`Merge leads to ${address}`);
    await opened.close();

    // The server is replaced; nobody signs in again, and the pages go on by themselves.
    await end(server);
    await kim.getByText("Collie is not responding").waitFor(waiting);
    await picture(kim);
    server = await serve(forge, data, new URL(url).host);
    await kim.getByText("Collie is not responding").waitFor({ ...waiting, state: "detached" });
    const byServers = await merges(forge);
    if (byServers.length > 0) throw new Error(`a server asked GitHub for ${byServers.join(", ")}`);
    const answer = await forge.send("PUT", `${forge.apiUrl}/repos/${NAME}/pulls/1/merge`, { login: OWNER, body: {} });
    if (!answer.ok) throw new Error(`the person could not merge: ${answer.status} ${await answer.text()}`);
    const byPerson = await merges(forge);
    if (byPerson.length !== 1) throw new Error(`the forge counts ${byPerson.join(", ") || "nothing"} where one person merged once`);
    await ana.getByText("Merged", { exact: true }).filter({ visible: true }).first().waitFor(waiting);
    await picture(ana);

    await ana.getByRole("button", { name: /Signed in as ana/ }).click();
    await ana.getByRole("menuitem", { name: "Sign out…" }).click();
    await ana.getByRole("alertdialog").or(ana.getByRole("dialog")).getByRole("button", { name: "Sign out", exact: true }).click();
    await ana.getByLabel("Token", { exact: true }).waitFor(waiting);
    await picture(ana);
    await kim.reload();
    await kim.getByRole("button", { name: /Signed in as kim/ }).waitFor(waiting);
    const serious = said.filter((text) => !/ERR_CONNECTION_REFUSED|status of 40[13]/.test(text));
    if (serious.length > 0) throw new Error(`the console says: ${serious.join("\n")}`);
  } catch (error) {
    for (const context of browser.contexts()) for (const page of context.pages()) await picture(page);
    throw new Error(`${error.message}\nthe console said: ${said.join("\n")}`, { cause: error });
  } finally {
    await end(server);
  }
}

const { forge, end: endForge } = await forgeWorld();
const home = mkdtempSync(join(tmpdir(), "collie-served-"));
const browser = await openChromium();
const began = Date.now();
try {
  if (option.pictures) mkdirSync(option.pictures, { recursive: true });
  mkdirSync(join(home, "data"));
  writeFileSync(join(home, "data/config.toml"), CONFIG);
  await forge.send("POST", `${forge.apiUrl}/repos/${NAME}/pulls`, { login: OWNER, body: { title: "Feature", head: "feature", base: "main" } });
  await check(forge, join(home, "data"), browser);
  console.log(`the page of a server: two people, one loop to ready, a restart, no merge; ${((Date.now() - began) / 1000).toFixed(1)} s`);
} finally {
  await browser.close();
  await endForge();
  rmSync(home, { recursive: true, force: true });
}
