//! Dismissals, notes for the fixer, and rounds beyond the limit (§13.8).

use crate::effect::{Effect, FixEffect};
use crate::event::{Event, FindingDismissed, FixerNoted, NextRun};
use crate::finding::{Finding, SourceType};
use crate::fix::{FixPayload, FixerNote};
use crate::ids::{Fingerprint, Login, RunId};
use crate::lifecycle::State;
use crate::note::Note;
use crate::post::{PostContent, Proof};
use crate::review::Conclusion;
use crate::review_memory::MemoryVerdict;
use crate::snapshot::{CheckConclusion, ReviewVerdict};
use crate::test_support::{LoopFixture, actor, check, comment, finding, review, thread};
use crate::tracked_finding::{FindingStatus, TrackedFinding};

fn rule_finding() -> Finding {
    finding("a.py", "rule:py-eval", "eval(x)")
}

fn model_finding() -> Finding {
    let mut found = rule_finding();
    // The one seat of the fixture is called that.
    found.source.kind = SourceType::Agent;
    found
}

fn only_finding(w: &LoopFixture) -> TrackedFinding {
    let mut findings = w.state.run.review.findings.values();
    findings.next().expect("a finding").clone()
}

fn dismiss(w: &mut LoopFixture, fingerprint: Fingerprint) {
    w.apply(&Event::FindingDismissed(FindingDismissed {
        by: Login::new("ana"),
        fingerprint,
        reason: "  meant as it is  ".into(),
    }));
}

fn dismiss_only(w: &mut LoopFixture) {
    let print = only_finding(w).fingerprint;
    dismiss(w, print);
}

fn tell_fixer(w: &mut LoopFixture, finding_id: Option<Fingerprint>, text: &str) {
    let by = Login::new("ana");
    let text = text.to_owned();
    let note = FixerNote {
        by,
        finding_id,
        text,
    };
    w.apply(&Event::FixerNoted(FixerNoted { note }));
}

fn next_run(w: &LoopFixture, extra_rounds: u32) -> NextRun {
    NextRun {
        by: Login::new("kim"),
        run: RunId::new("run-2"),
        policy: Box::new(w.state.run.configuration.policy.clone()),
        extra_rounds,
    }
}

fn proof(w: &LoopFixture) -> Proof {
    let proof = w.posts.iter().rev().find_map(|content| match content {
        PostContent::Proof(proof) => Some(proof.clone()),
        _ => None,
    });
    proof.expect("a proof was posted")
}

fn asked_fix(w: &LoopFixture) -> FixPayload {
    match w.find_effect(|effect| matches!(effect, Effect::Fix(_))) {
        Some((_, Effect::Fix(FixEffect { payload, .. }))) => payload,
        other => panic!("no fix is asked for: {other:?}"),
    }
}

fn was_ignored(w: &LoopFixture, why: &str) -> bool {
    let ignored = |note: &Note| matches!(note, Note::Ignored { reason } if reason == why);
    w.notes().iter().any(ignored)
}

/// A run that stopped, since its only finding was turned down by the fixer and upheld.
fn upheld(found: &Finding) -> LoopFixture {
    let mut w = LoopFixture::new();
    w.poll()
        .finish_review(std::slice::from_ref(found))
        .finish_fix(None);
    if found.source.kind == SourceType::Agent {
        w.finish_review(std::slice::from_ref(found));
    }
    assert_eq!(w.state.run.state, State::NeedsHuman);
    w
}

#[test]
fn a_run_that_stopped_for_a_finding_goes_on_to_ready_once_it_is_dismissed_and_the_proof_says_by_whom()
 {
    let mut w = upheld(&model_finding());
    dismiss_only(&mut w);
    assert_eq!(w.state.run.state, State::NeedsHuman, "it only resumes");
    let known = only_finding(&w);
    assert_eq!(known.status, FindingStatus::Dismissed);
    w.apply(&Event::Resume(next_run(&w, 0)));
    // Its reviewer finds it again: what a person said holds.
    w.poll().finish_review(&[model_finding()]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    assert_eq!(only_finding(&w).status, FindingStatus::Dismissed);
    let proof = proof(&w);
    let [line] = &proof.dismissed[..] else {
        panic!("{:?}", proof.dismissed)
    };
    assert_eq!(line.by, Login::new("ana"));
    assert_eq!(line.reason, "meant as it is");
    assert_eq!(proof.verdicts[0].verdict, Some(Conclusion::Approve));
}

#[test]
fn a_dismissal_is_remembered_once_and_only_of_what_reviewers_read() {
    let mut w = upheld(&model_finding());
    dismiss_only(&mut w);
    w.apply(&Event::Resume(next_run(&w, 0)));
    w.poll();
    let [entry] = &w.remembered[..] else {
        panic!("{:?}", w.remembered)
    };
    assert_eq!(entry.verdict, MemoryVerdict::Dismissed);
    assert_eq!(entry.by, Some(Login::new("ana")));
    assert_eq!(entry.reason.as_deref(), Some("meant as it is"));

    let mut w = upheld(&rule_finding());
    dismiss_only(&mut w);
    w.apply(&Event::Resume(next_run(&w, 0)));
    w.poll();
    assert_eq!(w.remembered, []);
}

#[test]
fn a_fresh_run_finds_anew_what_was_dismissed() {
    let mut w = upheld(&model_finding());
    dismiss_only(&mut w);
    w.apply(&Event::Retry(next_run(&w, 0)));
    w.poll().finish_review(&[model_finding()]);
    assert_eq!(w.state.run.state, State::PrFixing);
    assert_eq!(only_finding(&w).status, FindingStatus::Open);
}

#[test]
fn a_fix_of_what_is_dismissed_is_taken_back_and_asked_for_without_it() {
    let mut w = LoopFixture::new();
    let other = finding("b.py", "rule:py-none", "x == None");
    w.poll().finish_review(&[rule_finding(), other]);
    assert_eq!(asked_fix(&w).issues_to_fix.len(), 2);
    let of_a = |known: &&TrackedFinding| known.finding.file == "a.py";
    let findings = &w.state.run.review.findings;
    let print = findings.values().find(of_a).map(|t| t.fingerprint.clone());
    dismiss(&mut w, print.expect("that finding"));
    w.poll();
    let asked = asked_fix(&w).issues_to_fix;
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].file, "b.py");
}

#[test]
fn a_fix_that_comes_too_late_claims_nothing_of_what_was_dismissed() {
    let mut w = LoopFixture::new();
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix(Some('b'));
    dismiss_only(&mut w);
    w.finish_push();
    assert_eq!(only_finding(&w).status, FindingStatus::Dismissed);
    assert!(only_finding(&w).fixed_in.is_empty());
}

#[test]
fn what_a_check_or_a_person_found_cannot_be_dismissed() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![check("unit", Some(CheckConclusion::Failure))];
    w.poll();
    let of_check = only_finding(&w);
    assert_eq!(of_check.finding.source.kind, SourceType::Ci);
    dismiss_only(&mut w);
    assert!(was_ignored(&w, "not_dismissable"));
    assert_eq!(only_finding(&w).status, of_check.status);

    let mut w = LoopFixture::new();
    w.snapshot.threads = vec![thread("T1", comment(40, actor(20, "ana", false), "Why?"))];
    w.poll().finish_review(&[]);
    assert_eq!(only_finding(&w).finding.source.kind, SourceType::Human);
    dismiss_only(&mut w);
    assert!(was_ignored(&w, "not_dismissable"));

    dismiss(&mut w, Fingerprint::new("nothing"));
    assert!(was_ignored(&w, "unknown_finding"));
    w.apply(&Event::Cancel(crate::event::Cancel {
        by: Login::new("ana"),
    }));
    dismiss_only(&mut w);
    assert!(was_ignored(&w, "terminal"));
}

#[test]
fn a_note_is_handed_over_once_and_outlives_a_session_that_failed() {
    let mut w = LoopFixture::new();
    w.poll();
    tell_fixer(&mut w, None, " Keep the public names. ");
    w.poll().finish_review(&[rule_finding()]);
    let notes = asked_fix(&w).notes;
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].text, "Keep the public names.");
    // What comes while the fixer works is for its next turn.
    tell_fixer(&mut w, None, "And add a test.");
    w.finish_fix(Some('b')).finish_push();
    let other = finding("b.py", "rule:py-none", "x == None");
    w.finish_review(&[other]);
    let notes = asked_fix(&w).notes;
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].text, "And add a test.");
    w.finish_fix(Some('c'));
    assert!(w.state.run.fixing.notes.is_empty());
}

#[test]
fn a_note_on_what_is_stuck_opens_its_claims_again() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[rule_finding()]);
    for commit in ['b', 'c', 'd'] {
        w.finish_fix(Some(commit))
            .finish_push()
            .finish_review(&[rule_finding()]);
    }
    let stuck = only_finding(&w);
    assert_eq!(stuck.status, FindingStatus::Stuck);
    tell_fixer(
        &mut w,
        Some(stuck.fingerprint.clone()),
        "Use ast.literal_eval.",
    );
    w.apply(&Event::Resume(next_run(&w, 0)));
    w.poll().finish_review(&[rule_finding()]);
    let asked = asked_fix(&w);
    assert_eq!(asked.issues_to_fix.len(), 1);
    assert_eq!(asked.notes[0].finding_id, Some(stuck.fingerprint));
    assert_eq!(only_finding(&w).refuted_claims, 0);
}

#[test]
fn two_more_rounds_raise_the_limit_of_that_run_alone() {
    let mut w = upheld(&rule_finding());
    assert_eq!(w.state.max_iterations(), 5);
    w.apply(&Event::Resume(next_run(&w, 2)));
    w.poll();
    assert_eq!(w.state.max_iterations(), 7);
    for digit in ['b', 'c', 'd', 'e', 'f', '1', '2'] {
        let own = format!("line {digit} is its own");
        w.finish_review(&[finding("a.py", &format!("rule:{digit}"), &own)])
            .finish_fix(Some(digit))
            .finish_push();
    }
    w.finish_review(&[finding("a.py", "rule:last", "yet another one")]);
    assert_eq!(w.state.run.fixing.iteration, 7);
    let stop = w.state.run.stop.as_ref().map(crate::blocker::Stop::code);
    assert_eq!(stop, Some("iterations_spent"));
    w.apply(&Event::Resume(next_run(&w, 0)));
    assert_eq!(w.state.max_iterations(), 5);
}

#[test]
fn requests_of_older_journals_have_no_rounds_beyond_the_limit() {
    let w = LoopFixture::new();
    let mut written = serde_json::to_value(Event::Resume(next_run(&w, 2))).expect("JSON");
    assert_eq!(written["extra_rounds"], 2);
    written
        .as_object_mut()
        .expect("an object")
        .remove("extra_rounds");
    let read: Event = serde_json::from_value(written).expect("an older one");
    assert_eq!(read, Event::Resume(next_run(&w, 0)));
}

#[test]
fn what_is_waited_for_is_remarked_when_it_changes_and_who_reviewed_when_they_did() {
    let mut w = LoopFixture::new();
    w.poll();
    let waits = |w: &LoopFixture| {
        let waits = w.remarks.iter().filter(|n| matches!(n, Note::Waits { .. }));
        waits.count()
    };
    let before = waits(&w);
    assert!(before > 0, "{:?}", w.remarks);
    w.advance(60_000).poll();
    assert_eq!(waits(&w), before, "it waits for the same");
    w.finish_review(&[]);
    let done = |note: &&Note| {
        matches!(
            note,
            Note::ReviewDone {
                verdict: Conclusion::Approve,
                findings: 0,
                ..
            }
        )
    };
    assert_eq!(w.remarks.iter().filter(done).count(), 1);
    let merge = |note: &&Note| matches!(note, Note::Waits { needs_person: true, blocker } if *blocker == crate::blocker::BlockerCode::AwaitingMerge);
    assert_eq!(w.remarks.iter().filter(merge).count(), 1);
}

#[test]
fn everybody_whose_review_counts_is_shown_with_the_size_of_the_change() {
    let mut w = LoopFixture::new().with_person("ana");
    w.snapshot.body = "What it is for".into();
    w.snapshot.reviews = vec![review(1, "ana", ReviewVerdict::ChangesRequested)];
    w.poll();
    let shown = &w.state.run.polling.last_snapshot;
    let [person] = &shown.people[..] else {
        panic!("{:?}", shown.people)
    };
    assert_eq!(person.login, Login::new("ana"));
    assert_eq!(person.verdict, Conclusion::RequestChanges);
    assert_eq!(shown.description.as_raw(), "What it is for");
    let size = shown.size.expect("a size");
    assert_eq!(size.files as usize, w.snapshot.files.len());
}
