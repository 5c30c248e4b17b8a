import { useMemo } from "react";
import { useCommand, useLoop, type Problem } from "../../data";
import type { LoopView, MergedView, MergeMethod, Sha, TrustDecision } from "../../generated/wire";

/** What can be done with one pull request, and how that goes. */
export interface AutoPRReview {
  /** Its loop; none when it has none, or they are still being read. */
  loop: LoopView | undefined;
  /** Each rejects with a `Problem`, which is kept in `problem` too. */
  start(): Promise<null>;
  cancel(): Promise<null>;
  retry(): Promise<null>;
  /** So many rounds more than configured, in the new run alone. */
  resume(rounds?: number): Promise<null>;
  /** Says that a finding does not matter here. */
  dismiss(fingerprint: string, reason: string): Promise<null>;
  /** Tells the fixer something for its next turn; of one finding, or of the change. */
  note(fingerprint: string | null, text: string): Promise<null>;
  /** Decides what may be run and fixed in the repository. */
  decideTrust(decision: TrustDecision): Promise<null>;
  /** Says that the person has looked at what no reviewer was shown of a head. */
  seen(head: Sha): Promise<null>;
  merge(head: Sha, method: MergeMethod): Promise<MergedView>;
  openOnGitHub(): Promise<null>;
  openWorktree(): Promise<null>;
  openCheck(name: string): Promise<null>;
  openChecks(): Promise<null>;
  openCommit(sha: Sha): Promise<null>;
  openThread(fingerprint: string): Promise<null>;
  openCode(fingerprint: string): Promise<null>;
  /** Whether one of them is under way. */
  pending: boolean;
  /** What came of the last change that was asked for. */
  problem: Problem | null;
  /** What came of the last thing that was to be opened. */
  openProblem: Problem | null;
  /** Forgets the problems. */
  reset(): void;
}

/** The loop of one pull request and its actions. */
export function useAutoPRReview(key: string): AutoPRReview {
  const loop = useLoop(key);
  const change = useCommand();
  const open = useCommand();
  const { run, reset: resetChange } = change;
  const { run: runOpen, reset: resetOpen } = open;
  const actions = useMemo(
    () => ({
      start: () => run({ command: "start", args: { key } }),
      cancel: () => run({ command: "cancel", args: { key } }),
      retry: () => run({ command: "retry", args: { key } }),
      resume: (rounds = 0) => run({ command: "resume", args: { key, rounds } }),
      dismiss: (fingerprint: string, reason: string) => run({ command: "dismiss", args: { key, fingerprint, reason } }),
      note: (fingerprint: string | null, text: string) => run({ command: "note", args: { key, fingerprint, text } }),
      decideTrust: (decision: TrustDecision) => run({ command: "decide_trust", args: { key, decision } }),
      seen: (head: Sha) => run({ command: "seen", args: { key, head_sha: head } }),
      merge: (head: Sha, method: MergeMethod) => run({ command: "merge", args: { key, head_sha: head, method } }),
      openOnGitHub: () => runOpen({ command: "open", args: { target: { what: "item", key } } }),
      openWorktree: () => runOpen({ command: "open", args: { target: { what: "worktree", key } } }),
      openCheck: (name: string) => runOpen({ command: "open", args: { target: { what: "check", key, name } } }),
      openChecks: () => runOpen({ command: "open", args: { target: { what: "checks", key } } }),
      openThread: (fingerprint: string) => runOpen({ command: "open", args: { target: { what: "thread", key, fingerprint } } }),
      openCode: (fingerprint: string) => runOpen({ command: "open", args: { target: { what: "code", key, fingerprint } } }),
      openCommit: (sha: Sha) => runOpen({ command: "open", args: { target: { what: "commit", key, sha } } }),
      reset: () => {
        resetChange();
        resetOpen();
      },
    }),
    [key, run, runOpen, resetChange, resetOpen],
  );
  return { loop, ...actions, pending: change.pending, problem: change.problem, openProblem: open.problem };
}
