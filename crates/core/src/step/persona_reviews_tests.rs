//! What personas say under accounts of their own (§18.2).

use crate::blocker::Blocker;
use crate::finding::{Finding, SourceType};
use crate::ids::{AccountId, Login};
use crate::lifecycle::State;
use crate::own_accounts::{AccountProblem, AccountTrouble, OwnAccount, PersonaAccount};
use crate::policy::{ReviewerKind, ReviewerSpec, StageSpec};
use crate::post::PostContent;
use crate::snapshot::{Actor, Review, ReviewVerdict};
use crate::test_support::{LoopFixture, actor, finding, review, sha};

const QUINN_BOT: u64 = 77;

/// A loop whose one reviewer is Quinn, with an account of its own.
fn fixture(may_approve: bool, may_request_changes: bool) -> LoopFixture {
    let mut w = LoopFixture::new();
    let policy = &mut w.state.run.configuration.policy;
    policy.stages = vec![StageSpec {
        reviewers: vec![ReviewerSpec::agent("quinn")],
    }];
    let account = PersonaAccount {
        login: Login::new("quinn-bot"),
        may_approve,
        may_request_changes,
    };
    policy.accounts.personas.insert("quinn".into(), account);
    w.snapshot.own_accounts.insert(OwnAccount {
        id: AccountId(QUINN_BOT),
        login: Login::new("quinn-bot"),
        active: true,
    });
    w.snapshot.writers.insert(AccountId(QUINN_BOT));
    w
}

fn of_quinn(file: &str) -> Finding {
    let mut found = finding(file, "quality", "if kind is \"csv\":");
    found.source.kind = SourceType::Agent;
    found.source.name = "quinn".into();
    found
}

fn quinns_review(id: u64, verdict: ReviewVerdict, head: char) -> Review {
    Review {
        author: Some(actor(QUINN_BOT, "quinn-bot", false)),
        commit: Some(sha(head)),
        ..review(id, "quinn-bot", verdict)
    }
}

/// What quinn-bot has said so far: verdict and number of comments, or the review that it took back.
fn said(w: &LoopFixture) -> Vec<String> {
    let mut said = Vec::new();
    for (content, by) in w.posts.iter().zip(&w.spoken_by) {
        let by_quinn = by.as_ref().is_some_and(|by| *by == Login::new("quinn-bot"));
        match content {
            PostContent::PersonaReview {
                verdict, comments, ..
            } => {
                assert!(by_quinn, "{by:?}");
                said.push(format!("{} {}", verdict.name(), comments.len()));
            }
            PostContent::DismissReview { review, .. } => {
                assert!(by_quinn, "{by:?}");
                said.push(format!("takes {review} back"));
            }
            _ => assert!(!by_quinn, "{content:?}"),
        }
    }
    said
}

#[test]
fn a_personas_comments_are_said_as_its_own_account_and_the_others_as_collies() {
    let mut w = fixture(false, false);
    let stages = &mut w.state.run.configuration.policy.stages;
    stages[0].reviewers.push(ReviewerSpec {
        kind: ReviewerKind::Rules,
        ..ReviewerSpec::agent("rules")
    });
    w.poll().finish_review(&[of_quinn("a.py")]);
    w.finish_review(&[finding("b.py", "rule:eq-none", "x == None")]);
    assert_eq!(said(&w), ["comment 1"]);
    let inline = w.posts.iter().filter_map(|content| match content {
        PostContent::Inline { comments, .. } => Some(comments.as_slice()),
        _ => None,
    });
    let files: Vec<&str> = inline.flatten().map(|c| c.finding.file.as_str()).collect();
    assert_eq!(files, ["b.py"]);
}

#[test]
fn a_request_for_changes_is_made_once_and_taken_back_once_it_is_settled() {
    let mut w = fixture(false, true);
    w.poll().finish_review(&[of_quinn("a.py")]);
    assert_eq!(said(&w), ["request_changes 1"]);
    w.snapshot.reviews = vec![quinns_review(5, ReviewVerdict::ChangesRequested, 'a')];
    w.snapshot.merge_blocked = true;
    w.poll();
    w.finish_fix(Some('b')).finish_push();
    // It does not hold what it asked for any more, and may not approve.
    w.finish_review(&[]);
    assert_eq!(said(&w), ["request_changes 1", "takes 5 back"]);
    w.poll();
    assert_eq!(said(&w).len(), 2);
    w.snapshot.reviews[0].verdict = ReviewVerdict::Dismissed;
    w.snapshot.merge_blocked = false;
    w.poll();
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    assert_eq!(said(&w).len(), 2);
}

#[test]
fn an_approval_replaces_the_request_where_it_may() {
    let mut w = fixture(true, true);
    w.poll().finish_review(&[of_quinn("a.py")]);
    w.snapshot.reviews = vec![quinns_review(5, ReviewVerdict::ChangesRequested, 'a')];
    w.finish_fix(Some('b')).finish_push();
    w.finish_review(&[]);
    assert_eq!(said(&w), ["request_changes 1", "approve 0"]);
}

#[test]
fn it_requests_changes_of_each_head_that_it_holds_something_against_and_no_more_than_that() {
    let mut w = fixture(false, true);
    w.poll().finish_review(&[of_quinn("a.py")]);
    w.snapshot.reviews = vec![quinns_review(5, ReviewVerdict::ChangesRequested, 'a')];
    w.finish_fix(Some('b')).finish_push();
    // The request stands: what is new goes along as a comment.
    w.finish_review(&[of_quinn("c.py")]);
    assert_eq!(said(&w), ["request_changes 1", "comment 1"]);
    // Somebody dismissed it on that head, and it was not repeated there.
    w.snapshot.reviews[0].verdict = ReviewVerdict::Dismissed;
    w.finish_fix(Some('c')).finish_push();
    w.finish_review(&[of_quinn("d.py")]);
    assert_eq!(
        said(&w),
        ["request_changes 1", "comment 1", "request_changes 1"]
    );
}

#[test]
fn it_approves_once_the_whole_panel_has_and_where_a_review_is_required() {
    let mut w = fixture(true, false);
    w.state.run.configuration.policy.stages.push(StageSpec {
        reviewers: vec![ReviewerSpec {
            kind: ReviewerKind::Rules,
            ..ReviewerSpec::agent("rules")
        }],
    });
    w.snapshot.review_required = true;
    w.poll().finish_review(&[]);
    assert!(said(&w).is_empty(), "the second stage has not looked");
    w.finish_review(&[]);
    assert_eq!(said(&w), ["approve 0"]);
    assert_eq!(w.state.run.blocker, Some(Blocker::ReviewRequired));
    w.snapshot.review_required = false;
    w.snapshot.reviews = vec![quinns_review(5, ReviewVerdict::Approved, 'a')];
    w.poll();
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    assert_eq!(said(&w), ["approve 0"]);
}

#[test]
fn an_approval_that_it_does_not_hold_any_more_is_taken_back() {
    let mut w = fixture(true, false);
    w.snapshot.reviews = vec![quinns_review(5, ReviewVerdict::Approved, '9')];
    w.poll().finish_review(&[of_quinn("a.py")]);
    assert_eq!(said(&w), ["takes 5 back", "comment 1"]);
}

#[test]
fn neither_the_account_that_merges_nor_the_author_approves_or_requests() {
    let quinn = || Some(actor(QUINN_BOT, "quinn-bot", false));
    let viewer: fn(&mut LoopFixture, Actor) = |w, quinn| w.snapshot.viewer = quinn;
    let author: fn(&mut LoopFixture, Actor) = |w, quinn| w.snapshot.author = Some(quinn);
    for set in [viewer, author] {
        let mut w = fixture(true, true);
        set(&mut w, quinn().unwrap());
        w.poll().finish_review(&[of_quinn("a.py")]);
        assert_eq!(said(&w), ["comment 1"]);
        w.finish_fix(Some('b')).finish_push();
        w.finish_review(&[]);
        assert_eq!(said(&w), ["comment 1"]);
    }
}

#[test]
fn what_an_account_of_collies_asks_for_is_no_feedback() {
    for body in ["Please rename it.", ""] {
        let mut w = fixture(false, false);
        let asked = quinns_review(5, ReviewVerdict::ChangesRequested, 'a');
        w.snapshot.reviews = vec![Review {
            body: body.into(),
            ..asked
        }];
        w.poll().finish_review(&[]);
        assert_eq!(said(&w), ["takes 5 back"], "it is Quinn's to take back");
        w.poll();
        assert_eq!(w.state.run.state, State::PrReadyToMerge);
    }
    // Somebody else's counts.
    let mut w = fixture(false, false);
    w.snapshot.reviews = vec![review(6, "ana", ReviewVerdict::ChangesRequested)];
    w.poll().finish_review(&[]);
    assert_ne!(w.state.run.state, State::PrReadyToMerge);
}

#[test]
fn an_account_that_cannot_be_used_is_named_and_what_it_says_waits() {
    let mut w = fixture(false, true);
    let trouble = AccountTrouble {
        login: Login::new("quinn-bot"),
        problem: AccountProblem::Refused,
    };
    w.poll();
    w.refuses_posts = Some("401");
    w.refusing_account = Some(trouble.clone());
    w.finish_review(&[]);
    w.snapshot.reviews = vec![quinns_review(5, ReviewVerdict::ChangesRequested, 'a')];
    w.poll();
    let blocker = w.state.run.blocker.clone().unwrap();
    assert_eq!(blocker, Blocker::from(trouble));
    assert!(blocker.needs_person());
}

#[test]
fn what_the_fixer_did_is_told_as_the_authors_account_where_it_has_one() {
    let author = |w: &LoopFixture| {
        let told = w.posts.iter().zip(&w.spoken_by);
        let mut told = told.filter(|(content, _)| matches!(content, PostContent::Fix(_)));
        told.next().and_then(|(_, by)| by.clone())
    };
    let mut w = LoopFixture::new();
    let authors = &mut w.state.run.configuration.policy.accounts.authors;
    authors.insert(Login::new("Kim"), Login::new("kims-agent"));
    let fault = finding("a.py", "rule:is-literal", "if kind is \"csv\":");
    w.poll().finish_review(std::slice::from_ref(&fault));
    w.finish_fix(Some('b')).finish_push();
    assert_eq!(author(&w), Some(Login::new("kims-agent")));
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[fault]);
    w.finish_fix(Some('b')).finish_push();
    assert_eq!(author(&w), None);
}
