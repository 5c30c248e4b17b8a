import type { LoopView, PullLine } from "../../generated/wire";
import { numberOf, repoOf } from "../../routes";
import { timeOf } from "../issues";

/** What a list orders and searches loops by. */
export interface LoopFacts {
  repo: string;
  number: number;
  /** Since when it stands as it does. */
  since: string;
  title: string;
  cost: number;
  /** Everything that words are looked for in. */
  text: string;
}

const known = new WeakMap<LoopView | PullLine, LoopFacts>();

/** The facts of a loop, made once: a loop that changes is another object. */
export function factsOf(loop: LoopView): LoopFacts {
  let facts = known.get(loop);
  if (!facts) {
    const { key, title, author, base_ref, blocker, usage, usage_all_runs } = loop;
    facts = {
      repo: repoOf(key),
      number: numberOf(key),
      since: loop.attention === "needs_you" ? loop.updated_at : timeOf({ loop }),
      title: title.toLowerCase(),
      cost: (usage_all_runs ?? usage).cost_usd ?? 0,
      text: `${key} ${title} ${author ?? ""} ${base_ref} ${blocker?.text ?? ""}`.toLowerCase(),
    };
    known.set(loop, facts);
  }
  return facts;
}

/** The facts of a pull request without a loop, made once as well. */
export function factsOfPull(pull: PullLine): LoopFacts {
  let facts = known.get(pull);
  if (!facts) {
    const { key, number, title, author, head_ref, base_ref, labels, updated_at } = pull;
    facts = {
      repo: repoOf(key),
      number,
      since: updated_at,
      title: title.toLowerCase(),
      cost: 0,
      text: [key, title, author ?? "", head_ref, base_ref, ...labels].join(" ").toLowerCase(),
    };
    known.set(pull, facts);
  }
  return facts;
}
