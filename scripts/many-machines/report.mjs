// What came of a play: its figures, as a table and as JSON, and whether all is as it has to be.

import { percentile, table } from "../on-a-forge.mjs";
import { diskOf } from "./load.mjs";

const sumOf = (list, of) => list.reduce((sum, one) => sum + of(one), 0);
const countBy = (list, of) => list.reduce((counts, one) => ({ ...counts, [of(one)]: (counts[of(one)] ?? 0) + 1 }), {});
const rounded = (value, digits = 1) => Number(value.toFixed(digits));

/** The figures of a play that was judged. */
export async function figuresOf({ follower, begun, judged, faults, load, requests, model, deployment, folders }) {
  const seconds = (Math.max(...[...follower.ends.values()].map(({ at }) => at), begun) - begun) / 1_000;
  const took = [...follower.ends].map(([repo, { at }]) => (at - follower.asked.get(repo)) / 1_000);
  const units = [...new Set([...deployment.workers, ...(deployment.server ? [deployment.server] : [])])];
  return {
    faults: faults.counts, zombies: faults.zombies, restarts: sumOf(units, ({ restarts }) => restarts),
    ends: countBy(judged.filter(({ state }) => state), ({ state }) => state),
    cases: new Set(judged.map(({ world }) => world.planned.id)).size,
    posts: sumOf(judged, ({ posts }) => posts), pushes: sumOf(judged, ({ pushes }) => pushes),
    wrongs: Object.fromEntries(Object.keys(judged[0].wrongs).map((what) => [what, sumOf(judged, ({ wrongs }) => wrongs[what])])),
    wrongLoops: judged.filter(({ sum }) => sum > 0).map(({ world, state, wrongs }) => ({ repo: world.repo, state, wrongs })),
    mergeTries: requests.merges,
    seconds: Math.round(seconds), loopsAMinute: rounded((took.length * 60) / seconds), startToEnd: took.length > 0 ? { p50: rounded(percentile(took, 0.5)), p99: rounded(percentile(took, 0.99)) } : null,
    ...load, requests: sumOf(Object.values(requests), (count) => count), sessions: { ...model.sessions }, unknownAsked: model.seen.unknown,
    diskMiB: await diskOf(folders), scriptSeconds: Math.round((process.cpuUsage().user + process.cpuUsage().system) / 1e6),
  };
}

/** Prints a play. */
export function printResult(result, wanted) {
  const { zombies, startToEnd, sessions, control } = result;
  const played = sumOf(Object.values(result.faults), (count) => count);
  table([
    ["what", "count"], ...Object.entries(result.faults), [`faults, of ${wanted}`, played], ["thawed; zombies of them", `${zombies.thawed}; ${zombies.zombies}`],
    ["sent after a thaw: reads, writes", `${zombies.readsAfterThaw}, ${zombies.writesAfterThaw}`], ["ended by themselves, started again", result.restarts],
    ["loops; cases", `${result.loops}; ${result.cases}`], ...Object.entries(result.ends).map(([end, count]) => [`ended ${end}`, count]),
    ["posts, pushes", `${result.posts}, ${result.pushes}`], ...Object.entries(result.wrongs), ["attempts to merge", result.mergeTries],
    ["slots", result.slots], ["seconds until the last ended", result.seconds], ["loops ended a minute", result.loopsAMinute],
    ["seconds from start to end: p50, p99", startToEnd ? `${startToEnd.p50}, ${startToEnd.p99}` : "none"], ["memory at the highest, MiB", result.memoryMiB],
    ["seconds of processors: Collie and engine, this script", `${result.processorSeconds}, ${result.scriptSeconds}`], ["requests to GitHub", result.requests],
    ["disk, MiB", result.diskMiB], ["sessions", Object.entries(sessions).map(([kind, count]) => `${count} ${kind}`).join(", ")],
    ["judge tried by hand", control.untried ?? (control.missed ? `missed ${control.missed.join(", ")}` : "it told")],
  ]);
  for (const problem of result.problems) console.log(`the play could not do its part: ${problem}`);
}

/** Whether nothing was wrong, and the judge would have told. */
export function isGood({ wrongs, mergeTries, control, problems }) {
  return sumOf(Object.values(wrongs), (count) => count) === 0 && mergeTries === 0 && !control.untried && !control.missed && problems.length === 0;
}
