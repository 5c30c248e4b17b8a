// `collie serve` as the play needs it: at one port for good, so that it is found again after it was killed; and how it is asked.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { TOOL_LOGIN } from "../loopbench/world.mjs";
import { environment } from "../on-a-forge.mjs";
import { freePort, start, until } from "../on-an-engine.mjs";
import { ACCOUNT } from "./settings.mjs";
import { stateOf } from "./states.mjs";
import { startUnit } from "./unit.mjs";

/** A person may ask 20 times a second. */
const PAUSE_MS = 60;

/** Starts a server as a unit, with its data folder at `home`; `ask` sends it a request as the account that works, and waits out whatever it is dying of. */
export async function startServer({ collie, folder, home, apiUrl, config, args = [] }) {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "config.toml"), config);
  const port = await freePort();
  const env = { ...process.env, ...environment(home, apiUrl), ...ACCOUNT };
  const begin = () => start(collie, ["serve", "--listen", `127.0.0.1:${port}`, ...args], { log: join(folder, "server.log"), env });
  const unit = startUnit("server", home, begin);
  const url = `http://127.0.0.1:${port}`;
  let last = Promise.resolve();
  const inTurn = () => (last = last.then(() => wait(PAUSE_MS)));
  const ask = async (method, path, { body, patience = 60 } = {}) => {
    const headers = { authorization: `Bearer forge-${TOOL_LOGIN}`, "content-type": "application/json" };
    return until(`${method} ${path}`, async () => {
      await inTurn();
      const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(10_000) });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${answer.status} ${text.slice(0, 300)}`);
      return JSON.parse(text || "null") ?? {};
    }, patience);
  };
  /** How the server shows the loop of a repository. */
  const shown = async (repo) => stateOf(await ask("GET", `/pr/${repo}/1/status`));
  return { unit, url, ask, shown };
}
