import type { Answers, Command, ErrorView, Update } from "../generated/wire";

/** What a command is called. */
export type CommandName = Command["command"];

/** The command of a name, with its arguments. */
export type CommandOf<N extends CommandName> = Extract<Command, { command: N }>;

/** What the command answers. */
export type AnswerTo<C extends Command> = Answers[C["command"]];

/** The process behind the window. */
export interface Host {
  kind: "desktop" | "browser";
  /** Carries a command out; rejects with a `Problem`. */
  rpc<C extends Command>(command: C): Promise<AnswerTo<C>>;
  /** Hears of what changes, in batches, until the answer is called. */
  listen(onUpdates: (batch: Update[]) => void): () => void;
}

/** What went wrong, and what can be done: the only thing that `rpc` rejects with. */
export class Problem extends Error implements ErrorView {
  readonly code: string;
  readonly hints: string[];

  constructor({ code, message, hints }: ErrorView) {
    super(message);
    this.name = "Problem";
    this.code = code;
    this.hints = hints;
  }
}

/** A problem from whatever was thrown. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (typeof thrown === "object" && thrown !== null && "code" in thrown && "message" in thrown) {
    const hints = "hints" in thrown && Array.isArray(thrown.hints) ? thrown.hints.map(String) : [];
    return new Problem({ code: String(thrown.code), message: String(thrown.message), hints });
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Problem({ code: "unexpected", message, hints: [] });
}
