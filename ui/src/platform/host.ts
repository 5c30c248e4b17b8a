import type { Answers, Command, ErrorCode, ErrorView, Update } from "../generated/wire";

/** What a command is called. */
export type CommandName = Command["command"];

/** The command of a name, with its arguments. */
export type CommandOf<N extends CommandName> = Extract<Command, { command: N }>;

/** What the command answers. */
export type AnswerTo<C extends Command> = Answers[C["command"]];

/** The process behind the window. */
export interface Host {
  kind: "desktop" | "browser";
  /** Shows everything that much larger than usual; a browser has that of its own. */
  setZoom?: ((factor: number) => void) | undefined;
  /** Carries a command out; rejects with a `Problem`. */
  rpc<C extends Command>(command: C): Promise<AnswerTo<C>>;
  /** Hears of what changes, in batches, until the answer is called. */
  listen(onUpdates: (batch: Update[]) => void): () => void;
  /** Whether it is heard at all; a window's always is. */
  silence?: Silence;
}

/** Tells that nothing comes from the host any more: what is shown may not be so by now. */
export interface Silence {
  /** Since when, in milliseconds since 1970; null while it is heard. */
  since(): number | null;
  /** Hears of each change, until the answer is called. */
  listen(onChange: () => void): () => void;
}

/** What goes wrong on the way to the host, where nobody answers with an error. */
export type HostErrorCode = "host_silent" | "unexpected";

/** What went wrong, and what can be done: the only thing that `rpc` rejects with. */
export class Problem extends Error {
  readonly code: ErrorCode | HostErrorCode;
  readonly hints: string[];

  constructor({ code, message, hints }: Omit<ErrorView, "code"> & Pick<Problem, "code">) {
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
    // As the contract says: whatever the host calls an error is one of its codes.
    return new Problem({ code: thrown.code as ErrorCode, message: String(thrown.message), hints });
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Problem({ code: "unexpected", message, hints: [] });
}
