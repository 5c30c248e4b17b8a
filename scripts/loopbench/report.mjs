// The tables of a run.

import { table } from "../on-a-forge.mjs";

const ratio = (value, digits = 1) => (value === null ? "–" : value.toFixed(digits));
const thousands = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
const mark = (value) => (value === null ? "–" : value ? "yes" : "NO");

/** One line a case. */
export function printCases(tool, scores) {
  console.log(`\n${tool.name}`);
  table([
    ["case", "end", "ended", "right end", "premature", "merges", "twice", "pushes", "took away", "found", "mended", "comments", "asks", "tokens in", "out", "requests", "s"],
    ...scores.map((one) => [
      one.id, one.end ?? "none", mark(one.ended), mark(one.right_end), one.premature, one.merges, one.duplicates, one.pushes, one.took_away,
      `${one.found}/${one.planted}`, `${one.mended}/${one.planted}`, one.comments, one.asks, thousands(one.tokens_in), thousands(one.tokens_out), thousands(one.requests), (one.took_ms / 1000).toFixed(0),
    ]),
  ]);
  for (const { id, why_premature: why } of scores) if (why.length > 0) console.log(`${id}: said ready although ${why.join("; ")}`);
}

/** One column a tool: the scores over all cases. */
export function printTotals(tools) {
  const rows = [
    ["cases", ({ cases }) => cases], ["ended in time", ({ ended, cases }) => `${ended}/${cases}`],
    ["right end", ({ right_end: right, cases }) => (right === null ? "–" : `${right}/${cases}`)],
    ["premature ready", ({ premature, right_end: right }) => (right === null ? "–" : premature)], ["merges", ({ merges }) => merges], ["posted twice", ({ duplicates }) => duplicates],
    ["pushes", ({ pushes }) => pushes], ["of them took a person's work away", ({ took_away: took }) => took],
    ["planted faults told of", ({ found, planted }) => `${found}/${planted}`], ["planted faults mended", ({ mended, planted }) => `${mended}/${planted}`],
    ["comments a true finding", ({ comments_per_finding: value }) => ratio(value)], ["asks of people", ({ asks }) => asks],
    ["tokens in", ({ tokens_in: value }) => thousands(value)], ["tokens out", ({ tokens_out: value }) => thousands(value)], ["requests", ({ requests }) => thousands(requests)],
  ];
  console.log();
  table([["", ...tools.map(({ tool }) => tool.name)], ...rows.map(([name, of]) => [name, ...tools.map(({ sums }) => of(sums))])]);
}
