//! What a review without a loop takes over from the one before it (§14).

use super::single_review::{earlier_look, review_once, thread_dismissals};
use crate::coverage::{UnseenFile, UnseenReason};
use crate::effect::ReviewEffect;
use crate::event::ReviewFinished;
use crate::finding::{Finding, SourceType};
use crate::identity::fingerprints;
use crate::policy::ReviewerSpec;
use crate::post::PostContent;
use crate::review::{Conclusion, IssueCounts, ReviewerResult};
use crate::session::SessionSummary;
use crate::snapshot::{Review, ReviewVerdict, Snapshot};
use crate::test_support::{LoopFixture, actor, comment, finding, review, sha, thread};
use crate::text::append_token;
use crate::usage::Usage;

const MODEL: &str = "openai/some-model";

/// A fixture whose panel is quinn alone.
fn fixture() -> LoopFixture {
    let mut w = LoopFixture::new();
    let stages = &mut w.state.run.configuration.policy.stages;
    stages[0].reviewers = vec![ReviewerSpec::agent("quinn")];
    w.state = crate::loop_state::LoopState::new(
        crate::loop_state::NewLoop {
            id: w.state.id.clone(),
            pull: w.state.pull.clone(),
            run: w.state.run.id.clone(),
            started_by: w.state.run.started_by.clone(),
            policy: w.state.run.configuration.policy.clone(),
        },
        w.now,
    );
    w
}

fn found(title: &str) -> Finding {
    let mut found = finding("a.py", "correctness", title);
    found.title = title.into();
    found.source.kind = SourceType::Agent;
    found.source.name = "quinn".into();
    found.id = title.into();
    found
}

/// Reviews once: what it finds, of which `on_lines` are on lines of the diff, and what it was not shown.
fn reviewed(
    w: &LoopFixture,
    findings: &[Finding],
    on_lines: &[&str],
    unseen: &[UnseenFile],
) -> PostContent {
    let asked = ReviewEffect {
        stage: 0,
        reviewer: ReviewerSpec::agent("quinn"),
        head: w.snapshot.head.clone(),
        base: w.snapshot.base.clone(),
        since: None,
        known_findings: Vec::new(),
        unseen: Vec::new(),
        doubted: Vec::new(),
        not_before: w.now,
    };
    let finished = ReviewFinished {
        head: w.snapshot.head.clone(),
        fingerprints: fingerprints(findings),
        result: Box::new(ReviewerResult {
            agent: "quinn".into(),
            pr_number: 7,
            conclusion: Conclusion::Approve,
            issues: IssueCounts::default(),
            findings: findings.to_vec(),
            full_report: String::new(),
            escalations: Vec::new(),
        }),
        in_diff: on_lines.iter().map(|id| (*id).to_owned()).collect(),
        introduced_by_fix: Default::default(),
        usage: Usage::default(),
        prompt_hash: None,
        withdrawn: Default::default(),
        not_rechecked: Default::default(),
        upheld: Default::default(),
        replacements: Default::default(),
        covered: Default::default(),
        covered_by: Default::default(),
        session: Some(Box::new(SessionSummary::default())),
        unseen: unseen.to_vec(),
        second_looks: Default::default(),
    };
    let runners = [("quinn".to_owned(), MODEL.to_owned())].into();
    review_once(&w.state, &w.snapshot, &[(asked, finished)], &runners, w.now)
        .report
        .content
}

/// The report as it stands on GitHub, and another head after it.
fn posted(w: &LoopFixture, report: &PostContent) -> Snapshot {
    let PostContent::Review(report) = report else {
        panic!("no report: {report:?}")
    };
    let line = report
        .record
        .as_ref()
        .map(|record| record.to_line(str::to_owned));
    let token = crate::ids::ActionToken::new("b".repeat(64));
    let own = Review {
        author: Some(w.snapshot.viewer.clone()),
        commit: Some(w.snapshot.head.clone()),
        body: append_token(
            &format!("A report.\n\n{}", line.unwrap_or_default()),
            &token,
        ),
        ..review(900, "kim", ReviewVerdict::Commented)
    };
    let mut snapshot = w.snapshot.clone();
    snapshot.reviews.push(own);
    snapshot.head = sha('b');
    snapshot
}

#[test]
fn the_next_review_goes_on_from_the_head_that_was_seen_with_what_stands_in_no_thread() {
    let w = fixture();
    let unseen = [UnseenFile {
        path: "long.py".into(),
        reason: UnseenReason::NoRoom,
    }];
    let both = [found("on a line"), found("off the lines")];
    let snapshot = posted(&w, &reviewed(&w, &both, &["on a line"], &unseen));
    let look = earlier_look(&snapshot, "quinn", Some(MODEL));
    assert_eq!(look.since, Some(sha('a')));
    assert_eq!(look.unseen, unseen);
    // What is on a line is in a thread, as long as that is open.
    let titles: Vec<_> = look
        .findings
        .iter()
        .map(|t| t.finding.title.as_str())
        .collect();
    assert_eq!(titles, ["off the lines"]);
}

#[test]
fn what_was_not_looked_at_does_not_count_as_looked_at() {
    let w = fixture();
    let snapshot = posted(&w, &reviewed(&w, &[], &[], &[]));
    let since = |snapshot: &Snapshot, who, runs_on| earlier_look(snapshot, who, runs_on).since;
    assert_eq!(since(&snapshot, "quinn", Some(MODEL)), Some(sha('a')));
    assert_eq!(since(&snapshot, "quinn", Some("openai/other")), None);
    assert_eq!(since(&snapshot, "quinn", None), None);
    assert_eq!(since(&snapshot, "sam", Some(MODEL)), None);
    let changed = |edit: fn(&mut Snapshot)| {
        let mut snapshot = snapshot.clone();
        edit(&mut snapshot);
        since(&snapshot, "quinn", Some(MODEL))
    };
    let stranger = |s: &mut Snapshot| s.reviews[0].author = Some(actor(66, "mallory", false));
    assert_eq!(changed(stranger), None);
    assert_eq!(changed(|s| s.reviews[0].commit = Some(sha('c'))), None);
    assert_eq!(changed(|s| s.head = sha('a')), None, "all of it again");
    assert_eq!(changed(|s| s.reviews[0].body.push_str("\nMore.")), None);
    let newer = |s: &mut Snapshot| {
        let mut later = s.reviews[0].clone();
        later.submitted_at = Some(crate::ids::Time(10_000));
        later.commit = None;
        later.body = later.body.replace(sha('a').as_str(), sha('d').as_str());
        s.reviews.insert(0, later);
    };
    assert_eq!(changed(newer), Some(sha('d')));
}

/// What is on GitHub after a finding on line 2 was answered with these words and its thread was closed by the same member.
fn closed_thread(w: &LoopFixture, words: &str) -> Snapshot {
    let mut snapshot = posted(w, &reviewed(w, &[], &[], &[]));
    let body = "**P1 · critical** The length is misspelt\n\n`lenght` is undefined.\n\n<sub>Quinn · `correctness` · sure at 90 %</sub>";
    let token = crate::ids::ActionToken::new("c".repeat(64));
    let mut opened = comment(45, snapshot.viewer.clone(), &append_token(body, &token));
    opened.commit = Some(sha('a'));
    let member = actor(20, "ana", false);
    let mut closed = thread("T1", opened);
    closed.comments.push(comment(50, member.clone(), words));
    (closed.resolved, closed.resolved_by) = (true, Some(member));
    snapshot.threads = vec![closed];
    snapshot
}

#[test]
fn a_thread_that_a_member_closed_with_a_reason_dismisses_its_finding() {
    let w = fixture();
    let snapshot = closed_thread(&w, "meant: an old browser");
    let found = thread_dismissals(&w.state, &snapshot);
    let [dismissal] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(dismissal.reviewed, sha('a'), "what it was posted on");
    let entry = &dismissal.entry;
    assert_eq!(
        entry.verdict,
        crate::review_memory::MemoryVerdict::Dismissed
    );
    assert_eq!(entry.title, "The length is misspelt");
    assert_eq!(entry.category, "correctness");
    assert_eq!(entry.file, snapshot.threads[0].path);
    assert_eq!(entry.reason.as_deref(), Some("meant: an old browser"));
    assert_eq!(entry.by.as_ref().map(|by| by.as_str()), Some("ana"));
    // A loop that saw the same would say it once more: it is one judgement.
    let mut memory = crate::review_memory::RepositoryMemory::default();
    assert!(memory.add(entry.clone()));
    let by_loop = crate::review_memory::MemoryEntry {
        id: "another".into(),
        ..entry.clone()
    };
    assert!(!memory.add(by_loop));
}

#[test]
fn a_thread_that_says_nothing_of_a_dismissal_is_none() {
    let w = fixture();
    let changed = |edit: fn(&mut Snapshot)| {
        let mut snapshot = closed_thread(&w, "meant: an old browser");
        edit(&mut snapshot);
        thread_dismissals(&w.state, &snapshot).len()
    };
    assert_eq!(changed(|_| {}), 1);
    assert_eq!(changed(|s| s.threads[0].resolved = false), 0, "open");
    assert_eq!(changed(|s| s.threads[0].outdated = true), 0, "changed");
    let wordless = |s: &mut Snapshot| drop(s.threads[0].comments.pop());
    assert_eq!(changed(wordless), 0, "without a word");
    let answered = |s: &mut Snapshot| {
        let own = s.threads[0].comments[0].clone();
        s.threads[0].comments.push(own);
    };
    assert_eq!(changed(answered), 0, "Collie had the last word");
    let stranger = |s: &mut Snapshot| {
        let mallory = actor(777, "mallory", false);
        s.threads[0].comments[1].author = Some(mallory.clone());
        s.threads[0].resolved_by = Some(mallory);
    };
    assert_eq!(changed(stranger), 0, "a stranger's");
    let other = |s: &mut Snapshot| s.threads[0].resolved_by = Some(s.viewer.clone());
    assert_eq!(changed(other), 0, "closed by another than who spoke");
    let foreign = |s: &mut Snapshot| {
        s.threads[0].comments[0].author = Some(actor(777, "mallory", false));
    };
    assert_eq!(changed(foreign), 0, "posted by a stranger");
    let by_rule = |s: &mut Snapshot| {
        let body = &mut s.threads[0].comments[0].body;
        *body = body.replace("`correctness`", "`rule:typo`");
    };
    assert_eq!(changed(by_rule), 0, "a rule finds it again anyway");
    let nowhere = |s: &mut Snapshot| s.threads[0].comments[0].commit = None;
    assert_eq!(changed(nowhere), 0, "on a commit that is gone");
}
