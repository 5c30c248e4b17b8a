//! What waits for the user's word, and what follows from it (§6.3e, §9.1).

use crate::blocker::Blocker;
use crate::effect::Effect;
use crate::event::{Cancel, Event, NextRun, SessionFailed, SessionFailure, TrustChanged};
use crate::finding::Finding;
use crate::fix::Verification;
use crate::ids::{AccountId, Login, RepoName, RunId};
use crate::lifecycle::State;
use crate::note::Note;
use crate::policy::Policy;
use crate::post::PostContent;
use crate::snapshot::CheckConclusion;
use crate::test_support::{LoopFixture, actor, check, finding, sha};
use crate::trust::TrustDecision;

const MINUTE: u64 = 60_000;

fn rule_finding() -> Finding {
    finding("a.py", "rule:is-literal", "if kind is \"csv\":")
}

fn state_and_code(w: &LoopFixture) -> (State, &'static str) {
    let stop = w.state.run.stop.as_ref().map(|stop| stop.code());
    let blocker = w.state.run.blocker.as_ref().map(Blocker::code);
    (w.state.run.state, stop.or(blocker).unwrap_or_default())
}

fn is_fixed(w: &LoopFixture) -> bool {
    w.find_effect(|e| matches!(e, Effect::Fix(_))).is_some()
}

fn commands() -> Vec<String> {
    vec!["make lint".into(), "make build".into()]
}

fn waiting() -> Verification {
    Verification::Waiting {
        commands: commands(),
    }
}

fn allow_mallory() -> TrustDecision {
    TrustDecision::AllowAuthor {
        id: AccountId(66),
        login: Login::new("mallory"),
    }
}

/// A loop whose finished fix waits for the word about its verify commands.
fn unverified_fix() -> LoopFixture {
    let mut w = LoopFixture::new();
    w.poll()
        .finish_review(&[rule_finding()])
        .finish_fix_with(Some('b'), waiting());
    w
}

#[test]
fn an_outsiders_change_is_reviewed_and_not_fixed_until_the_author_is_allowed() {
    let mut w = LoopFixture::new();
    w.open_from_fork().poll().finish_review(&[rule_finding()]);
    assert_eq!(
        state_and_code(&w),
        (State::PrReviewing, "author_not_allowed")
    );
    w.advance(MINUTE).poll().advance(MINUTE).poll();
    assert!(!is_fixed(&w));
    let denied =
        |note: &&Note| matches!(note, Note::AuthorDenied { id, .. } if *id == Some(AccountId(66)));
    assert_eq!(w.remarks.iter().filter(denied).count(), 1);
    assert_eq!(w.count_posts(|c| matches!(c, PostContent::Review(_))), 1);
    assert_eq!(w.state.run.fixing.turns, 0);
    assert!(w.state.is_settled());
    assert!(w.state.run.blocker.as_ref().unwrap().needs_person());

    w.decide_trust(allow_mallory());
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
    w.finish_fix(Some('b')).finish_push().finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
}

#[test]
fn a_head_branch_in_the_repository_itself_shows_write_access() {
    let mut w = LoopFixture::new();
    w.snapshot.author = Some(actor(49_699_333, "dependabot", true));
    w.snapshot.head_repo = RepoName::parse("ACME/Api").ok();
    w.poll().finish_review(&[rule_finding()]);
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
}

#[test]
fn ones_own_change_from_a_fork_is_fixed_and_that_of_a_gone_account_is_not() {
    let mut own = LoopFixture::new();
    own.open_from_fork();
    own.snapshot.author = Some(own.snapshot.viewer.clone());
    own.poll().finish_review(&[rule_finding()]);
    assert_eq!(state_and_code(&own).1, "fixing");

    let mut gone = LoopFixture::new();
    gone.open_from_fork();
    gone.snapshot.author = None;
    gone.snapshot.head_repo = None;
    gone.poll().finish_review(&[rule_finding()]);
    assert_eq!(state_and_code(&gone).1, "author_not_allowed");
    gone.decide_trust(TrustDecision::AllowPull { number: 7 });
    assert_eq!(state_and_code(&gone).1, "fixing");
}

#[test]
fn another_author_or_another_pull_request_being_allowed_changes_nothing() {
    let mut w = LoopFixture::new();
    w.open_from_fork().poll().finish_review(&[rule_finding()]);
    // The name changed hands: the account counts.
    w.decide_trust(TrustDecision::AllowAuthor {
        id: AccountId(67),
        login: Login::new("mallory"),
    });
    w.decide_trust(TrustDecision::AllowPull { number: 8 });
    assert_eq!(state_and_code(&w).1, "author_not_allowed");
}

#[test]
fn an_outsiders_change_without_a_fault_is_ready() {
    let mut w = LoopFixture::new();
    w.open_from_fork().poll().finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
}

#[test]
fn an_outsiders_red_check_is_reviewed_and_never_ready() {
    let mut w = LoopFixture::new();
    w.snapshot.checks = vec![check("build", Some(CheckConclusion::Failure))];
    w.open_from_fork().poll();
    assert_eq!(state_and_code(&w), (State::PrReviewing, "reviewing"));
    w.finish_review(&[]);
    assert_eq!(
        state_and_code(&w),
        (State::PrReviewing, "author_not_allowed")
    );
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w).1, "author_not_allowed");
    let reported = |c: &PostContent| matches!(c, PostContent::Review(r) if r.findings.len() == 1);
    assert_eq!(w.count_posts(reported), 1);
    w.decide_trust(allow_mallory());
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
}

#[test]
fn a_revoked_author_is_not_fixed_any_more_and_nothing_of_it_is_pushed() {
    let mut w = LoopFixture::new();
    w.open_from_fork().poll().finish_review(&[rule_finding()]);
    w.decide_trust(allow_mallory());
    assert!(is_fixed(&w));
    w.decide_trust(TrustDecision::RevokeAuthor {
        login: Login::new("mallory"),
    });
    assert_eq!(state_and_code(&w).1, "author_not_allowed");
    assert!(!is_fixed(&w));

    w.decide_trust(allow_mallory());
    w.finish_fix_with(Some('b'), waiting());
    w.decide_trust(TrustDecision::RevokeAuthor {
        login: Login::new("mallory"),
    });
    w.decide_trust(TrustDecision::SkipVerification);
    assert_eq!(state_and_code(&w).1, "author_not_allowed");
    assert!(w.state.run.fixing.pending.is_none());
}

#[test]
fn a_fix_waits_for_the_word_about_its_verify_commands() {
    let mut w = unverified_fix();
    assert_eq!(state_and_code(&w), (State::PrFixing, "verify_untrusted"));
    assert_eq!(
        w.state.run.blocker,
        Some(Blocker::VerifyUntrusted {
            commands: commands()
        })
    );
    w.advance(MINUTE).poll();
    assert!(w.state.outbox.effects.is_empty());
    assert!(w.state.is_settled());
    assert!(w.state.run.blocker.as_ref().unwrap().needs_person());
}

#[test]
fn after_the_word_the_same_fix_is_verified_and_pushed_without_another_session() {
    let mut w = unverified_fix();
    w.decide_trust(TrustDecision::TrustCommands {
        commands: commands(),
    });
    assert_eq!(state_and_code(&w), (State::PrFixing, "verifying"));
    assert!(!is_fixed(&w));
    w.finish_verify(Some('c'), Verification::Done);
    assert_eq!(state_and_code(&w), (State::PrFixing, "pushing"));
    assert!(w.state.memory.own_commits.contains(&sha('c')));
    w.finish_push().finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
    assert_eq!(w.state.run.fixing.turns, 1);
    let proven = |c: &PostContent| matches!(c, PostContent::Proof(p) if p.unverified.is_empty());
    assert_eq!(w.count_posts(proven), 1);
}

#[test]
fn a_loop_is_not_settled_any_more_once_its_question_is_answered() {
    let mut w = unverified_fix();
    let mut trust = Box::new(w.state.trust.clone());
    trust.decide(&TrustDecision::SkipVerification);
    w.apply(&Event::TrustChanged(TrustChanged { trust }));
    assert!(!w.state.is_settled());

    let mut w = LoopFixture::new();
    w.open_from_fork().poll().finish_review(&[rule_finding()]);
    assert!(w.state.is_settled());
    let mut trust = Box::new(w.state.trust.clone());
    trust.decide(&allow_mallory());
    w.apply(&Event::TrustChanged(TrustChanged { trust }));
    assert!(!w.state.is_settled());
}

#[test]
fn other_commands_than_those_that_were_trusted_ask_again() {
    let mut w = unverified_fix();
    w.decide_trust(TrustDecision::TrustCommands {
        commands: vec!["make lint".into()],
    });
    assert_eq!(state_and_code(&w).1, "verify_untrusted");
    w.decide_trust(TrustDecision::TrustCommands {
        commands: commands(),
    });
    // Between the word and the run the repository named others.
    let others = vec!["curl evil".to_string()];
    w.finish_verify(
        Some('b'),
        Verification::Waiting {
            commands: others.clone(),
        },
    );
    assert_eq!(
        w.state.run.blocker,
        Some(Blocker::VerifyUntrusted { commands: others })
    );
}

#[test]
fn what_goes_on_without_verification_says_so_in_the_proof() {
    let mut w = unverified_fix();
    w.decide_trust(TrustDecision::SkipVerification);
    w.finish_verify(
        Some('b'),
        Verification::Skipped {
            commands: commands(),
        },
    );
    w.finish_push().finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
    let named = |c: &PostContent| matches!(c, PostContent::Proof(p) if p.unverified.len() == 2);
    assert_eq!(w.count_posts(named), 1);
}

#[test]
fn a_fix_that_the_trusted_commands_refuse_is_made_anew() {
    let mut w = unverified_fix();
    w.decide_trust(TrustDecision::TrustCommands {
        commands: commands(),
    });
    w.finish_verify(None, Verification::Done);
    assert_eq!(state_and_code(&w), (State::PrFixing, "fixing"));
    w.finish_fix(Some('c')).finish_push().finish_review(&[]);
    assert_eq!(state_and_code(&w).0, State::PrReadyToMerge);
}

#[test]
fn what_the_repository_names_meanwhile_is_what_is_asked_about() {
    let mut w = unverified_fix();
    w.snapshot.default_head = Some(sha('e'));
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w), (State::PrFixing, "verifying"));
    let others = vec!["make all".to_string()];
    w.finish_verify(
        Some('b'),
        Verification::Waiting {
            commands: others.clone(),
        },
    );
    assert_eq!(
        w.state.run.blocker,
        Some(Blocker::VerifyUntrusted { commands: others })
    );
    w.advance(MINUTE).poll();
    assert_eq!(state_and_code(&w).1, "verify_untrusted");
}

#[test]
fn a_revoked_word_stops_the_run_of_the_commands() {
    let mut w = unverified_fix();
    w.decide_trust(TrustDecision::TrustCommands {
        commands: commands(),
    });
    w.decide_trust(TrustDecision::RevokeVerification);
    assert_eq!(state_and_code(&w).1, "verify_untrusted");
    assert!(w.state.outbox.effects.is_empty());
}

#[test]
fn a_verification_that_fails_by_itself_is_tried_again_and_then_stops_the_run() {
    let mut w = unverified_fix();
    w.decide_trust(TrustDecision::SkipVerification);
    for _ in 0..4 {
        let (effect, _) = w
            .find_effect(|e| matches!(e, Effect::Verify(_)))
            .expect("it is tried again");
        let error = crate::user_error::UserError::new(crate::error_code::ErrorCode::GitFailed);
        let failed = SessionFailed {
            failure: SessionFailure::transient(error),
            usage: Default::default(),
            refused_hosts: Default::default(),
        };
        let outcome = crate::event::Outcome::VerifyFailed(failed);
        w.apply(&Event::answered(effect, outcome)).poll();
    }
    assert_eq!(state_and_code(&w), (State::Failed, "fix_failed"));
}

#[test]
fn what_was_decided_holds_for_the_next_run_too_also_when_it_was_decided_between_runs() {
    let mut w = LoopFixture::new();
    w.open_from_fork().poll();
    let by = Login::new("kim");
    w.apply(&Event::Cancel(Cancel { by: by.clone() }));
    w.decide_trust(allow_mallory());
    assert_eq!(w.state.run.state, State::Cancelled);
    w.apply(&Event::Retry(NextRun {
        by,
        run: RunId::new("run-2"),
        policy: Box::new(Policy::default()),
        extra_rounds: 0,
    }));
    w.poll().finish_review(&[rule_finding()]);
    assert_eq!(state_and_code(&w).1, "fixing");
}

#[test]
fn where_fixing_is_off_findings_are_posted_and_nothing_is_handed_to_the_fixer() {
    let mut w = LoopFixture::new();
    w.state.run.configuration.policy.fix = false;
    w.poll().finish_review(&[rule_finding()]);
    assert_eq!(state_and_code(&w), (State::PrReviewing, "fixing_off"));
    assert!(w.state.is_settled());
    assert_eq!(w.count_posts(|c| matches!(c, PostContent::Review(_))), 1);
    w.advance(60_000).poll();
    assert!(w.find_effect(|e| matches!(e, Effect::Fix(_))).is_none());
    // Somebody has fixed it.
    w.snapshot.head = sha('b');
    w.advance(60_000).poll().finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
}
