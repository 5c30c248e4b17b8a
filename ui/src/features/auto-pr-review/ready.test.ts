import { describe, expect, it } from "vitest";
import type { LoopView, ProofView } from "../../generated/wire";
import { textIn } from "../../i18n";
import { sha } from "../../test";
import { aProvenLoop } from "./fixtures";
import { agreementText, readySentence, unprovenOf, unusualChecks } from "./ready";

const head = sha("9f3c2ab");
const quinn = { name: "quinn", kind: "agent", verdict: "approve", head_sha: head, findings: 0 } as const;
const rules = { ...quinn, name: "rules", kind: "rules" } as const;

function proofOf(changes: Partial<ProofView> = {}): { loop: LoopView; proof: ProofView } {
  const loop = aProvenLoop({ bots: [] });
  if (!loop.proof) throw new Error("no proof");
  return { loop, proof: { ...loop.proof, checks: [{ name: "unit", conclusion: "success" }, { name: "lint", conclusion: "success" }], ...changes } };
}

it("counts the checks that did not pass plainly, in the number of each language", () => {
  const { proof } = proofOf({ checks: (["skipped", "skipped", "neutral", "success"] as const).map((conclusion, index) => ({ name: `${index}`, conclusion })) });
  expect(unusualChecks(textIn("en"), proof)).toBe("2 skipped, 1 neutral");
  expect(unusualChecks(textIn("fr"), proof)).toBe("2 ignorées, 1 neutre");
});

it("names who agrees as everywhere else", () => {
  expect(agreementText(textIn("en"), { title: "A", found_by: ["quinn", "rules", "CodeRabbit"] })).toMatch(/^A: found by Quinn, \S.*, CodeRabbit$/);
});

describe("the sentence of ready", () => {
  const said = (changes: Partial<ProofView>, people: LoopView["people"] = [], language: "en" | "fr" = "en") => {
    const { loop, proof } = proofOf(changes);
    return readySentence(textIn(language), language, { ...loop, people }, proof);
  };

  it("tells head, checks, who approved and what was fixed", () => {
    expect(said({ verdicts: [rules, quinn] })).toBe("Ready at 9f3c2ab: 2 checks passed, Quinn and the rules approved, 1 finding fixed");
  });

  it("names a person who approved beside the panel, each once", () => {
    const ana = { login: "ana", verdict: "approve", head_sha: head, at: null } as const;
    const seat = { ...quinn, name: "ana", kind: "human" } as const;
    expect(said({ verdicts: [rules, quinn], fixed: [] }, [ana])).toBe("Ready at 9f3c2ab: 2 checks passed, Quinn, @ana and the rules approved");
    expect(said({ verdicts: [seat], fixed: [] }, [ana])).toBe("Ready at 9f3c2ab: 2 checks passed, @ana approved");
  });

  it("calls nothing approved that only the rules looked at", () => {
    expect(said({ verdicts: [rules], checks: [], fixed: [] })).toBe("Ready at 9f3c2ab: no checks ran, the rules found nothing that they know");
  });

  it("tells how many findings people dismissed", () => {
    const dismissed = [{ title: "a", by: "ana", reason: "meant" }];
    expect(said({ verdicts: [quinn], fixed: [], dismissed })).toMatch(/1 finding dismissed$/);
  });
});

describe("what is not proven", () => {
  const codes = (changes: Partial<ProofView>, bots: LoopView["bots"] = []) => {
    const { proof } = proofOf(changes);
    return unprovenOf(proof, { bots }).map(({ code, count }) => `${code} ${count}`);
  };

  it("is nothing where all of it was looked at and ran", () => {
    expect(codes({ verdicts: [quinn] })).toEqual([]);
  });

  it("is what the fixer declined, and what stands after every fix", () => {
    const left = [
      { title: "a", declined: "meant" },
      { title: "b", declined: null },
    ];
    expect(codes({ verdicts: [quinn], left })).toEqual(["declined 1", "stuck 1"]);
  });

  it("is what nobody read, ran, verified or saw", () => {
    const file = (path: string) => ({ path, reason: "too_large" as const });
    expect(
      codes({
        unread: true,
        checks: [],
        workflow_files: [".github/workflows/ci.yml"],
        unverified: ["npm test"],
        coverage: { unseen: [file("a"), file("b")], needing_look: 2, rules_only: ["c"], seen_by: null },
      }),
    ).toEqual(["unread 1", "no-checks 1", "workflows 1", "unverified 1", "unseen 2", "rules-only 1"]);
  });

  it("is a check that did not run, and a bot that did not come", () => {
    const bot = { verified: true, until: null };
    const bots = [
      { ...bot, login: "a", id: 1, status: "out_of_quota" as const },
      { ...bot, login: "b", id: 2, status: "reviewed" as const },
      { ...bot, login: "c", id: 3, status: "timed_out" as const, verified: false },
    ];
    const checks = [{ name: "unit", conclusion: "success" as const }, { name: "nightly", conclusion: "skipped" as const }];
    expect(codes({ checks }, bots)).toEqual(["not-run 1", "bots 1"]);
  });

  it("is what a merge left out, and what a person dismissed", () => {
    const merges = [{ commit: head, base_ref: "main", lost_lines: 2 }, { commit: head, base_ref: "main", lost_lines: 0 }];
    expect(codes({ merges, dismissed: [{ title: "a", by: "ana", reason: "meant" }] })).toEqual(["lost-lines 2", "dismissed 1"]);
  });
});
