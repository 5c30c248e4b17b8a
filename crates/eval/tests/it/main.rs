//! Evaluations from the outside: files of cases, verdicts, figures and comparisons with known answers.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod cases;
mod figures;
mod judging;

use collie_core::finding::{FindingKind, Priority};
use collie_eval::{
    CaseResult, Fault, Judge, Judgement, LineRange, RanFinding, RunHeader, RunResults, RunTokens,
    Verdict,
};

fn fault(id: &str, file: &str, line: u32, what: &str) -> Fault {
    Fault {
        id: id.into(),
        file: (!file.is_empty()).then(|| file.into()),
        lines: LineRange::new(line, line).filter(|_| !file.is_empty()),
        within: None,
        what: what.into(),
        kind: "off-by-one".into(),
        severity: Priority::P1,
        fixed_by: None,
    }
}

fn finding(id: &str, file: &str, line: u32, title: &str) -> RanFinding {
    RanFinding {
        id: id.into(),
        priority: Priority::P1,
        kind: FindingKind::Error,
        category: "correctness".into(),
        file: file.into(),
        line: (line > 0).then_some(line),
        title: title.into(),
        description: String::new(),
        confidence: 900,
        inline: true,
    }
}

fn result(case: &str, faults: Vec<Fault>, findings: Vec<RanFinding>) -> CaseResult {
    CaseResult {
        case: case.into(),
        repeat: 0,
        faults,
        findings,
        tokens: RunTokens {
            input: 1_000,
            output: 100,
        },
        cost_micros: Some(2_500),
        ms: 1_200,
        failure: None,
    }
}

fn verdict(case: &str, repeat: u32, finding: &str, fault: Option<&str>) -> Verdict {
    Verdict {
        case: case.into(),
        repeat,
        finding: finding.into(),
        judge: Judge::Place { distance: 5 },
        judgement: match fault {
            Some(fault) => Judgement::Fault {
                fault: fault.into(),
            },
            None => Judgement::False,
        },
        reason: String::new(),
    }
}

fn run(cases: Vec<CaseResult>, verdicts: Vec<Verdict>) -> RunResults {
    RunResults {
        header: RunHeader {
            format: RunHeader::FORMAT,
            set: "planted".into(),
            set_hash: "0".into(),
            persona: "quinn".into(),
            persona_hash: Some("1".into()),
            runs_on: "openai/gpt".into(),
            prompts: Some("2".into()),
            version: "0".into(),
            repeats: 1,
            temperature: None,
            max_tokens: Some(8_000),
        },
        cases,
        verdicts,
    }
}
