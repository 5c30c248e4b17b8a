import type { LoopView, TrustDecision } from "../../generated/wire";
import { numberOf } from "../../routes";

/** What a person can decide about a loop that waits for that. */
export type TrustChoice = "trust" | "skip" | "author" | "pull";

/** What a loop asks a person about: the repository's verify commands, or its author. */
export type TrustQuestion =
  | { about: "commands"; commands: string[] }
  | { about: "author"; login: string | null; id: number | null; number: number };

/** The question that a loop waits with; null when it waits for something else. */
export function trustQuestion(loop: LoopView): TrustQuestion | null {
  const { blocker } = loop;
  if (blocker?.code === "verify_untrusted") {
    const commands = Array.isArray(blocker.args.commands) ? blocker.args.commands : [];
    return { about: "commands", commands: commands.filter((command) => typeof command === "string") };
  }
  if (blocker?.code === "author_not_allowed") {
    const { login, id } = blocker.args;
    return {
      about: "author",
      login: typeof login === "string" ? login : null,
      id: typeof id === "number" ? id : null,
      number: numberOf(loop.key),
    };
  }
  return null;
}

/** The ways to answer a question, the usual one first. */
export function choicesOf(question: TrustQuestion): TrustChoice[] {
  if (question.about === "commands") return ["trust", "skip"];
  return question.login !== null && question.id !== null ? ["author", "pull"] : ["pull"];
}

/** What a choice sends; null when the question is not one that it answers. */
export function decisionOf(question: TrustQuestion, choice: TrustChoice): TrustDecision | null {
  switch (choice) {
    case "trust":
      return question.about === "commands" ? { decision: "trust_commands", commands: question.commands } : null;
    case "skip":
      return { decision: "skip_verification" };
    case "author":
      return question.about === "author" && question.login !== null && question.id !== null
        ? { decision: "allow_author", id: question.id, login: question.login }
        : null;
    case "pull":
      return question.about === "author" ? { decision: "allow_pull", number: question.number } : null;
  }
}

/** A command with every character that hides or reorders text written out, so that what is read is what runs. */
export function visibleCommand(command: string): string {
  return command.replace(/[\p{Cc}\p{Cf}\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
