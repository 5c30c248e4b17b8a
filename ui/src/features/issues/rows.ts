import type { Tone } from "../../components";
import type { IssueLine, ListingView, LoopView, PullLine } from "../../generated/wire";
import { numberOf, repoOf } from "../../routes";
import type { Translate } from "../../i18n";
import { toneOfState } from "../../states";

/** Where a loop is counted; null once it needs nobody and does nothing any more. */
export type Standing = "needs-you" | "ready" | "working";

/** A line of a list. */
export interface RowModel {
  /** `owner/repo#n`. */
  key: string;
  number: number;
  title: string;
  author: string | null;
  pull?: PullLine;
  loop?: LoopView;
  issue?: IssueLine;
}

/** Which lines are wanted. */
export interface Filter {
  kind: "pulls" | "issues";
  mine: boolean;
  agents: boolean;
  words: string;
}

/** The place of the sidebar that a loop is listed in; none when it is over. */
export function standingOf(loop: LoopView): Standing | null {
  switch (loop.standing) {
    case "needs_you":
      return "needs-you";
    case "ready":
    case "working":
      return loop.standing;
    case "over":
      return null;
  }
}

/** How many loops stand where. */
export function countStandings(loops: LoopView[]): Record<Standing, number> {
  const counts = { "needs-you": 0, ready: 0, working: 0 };
  for (const loop of loops) {
    const standing = standingOf(loop);
    if (standing) counts[standing] += 1;
  }
  return counts;
}

/** The colour of a place with these loops: the most urgent one's. */
export function toneOf(counts: Record<Standing, number>): Tone {
  if (counts["needs-you"] > 0) return "bad";
  if (counts.ready > 0) return "ok";
  return counts.working > 0 ? "run" : "none";
}

/** The loops that stand somewhere, in an order that does not change while they work: by repository, newest number first. */
export function rowsOfStanding(loops: LoopView[], standing: Standing): RowModel[] {
  return loops
    .filter((loop) => standingOf(loop) === standing)
    .map(rowOfLoop)
    .sort((a, b) => repoOf(a.key).localeCompare(repoOf(b.key)) || b.number - a.number);
}

function rowOfLoop(loop: LoopView): RowModel {
  return { key: loop.key, number: numberOf(loop.key), title: loop.title, author: loop.author, loop };
}

/** Every pull request of a repository: those listed, and those with a loop that goes on though they are not. */
export function rowsOfPulls(repo: string, listing: ListingView | undefined, loops: LoopView[]): RowModel[] {
  const here = new Map(loops.filter((loop) => repoOf(loop.key) === repo).map((loop) => [loop.key, loop]));
  const rows = (listing?.pulls ?? []).map((pull): RowModel => {
    const loop = here.get(pull.key);
    here.delete(pull.key);
    // A loop reads GitHub more often than the list is read.
    return { key: pull.key, number: pull.number, title: loop?.title ?? pull.title, author: pull.author, pull, loop };
  });
  const others = [...here.values()].filter((loop) => standingOf(loop) !== null).map(rowOfLoop);
  return [...others.sort((a, b) => b.number - a.number), ...rows];
}

/** Every issue of a repository that is listed. */
export function rowsOfIssues(listing: ListingView | undefined): RowModel[] {
  return (listing?.issues ?? []).map((issue) => ({
    key: issue.key,
    number: issue.number,
    title: issue.title,
    author: issue.author,
    issue,
  }));
}

/** Keeps what a person asked for: each word stands somewhere in number, title, author, branch or label. */
export function filtered(rows: RowModel[], { mine, agents, words }: Omit<Filter, "kind">, login: string | null): RowModel[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const about = row.pull ?? row.issue;
    if (mine && !(about ? about.mine : row.author === login)) return false;
    if (agents && !row.pull?.by_agent) return false;
    if (wanted.length === 0) return true;
    const text = [row.key, row.title, row.author, row.pull?.head_ref, ...(about?.labels ?? [])].join(" ").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** What a line's pill says. */
export interface State {
  tone: Tone;
  text: string;
}

/** The state of a line in a word or two. */
export function stateOf({ pull, loop }: Pick<RowModel, "pull" | "loop">, t: Translate): State {
  if (!loop) {
    if (pull?.draft) return { tone: "none", text: t("list-draft") };
    return { tone: "none", text: t("list-not-started") };
  }
  const name = t(loop.state === "needs_human" ? "list-needs-you" : `state-${loop.state}`);
  const tone = toneOfState(loop.state);
  if (tone !== "run") return { tone, text: name };
  if (loop.queue_position !== null) return { tone: "none", text: t("list-queued", { position: loop.queue_position }) };
  if (loop.blocker?.needs_person) return { tone: "warn", text: waitingFor(loop, t) };
  // Waiting for checks is a long word, and the same in each round.
  const counted = loop.iteration > 0 && loop.state !== "pr_awaiting_checks";
  const text = counted ? t("list-state-round", { state: name, iteration: loop.iteration, max: loop.max_iterations }) : name;
  return { tone, text };
}

function waitingFor(loop: LoopView, t: Translate): string {
  const logins = loop.blocker?.args["logins"];
  const first: unknown = Array.isArray(logins) ? logins[0] : undefined;
  if (typeof first !== "string") return t("list-waiting-you");
  return logins && Array.isArray(logins) && logins.length > 1
    ? t("list-waiting-others", { login: first, others: logins.length - 1 })
    : t("list-waiting-login", { login: first });
}

/** What a person would say of a line. */
export function sentenceOf(row: RowModel, t: Translate): string {
  const { loop, pull, issue } = row;
  if (loop) return sentenceOfLoop(loop, t);
  if (pull) return pull.passed_by ?? t(pull.author ? "list-pull-by" : "list-pull", { author: pull.author ?? "", branch: pull.head_ref });
  if (issue) return [t(issue.author ? "list-issue-by" : "list-issue", { author: issue.author ?? "", comments: issue.comments }), ...issue.labels].join(" · ");
  return "";
}

function sentenceOfLoop(loop: LoopView, t: Translate): string {
  if (loop.error) return loop.error.message;
  if (loop.state === "pr_ready_to_merge" && loop.can_merge && loop.proof) return readyOf(loop, t);
  if (loop.blocker) return loop.blocker.text;
  if (loop.queue_position !== null) return t("list-queue", { position: loop.queue_position });
  return t(`list-now-${loop.state}`);
}

/** `11 checks, 2 reviewers, CodeRabbit, at 9f3c2ab` */
function readyOf(loop: LoopView, t: Translate): string {
  const { proof, bots } = loop;
  if (!proof) return "";
  const isBot = new Set(bots.map((bot) => bot.login));
  const reviewers = proof.verdicts.filter((verdict) => !isBot.has(verdict.name)).length;
  const names = bots.filter((bot) => bot.status === "reviewed").map((bot) => bot.login.replace(/\[bot\]$/, ""));
  const seen = [t("list-ready-checks", { count: proof.checks.length }), t("list-ready-reviewers", { count: reviewers }), ...names];
  return t("list-ready", { seen: seen.join(", "), head: proof.head_sha.slice(0, 7) });
}

/** Since when a line stands as it does: a loop at work since its run began, one that is ready since its proof, one that ended since its end. */
export function timeOf({ pull, loop, issue }: RowModel): string {
  if (!loop) return pull?.updated_at ?? issue?.updated_at ?? "";
  switch (loop.state) {
    case "pr_created":
    case "pr_awaiting_checks":
    case "pr_reviewing":
    case "pr_fixing":
      return loop.started_at;
    case "pr_ready_to_merge":
      return loop.proof ? new Date(Date.parse(loop.started_at) + loop.proof.elapsed_ms).toISOString() : loop.started_at;
    case "merged":
    case "closed":
    case "cancelled":
    case "needs_human":
    case "failed":
      return loop.updated_at;
  }
}
