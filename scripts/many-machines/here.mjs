// The same loops in one process with its own journal, in SQLite.

import { startServer } from "./server.mjs";
import { statesIn } from "./states.mjs";

/** Starts `collie serve` alone; the same as of the durable engine, as far as there is something like it. */
export async function startHere({ collie, folder, apiUrl, config, homes }) {
  const server = await startServer({ collie, folder, home: homes.server, apiUrl, config });
  const states = () => statesIn(collie, homes.server, apiUrl);
  return {
    start: (repo) => server.ask("POST", `/pr/${repo}/1/event`, { body: { id: `start ${repo}`, type: "start" }, patience: 600 }),
    states, state: (repo, told) => told.get(repo), shown: server.shown,
    workers: [server.unit], server: undefined, stop: server.unit.stop,
    processes: () => [server.unit.process],
  };
}
