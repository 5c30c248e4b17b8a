// Which cases of LoopBench the play has, and what of them is another way there.
//
// Left out are `crash-*` and `trouble-*`: without their crashes and troubles, which are the play's own here, they are `ready-*` and `people-*` again.
// `mixed-*` is played without its own. All loops share the settings of the workers, so what a case wants beside them is said by its repository's own
// `.collie.toml`, which only tightens.

import { plan, readCases } from "../loopbench/cases.mjs";

const LEFT_OUT = /^(crash|trouble)-/;
/** The forge runs as many checks at once as the machine has processors: none may sleep for long. */
const MOST_SLEEP_S = 2;
/** The first run of a flaky check is lost after that; the second has to be able to pass in it. */
const FLAKY_S = 4;

/** A bot that has nothing to say of a head says nothing: it is waited for that long. */
const BOT_S = 15;

const shortened = (check) => {
  if (check.kind === "slow") return { ...check, after_s: Math.min(check.after_s ?? MOST_SLEEP_S, MOST_SLEEP_S) };
  return check.kind === "flaky" ? { ...check, after_s: FLAKY_S } : check;
};

/** What the repository of a case says for itself: which bots to wait for, and short times where the case waits for what never comes. */
function settingsOf({ bots, ci }) {
  const expected = [...new Set(bots.filter(({ kind, login }) => kind !== "thanks" && login.endsWith("[bot]")).map(({ login }) => login.replace(/\[bot\]$/, "")))];
  const lines = [
    ...(expected.length > 0 ? [`expected_bots = ${JSON.stringify(expected)}`] : []),
    ...(expected.length > 0 ? [`external_bot_timeout = "${BOT_S}s"`] : []),
    ...(ci.some(({ kind }) => kind === "never") ? ['ci_check_timeout = "40s"'] : []),
  ];
  return lines.length > 0 ? { ".collie.toml": `${lines.join("\n")}\n` } : {};
}

/** The cases that are played, each planned, by a pattern of ids. */
export function playedCases(pattern = "*") {
  return readCases(pattern).filter(({ id }) => !LEFT_OUT.test(id)).map((one) => {
    const planned = plan({ ...one, ci: one.ci.map(shortened), crashes: [], troubles: [] });
    const settings = settingsOf(planned);
    return { ...planned, base: { ...planned.base, ...settings }, head: { ...planned.head, ...settings } };
  });
}
