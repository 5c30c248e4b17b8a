import type { IssueLine, ListingView, LoopView, PullLine } from "../../generated/wire";
import { numberOf, repoOf } from "../../routes";
import type { Translate } from "../../i18n";

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
  query: string;
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
  const others = [...here.values()].filter((loop) => loop.attention !== "over").map(rowOfLoop);
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
export function filterRows(rows: RowModel[], { mine, agents, query }: Omit<Filter, "kind">, login: string | null): RowModel[] {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const listed = row.pull ?? row.issue;
    if (mine && !(listed ? listed.mine : row.author === login)) return false;
    if (agents && !row.pull?.by_agent) return false;
    if (terms.length === 0) return true;
    const text = [row.key, row.title, row.author, row.pull?.head_ref, ...(listed?.labels ?? [])].join(" ").toLowerCase();
    return terms.every((word) => text.includes(word));
  });
}

/** What a person would say of a line. */
export function summaryOf(row: RowModel, t: Translate): string {
  const { loop, pull, issue } = row;
  if (loop) return loopSummary(loop, t);
  if (pull) return pull.skip_reason ?? t(pull.author ? "list-pull-by" : "list-pull", { author: pull.author ?? "", branch: pull.head_ref });
  if (issue) return [t(issue.author ? "list-issue-by" : "list-issue", { author: issue.author ?? "", comments: issue.comments }), ...issue.labels].join(" · ");
  return "";
}

/** The line as it is told beside a pill: that it is a draft is said there. */
export function besidePill(row: RowModel, t: Translate): RowModel {
  const { pull } = row;
  return pull?.draft && pull.skip_reason === t("passed-by-draft") ? { ...row, pull: { ...pull, skip_reason: null } } : row;
}

function loopSummary(loop: LoopView, t: Translate): string {
  if (loop.error) return loop.error.message;
  const isProven = loop.state === "merged" || (loop.state === "pr_ready_to_merge" && loop.can_merge);
  if (isProven && loop.proof) return readySummary(loop, t);
  if (loop.branch_holder) return loop.branch_holder.text;
  if (loop.blocker) return loop.blocker.text;
  if (loop.queue_position !== null) return t("list-queue", { position: loop.queue_position });
  return t(`list-now-${loop.state}`);
}

/** `11 checks, 2 reviewers, CodeRabbit`: the rules are no reviewer, and where a bot has reviewed nobody else is missed. */
function readySummary(loop: LoopView, t: Translate): string {
  const { proof, bots } = loop;
  if (!proof) return "";
  const isBot = new Set(bots.map((bot) => bot.login));
  const reviewers = proof.verdicts.filter(({ name, kind }) => kind !== "rules" && !isBot.has(name)).length;
  const names = bots.filter((bot) => bot.status === "reviewed").map((bot) => bot.login.replace(/\[bot\]$/, ""));
  const seen = [t("list-ready-checks", { count: proof.checks.length })];
  if (proof.unread) seen.push(t("list-ready-unread"));
  else if (reviewers > 0 || names.length === 0) seen.push(t("list-ready-reviewers", { count: reviewers }));
  return [...seen, ...names].join(", ");
}

/** Since when a line stands as it does: a loop at work since its run began, one that is ready since its proof, one that ended since its end. */
export function timeOf({ pull, loop, issue }: Pick<RowModel, "pull" | "loop" | "issue">): string {
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
