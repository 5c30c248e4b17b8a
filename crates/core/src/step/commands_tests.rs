//! Commands in comments: from trusted people alone, each once (§7).

use crate::effect::Effect;
use crate::event::{Event, ObserveFailed, Observed};
use crate::finding::{Finding, Priority};
use crate::ids::Time;
use crate::lifecycle::State;
use crate::note::Note;
use crate::post::{CommandOutcome, PostContent};
use crate::snapshot::{Comment, ObserveFailure, PullState};
use crate::test_support::{LoopFixture, actor, comment, finding, thread};
use crate::tracked_finding::FindingStatus;

const MINUTE: u64 = 60_000;

fn says(w: &LoopFixture, id: u64, words: &str) -> Comment {
    Comment {
        created_at: w.now,
        ..comment(id, actor(20, "ana", false), words)
    }
}

fn outcomes(w: &LoopFixture) -> Vec<&CommandOutcome> {
    let posts = w.posts.iter().filter_map(|content| match content {
        PostContent::CommandReply { outcome, .. } => Some(outcome),
        _ => None,
    });
    posts.collect()
}

fn tell(w: &mut LoopFixture, id: u64, words: &str) {
    w.advance(MINUTE);
    let words = says(w, id, words);
    w.snapshot.comments.push(words);
    w.poll();
}

fn fault() -> Finding {
    finding("a.py", "unchecked-index", "a[i]")
}

#[test]
fn stop_ends_the_run_and_says_so_once() {
    let mut w = LoopFixture::new();
    w.poll();
    assert!(w.find_effect(|e| matches!(e, Effect::Review(_))).is_some());
    tell(&mut w, 30, "/collie stop");
    assert_eq!(w.state.run.state, State::Cancelled);
    assert!(w.find_effect(|e| matches!(e, Effect::Review(_))).is_none());
    assert_eq!(outcomes(&w), [&CommandOutcome::Stopped]);
    let obeyed = |note: &&Note| matches!(note, Note::CommandObeyed { by, words, .. } if by.as_str() == "ana" && words == "stop");
    assert_eq!(w.remarks.iter().filter(obeyed).count(), 1);
    for _ in 0..3 {
        w.advance(5 * MINUTE).poll();
    }
    assert_eq!(outcomes(&w).len(), 1);
}

#[test]
fn retry_begins_a_fresh_run_after_the_end_and_none_before_it() {
    let mut w = LoopFixture::new();
    w.poll();
    let first = w.state.run.id.clone();
    tell(&mut w, 30, "/collie retry");
    assert_eq!(w.state.run.id, first);
    assert!(matches!(
        outcomes(&w)[0],
        CommandOutcome::StillRunning { .. }
    ));
    tell(&mut w, 31, "/collie stop");
    assert_eq!(w.state.run.state, State::Cancelled);
    // An ended run listens on, and does nothing else.
    assert!(w.state.run.polling.next_at.is_some());
    tell(&mut w, 32, "/collie retry");
    assert_ne!(w.state.run.id, first);
    assert_eq!(w.state.run.ordinal, 2);
    assert_eq!(w.state.run.started_by.as_str(), "ana");
    assert_eq!(w.state.run.state, State::PrReviewing);
    assert_eq!(outcomes(&w).last(), Some(&&CommandOutcome::Restarted));
    // The same comments, read again and again, in another run.
    let second = w.state.run.id.clone();
    for _ in 0..3 {
        w.advance(MINUTE).poll();
    }
    assert_eq!(
        (&w.state.run.id, w.state.run.state),
        (&second, State::PrReviewing)
    );
    assert_eq!(outcomes(&w).len(), 3);
}

#[test]
fn the_same_command_of_the_same_comment_begins_the_same_run_wherever_it_is_replayed() {
    let mut w = LoopFixture::new();
    w.poll();
    tell(&mut w, 30, "/collie stop");
    let before = w.state.clone();
    tell(&mut w, 31, "/collie retry");
    let run = w.state.run.id.clone();
    w.state = before;
    w.advance(MINUTE).poll();
    assert_eq!(w.state.run.id, run);
    assert_eq!(run.as_str().len(), 36, "as other runs are called");
}

#[test]
fn an_account_that_may_not_start_runs_any_more_begins_none() {
    let mut w = LoopFixture::new();
    w.poll();
    tell(&mut w, 30, "/collie stop");
    w.snapshot.start_denied = true;
    tell(&mut w, 31, "/collie retry");
    assert_eq!(w.state.run.state, State::Cancelled);
    assert_eq!(outcomes(&w).last(), Some(&&CommandOutcome::NotAllowed));
}

#[test]
fn an_edit_of_other_words_is_no_new_command_and_another_command_is() {
    let mut w = LoopFixture::new();
    w.poll();
    tell(&mut w, 30, "/collie explain F-1");
    w.snapshot.comments[0].body = "Please!\n\n/collie explain F-1".into();
    w.advance(MINUTE).poll();
    assert_eq!(outcomes(&w).len(), 1);
    w.snapshot.comments[0].body = "/collie explain F-2".into();
    w.advance(MINUTE).poll();
    assert_eq!(outcomes(&w).len(), 2);
    w.snapshot.comments[0].body = "/collie explain F-1".into();
    w.advance(MINUTE).poll();
    assert_eq!(outcomes(&w).len(), 2);
}

#[test]
fn an_outsider_commands_nothing_and_gets_no_answer() {
    let mut w = LoopFixture::new();
    w.poll();
    let mallory = actor(66, "mallory", false);
    let bot = actor(77, "helpful", true);
    for (id, who) in [(30, mallory), (31, bot)] {
        let words = Comment {
            created_at: w.now,
            ..comment(id, who, "/collie stop")
        };
        w.snapshot.comments.push(words);
    }
    for _ in 0..3 {
        w.advance(MINUTE).poll();
    }
    assert_eq!(w.state.run.state, State::PrReviewing);
    assert!(outcomes(&w).is_empty());
    let denied = |note: &&Note| matches!(note, Note::CommandDenied { .. });
    assert_eq!(w.remarks.iter().filter(denied).count(), 2);
}

#[test]
fn what_collie_quotes_itself_commands_nothing() {
    let mut w = LoopFixture::new();
    w.poll();
    let token = crate::ids::ActionToken::new("a".repeat(64));
    let body = crate::text::append_token("/collie stop", &token);
    let own = comment(30, actor(10, "kim", false), &body);
    w.snapshot.comments.push(own);
    w.advance(MINUTE).poll();
    assert_eq!(w.state.run.state, State::PrReviewing);
    assert!(outcomes(&w).is_empty());
}

#[test]
fn what_was_commanded_before_the_loop_began_was_not_for_it() {
    let mut w = LoopFixture::new();
    let old = Comment {
        created_at: Time(0),
        ..says(&w, 30, "/collie stop")
    };
    w.snapshot.comments.push(old);
    w.poll();
    assert_eq!(w.state.run.state, State::PrReviewing);
    w.advance(MINUTE).poll();
    assert_eq!(w.state.run.state, State::PrReviewing);
    assert!(outcomes(&w).is_empty());
}

#[test]
fn a_command_whose_answer_stands_there_is_not_obeyed_again_though_nothing_is_remembered() {
    let mut w = LoopFixture::new();
    w.poll();
    tell(&mut w, 30, "/collie stop");
    let token = w
        .state
        .memory
        .commands
        .first()
        .expect("it was obeyed")
        .clone();
    let body = crate::text::append_token("Stopped.", &token);
    let answer = comment(31, actor(10, "kim", false), &body);
    let mut fresh = LoopFixture::new();
    fresh.poll();
    fresh.snapshot.comments = w.snapshot.comments.clone();
    fresh.snapshot.comments.push(answer);
    fresh.advance(5 * MINUTE).poll();
    assert_eq!(fresh.state.run.state, State::PrReviewing);
}

#[test]
fn explain_tells_all_that_is_known_of_the_finding_that_a_report_shows_by_its_number() {
    let mut w = LoopFixture::new();
    let graver = Finding {
        priority: Priority::P0,
        ..finding("b.py", "no-check", "b()")
    };
    w.poll().finish_review(&[fault(), graver]);
    let Some(PostContent::Review(report)) = w.posts.first() else {
        panic!("{:?}", w.posts)
    };
    assert_eq!(report.numbers, [1, 2], "the gravest first");
    assert_eq!(report.findings[0].category, "no-check");
    tell(&mut w, 30, "/collie explain F-1");
    let found = outcomes(&w);
    let [CommandOutcome::Explained { told }] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(told.finding.finding.category, "no-check");
    tell(&mut w, 31, "/collie explain F-9");
    assert_eq!(
        outcomes(&w).last(),
        Some(&&CommandOutcome::NoSuchFinding { number: 9 })
    );
    // Numbers stay: a later report shows the same finding under the same one.
    w.finish_fix(Some('b'))
        .finish_push()
        .finish_review(&[fault()]);
    let last = w.posts.iter().rev().find_map(|content| match content {
        PostContent::Review(report) => Some(report.numbers.clone()),
        _ => None,
    });
    assert_eq!(last, Some(vec![2]));
}

#[test]
fn fix_this_in_a_thread_has_what_it_is_about_fixed() {
    let mut w = LoopFixture::new();
    let mallory = comment(50, actor(66, "mallory", false), "This leaks the handle.");
    w.snapshot.threads = vec![thread("T1", mallory)];
    w.poll().finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge, "an outsider's");
    w.advance(MINUTE);
    let words = says(&w, 51, "/collie fix this");
    w.snapshot.threads[0].comments.push(words);
    w.poll();
    assert_eq!(w.state.run.state, State::PrFixing);
    let Some((_, Effect::Fix(asked))) = w.find_effect(|e| matches!(e, Effect::Fix(_))) else {
        panic!("a fix is asked for")
    };
    let titles: Vec<_> = asked
        .payload
        .issues_to_fix
        .iter()
        .map(|f| &f.title)
        .collect();
    assert_eq!(titles, ["This leaks the handle."]);
    w.finish_fix(Some('b')).finish_push().finish_review(&[]);
    // Its disposition is the answer.
    assert_eq!(w.count_posts(|c| matches!(c, PostContent::Reply { .. })), 1);
    assert!(outcomes(&w).is_empty());
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
}

#[test]
fn fix_this_opens_what_was_turned_down_again() {
    let mut w = LoopFixture::new();
    w.poll().finish_review(&[fault()]);
    let (print, _) = w
        .state
        .run
        .review
        .findings
        .first_key_value()
        .expect("it is tracked");
    let print = print.clone();
    let token =
        crate::token::action_token(&w.state.id, &crate::token::ActionSubject::Inline(&print));
    let body = crate::text::append_token("unchecked index", &token);
    let own = comment(50, actor(10, "kim", false), &body);
    w.snapshot.threads = vec![thread("T1", own)];
    let known = w
        .state
        .run
        .review
        .findings
        .get_mut(&print)
        .expect("it is tracked");
    known.status = FindingStatus::Stuck;
    known.refuted_claims = 3;
    w.advance(MINUTE);
    let words = says(&w, 51, "/collie fix this");
    w.snapshot.threads[0].comments.push(words);
    w.poll();
    let known = &w.state.run.review.findings[&print];
    assert_eq!(
        (known.status, known.refuted_claims),
        (FindingStatus::Open, 0)
    );
}

#[test]
fn fix_this_outside_of_a_thread_is_told_where_it_belongs_and_nonsense_what_there_is() {
    let mut w = LoopFixture::new();
    w.poll();
    tell(&mut w, 30, "/collie fix this");
    tell(&mut w, 31, "/collie merge");
    assert_eq!(
        outcomes(&w),
        [&CommandOutcome::NeedsThread, &CommandOutcome::Unknown]
    );
    assert_eq!(w.state.run.state, State::PrReviewing);
}

#[test]
fn a_command_in_a_thread_is_answered_there_and_the_thread_waits_as_before() {
    let mut w = LoopFixture::new();
    let ana = says(&w, 50, "use is None");
    w.snapshot.threads = vec![thread("T1", ana)];
    w.poll().finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrFixing);
    w.advance(MINUTE);
    let words = says(&w, 51, "/collie explain F-1");
    w.snapshot.threads[0].comments.push(words);
    w.poll();
    let place = w.posts.iter().find_map(|content| match content {
        PostContent::CommandReply { place, .. } => place.clone(),
        _ => None,
    });
    assert_eq!(place.map(|place| place.in_reply_to), Some(50));
    // What Collie said to the command is no answer to the thread.
    let token = w
        .state
        .memory
        .commands
        .first()
        .expect("it was obeyed")
        .clone();
    let body = crate::text::append_token("none", &token);
    let own = comment(52, actor(10, "kim", false), &body);
    w.snapshot.threads[0].comments.push(own);
    w.advance(MINUTE).poll();
    let status = crate::comments::thread_status(&w.state, &w.snapshot, &w.snapshot.threads[0]);
    assert_eq!(status, crate::comments::ThreadStatus::Pending);
    w.finish_fix(Some('b')).finish_push().finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
}

#[test]
fn an_ended_run_listens_for_a_week_and_no_longer_than_its_pull_request_is_open() {
    let stopped = || {
        let mut w = LoopFixture::new();
        w.poll();
        tell(&mut w, 30, "/collie stop");
        w.advance(5 * MINUTE);
        w
    };
    let mut closed = stopped();
    closed.snapshot.state = PullState::Closed;
    closed.poll();
    assert_eq!(closed.state.run.polling.next_at, None);
    assert_eq!(closed.state.run.state, State::Cancelled);
    let mut w = stopped();
    let fails = |w: &mut LoopFixture, failure| {
        w.apply(&Event::ObserveFailed(ObserveFailed {
            at: w.now,
            failure,
            jitter_permille: 0,
        }));
    };
    let message = "503".into();
    fails(&mut w, ObserveFailure::Unreachable { message });
    assert!(w.state.run.polling.next_at.is_some());
    assert_eq!(w.state.run.blocker, None);
    w.advance(7 * 24 * 60 * MINUTE).poll();
    assert_eq!(w.state.run.polling.next_at, None);
    tell(&mut w, 31, "/collie retry");
    assert_eq!(
        w.state.run.state,
        State::Cancelled,
        "nobody listens any more"
    );
    let mut gone = stopped();
    fails(&mut gone, ObserveFailure::NotFound);
    assert_eq!(gone.state.run.polling.next_at, None);
    // A reading after the end is not worth a line of the journal.
    let w = stopped();
    let look = Event::Observed(Observed {
        snapshot: Box::new(crate::snapshot::Snapshot {
            read_at: w.now,
            ..w.snapshot.clone()
        }),
        throttle: None,
    });
    let done = super::step(&w.state, &look, w.now);
    assert!(super::is_quiet(&w.state, &done), "{:?}", done.notes);
}
