import type { Answers, Command, ErrorCode, ErrorView, Update } from "../generated/wire";
import { asProblem, Problem, type AnswerTo, type CommandName, type CommandOf, type Host } from "../platform";
import { noInsights } from "../features/insights/fixtures";
import { aListing, aModelKey, aSession, aSettings } from "./fixtures";

type ArgsOf<N extends CommandName> = CommandOf<N> extends { args: infer A } ? A : undefined;

/** Answers by command: a value, or what is computed from the arguments. Throw (or return) a `Problem` to refuse; return a promise to be slow. */
export type FakeAnswers = {
  [N in CommandName]?: Answers[N] | Problem | ((args: ArgsOf<N>) => Answers[N] | Problem | Promise<Answers[N]>);
};

export interface FakeHost extends Host {
  /** Every command that was asked for, in order. */
  calls: Command[];
  /** The commands of a name. */
  called<N extends CommandName>(name: N): CommandOf<N>[];
  /** Sends updates to the UI, as one batch. */
  emit(batch: Update[]): void;
  /** Changes what is answered from now on. */
  answers: FakeAnswers;
}

const usual: FakeAnswers = {
  session: () => aSession(),
  loops: [],
  activities: [],
  repositories: [],
  listing: () => aListing(),
  open_pulls: { pulls: [], unread: [], truncated: [] },
  timeline: [],
  earlier_runs: [],
  excerpts: { finding: [], fix_commit: null, fix: [] },
  description: { text: "" },
  changes: { rounds: [], files: 0, added: 0, removed: 0, incomplete: false },
  commit_diff: ({ sha }) => ({ sha, missing: null, files: [], files_left_out: 0, findings: [], elsewhere: [] }),
  settings: () => aSettings(),
  check_settings: [],
  save_settings: [],
  available_repositories: [],
  doctor: [],
  model_key: aModelKey(),
  list_models: [],
  expected_cost: {
    first: { tokens_least: 5_759, tokens_most: 41_011, usd_least: null, usd_most: null },
    next: { tokens_least: 2_961, tokens_most: 3_970, usd_least: null, usd_most: null },
    answer_tokens: 1_000,
    answer_usd: null,
  },
  review_memory: { file: null, entries: [] },
  insights: () => noInsights(),
  spending: {
    day: { spent: { input_tokens: 0, output_tokens: 0, cost_usd: 0 }, unpriced_tokens: 0, limit: { cost_usd: null, tokens: null } },
    total: { spent: { input_tokens: 0, output_tokens: 0, cost_usd: 0 }, unpriced_tokens: 0, limit: { cost_usd: null, tokens: null } },
    pull_request_limit: { cost_usd: null, tokens: null },
  },
};

/** What arrives of a value that crosses to the UI. */
function sent<T>(value: T): T {
  const plain = (_: string, part: unknown) =>
    part instanceof Problem ? { code: part.code, message: part.message, hints: part.hints } : part;
  return JSON.parse(JSON.stringify(value, plain));
}

/** A problem as the host would say it. */
export function aProblem(code: ErrorCode, message: string, hints: string[] = []): Problem {
  return new Problem(anError(code, message, hints));
}

/** A problem as an answer tells of it. */
export function anError(code: ErrorCode, message: string, hints: string[] = []): ErrorView {
  return { code, message, hints };
}

/** A host without a process behind it. */
export function fakeHost({
  answers = {},
  onRun,
  kind = "desktop",
}: { answers?: FakeAnswers; onRun?: (command: Command) => unknown; kind?: Host["kind"] } = {}): FakeHost {
  const calls: Command[] = [];
  const hearers = new Set<(batch: Update[]) => void>();
  const host: FakeHost = {
    kind,
    calls,
    answers: { ...usual, ...answers },
    called: <N extends CommandName>(name: N) =>
      calls.filter((command): command is CommandOf<N> & Command => command.command === name) as CommandOf<N>[],
    async rpc<C extends Command>(command: C): Promise<AnswerTo<C>> {
      calls.push(command);
      const given: unknown = host.answers[command.command];
      const args = "args" in command ? command.args : undefined;
      try {
        const answer: unknown = typeof given === "function" ? await given(args) : given;
        if (answer instanceof Problem) throw answer;
        const done = answer === undefined ? await onRun?.(command) : answer;
        return sent(done ?? null) as AnswerTo<C>;
      } catch (thrown) {
        throw asProblem(thrown);
      }
    },
    listen(onUpdates) {
      hearers.add(onUpdates);
      return () => hearers.delete(onUpdates);
    },
    emit(batch) {
      for (const hear of hearers) hear(sent(batch));
    },
  };
  return host;
}
