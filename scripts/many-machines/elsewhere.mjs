// The loops on the durable engine: restate-server, workers behind one address, and a server that shows what they tell.

import { ask, startBalancer, startEngine, startWorkers, until } from "../on-an-engine.mjs";
import { startServer } from "./server.mjs";
import { ACCOUNT } from "./settings.mjs";
import { isEnd, stateBeside, statesIn } from "./states.mjs";
import { startUnit } from "./unit.mjs";

const START_SECONDS = 600;

/**
 * Starts all of them below `folder`. `start` begins a loop, `states` tells quickly how all stand, `state` for certain how one does; `frozen` and
 * `killed` are what may be, `killEngine` and `cut` break the rest.
 */
export async function startElsewhere({ collie, folder, apiUrl, count, slots, config, homes }) {
  const engine = await startEngine(folder);
  const workers = await startWorkers({ collie, folder, engine, apiUrl, count, config, args: ["--fleet-slots", String(slots)], env: ACCOUNT, keep: startUnit });
  const balancer = await startBalancer(workers.map(({ port }) => port));
  await until("a worker", () => ask(`${engine.admin}/deployments`, { uri: balancer.url, force: true }));
  const server = await startServer({ collie, folder, home: homes.server, apiUrl, config, args: ["--engine", "restate", "--ingress", engine.ingress] });
  const keys = new Map();
  const start = async (repo) => {
    const { key } = await until("a start", () => ask(`${engine.ingress}/CollieStarts/start`, { pull: `${repo}#1` }), START_SECONDS);
    keys.set(repo, key);
  };
  const state = async (repo, states) => {
    const seen = await ask(`${engine.ingress}/CollieLoop/${encodeURIComponent(keys.get(repo))}/view`).catch(() => undefined);
    const now = seen?.state?.run.state;
    return isEnd(now) && Object.keys(seen.state.outbox.effects).length > 0 ? "ending" : stateBeside(now, states.get(repo));
  };
  const killEngine = async () => {
    await engine.process.end("SIGKILL");
    await engine.begin();
  };
  const stop = async () => {
    await Promise.all([...workers, server.unit].map((unit) => unit.stop()));
    await engine.process.end("SIGKILL");
  };
  return {
    start, state, states: () => statesIn(collie, homes.server, apiUrl), shown: server.shown, workers, server: server.unit, killEngine,
    cut: () => balancer.cutFor(3_000), stop,
    processes: () => [engine.process, server.unit.process, ...workers.map(({ process }) => process)],
  };
}
