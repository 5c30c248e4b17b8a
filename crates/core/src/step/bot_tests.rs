//! Bots as they really are: placeholders, notices with a time, summaries that are edited, findings in bodies, and texts that come again.

use crate::blocker::Blocker;
use crate::effect::{Effect, FixEffect};
use crate::event::{Event, FixFinished};
use crate::fix::{FixResult, FixSummary, RejectedIssue, Verification};
use crate::ids::{AccountId, Time};
use crate::lifecycle::State;
use crate::note::Note;
use crate::post::{Disposition, PostContent};
use crate::snapshot::{Check, CheckConclusion, Comment, Review, ReviewVerdict};
use crate::snapshot_summary::{BotStatus, BotView};
use crate::test_support::{LoopFixture, actor, check, comment, review, sha, thread};
use crate::usage::Usage;

const MINUTE: u64 = 60_000;
const RABBIT: AccountId = AccountId(136_622_811);
const SUMMARY: &str = "<!-- This is an auto-generated comment: summarize by coderabbit.ai -->\n";

fn written(time: Time) -> String {
    jiff::Timestamp::from_millisecond(time.0)
        .expect("a time")
        .to_string()
}

/// What the bot says now.
fn says(w: &LoopFixture, id: u64, words: &str) -> Comment {
    Comment {
        created_at: w.now,
        updated_at: written(w.now),
        ..comment(id, actor(RABBIT.0, "coderabbitai", true), words)
    }
}

/// A review of the bot on the present head.
fn reviews(w: &LoopFixture, id: u64, body: &str) -> Review {
    Review {
        author: Some(actor(RABBIT.0, "coderabbitai", true)),
        commit: Some(w.snapshot.head.clone()),
        body: body.to_owned(),
        submitted_at: Some(w.now),
        updated_at: written(w.now),
        ..review(id, "coderabbitai", ReviewVerdict::Commented)
    }
}

fn limited(minutes: u32) -> String {
    format!(
        "{SUMMARY}\n> [!WARNING]\n> ## Rate limit exceeded\n>\n> Please wait **{minutes} minutes and 30 seconds** before requesting another review."
    )
}

fn waiting() -> LoopFixture {
    let mut w = LoopFixture::new();
    w.state.run.configuration.policy.expected_bots = [RABBIT].into();
    w.poll();
    w
}

fn views(w: &LoopFixture) -> &[BotView] {
    &w.state.run.polling.last_snapshot.bots
}

fn status(w: &LoopFixture) -> BotStatus {
    views(w)[0].status.clone()
}

fn code(w: &LoopFixture) -> &'static str {
    match (&w.state.run.stop, &w.state.run.blocker) {
        (Some(stop), _) => stop.code(),
        (None, Some(blocker)) => blocker.code(),
        (None, None) => "",
    }
}

fn asks(content: &PostContent) -> bool {
    matches!(content, PostContent::RequestBotReview { .. })
}

fn answers(w: &LoopFixture) -> Vec<&Disposition> {
    let posts = w.posts.iter();
    let replies = posts.filter_map(|post| match post {
        PostContent::Reply { disposition, .. } => Some(disposition),
        _ => None,
    });
    replies.collect()
}

#[test]
fn a_placeholder_is_no_review_and_its_edit_is_one() {
    let mut w = waiting();
    w.advance(MINUTE);
    let placeholder = "> [!NOTE]\n> Currently processing new changes in this PR. This may take a few minutes, please wait...";
    let said = says(&w, 50, &format!("{SUMMARY}{placeholder}"));
    w.snapshot.comments = vec![said];
    w.poll();
    assert_eq!(code(&w), "bots_pending");
    assert!(matches!(status(&w), BotStatus::Waiting { .. }));
    w.advance(MINUTE);
    w.snapshot.comments[0].body = format!("{SUMMARY}## Walkthrough\n\nThe reader keeps its guard.");
    w.snapshot.comments[0].updated_at = written(w.now);
    w.poll();
    assert_eq!(status(&w), BotStatus::Reviewed);
    assert_eq!(w.state.run.state, State::PrReviewing);
}

#[test]
fn which_bots_have_yet_to_review_is_remarked_while_checks_run() {
    let mut w = LoopFixture::new();
    w.state.run.configuration.policy.expected_bots = [RABBIT].into();
    w.snapshot.checks = vec![check("unit", None)];
    w.poll();
    assert_eq!(code(&w), "checks_running");
    let told = |w: &LoopFixture| -> Vec<Vec<String>> {
        let awaited = w.remarks.iter().filter_map(|note| match note {
            Note::BotsAwaited { names } => Some(names.iter().cloned().collect()),
            _ => None,
        });
        awaited.collect()
    };
    assert_eq!(told(&w), [["CodeRabbit".to_owned()]]);
    w.advance(MINUTE).poll();
    assert_eq!(told(&w).len(), 1, "nothing changed");
    w.snapshot.reviews = vec![reviews(&w, 60, "## Walkthrough\n\nIt reads.")];
    w.advance(MINUTE).poll();
    assert_eq!(code(&w), "checks_running");
    assert_eq!(told(&w).last(), Some(&vec![]));
}

#[test]
fn a_summary_counts_for_the_head_that_it_was_last_edited_on_or_names() {
    let mut w = waiting();
    let summary = says(&w, 50, &format!("{SUMMARY}## Walkthrough\n\nIt reads."));
    w.snapshot.comments = vec![summary];
    w.poll();
    assert_eq!(status(&w), BotStatus::Reviewed);
    // Another head: the same words, edited for it or not.
    w.advance(MINUTE);
    w.snapshot.head = sha('c');
    w.poll();
    assert!(matches!(status(&w), BotStatus::Waiting { .. }));
    w.advance(MINUTE);
    w.snapshot.comments[0].updated_at = written(w.now);
    w.poll();
    assert_eq!(status(&w), BotStatus::Reviewed);
    // It names another commit, whenever it was edited.
    let names = |head: char| {
        format!(
            "{SUMMARY}## Walkthrough\n\nIt reads.\n\n📥 Commits\n\nReviewing files that changed from the base of the PR and between {} and {}.",
            sha('0'),
            sha(head)
        )
    };
    w.snapshot.comments[0].body = names('d');
    w.poll();
    assert!(matches!(status(&w), BotStatus::Waiting { .. }));
    w.snapshot.comments[0].body = names('c');
    w.poll();
    assert_eq!(status(&w), BotStatus::Reviewed);
}

/// A check that the head had at that time.
fn checked(w: &LoopFixture, ago_ms: u64) -> Check {
    let mut check = check("unit", Some(CheckConclusion::Success));
    check.completed_at = Some(Time(w.now.0 - i64::try_from(ago_ms).unwrap_or(0)));
    check
}

#[test]
fn what_a_bot_said_before_the_first_look_is_about_the_head_that_it_could_see() {
    let begun = |said_ago: u64| {
        let mut w = LoopFixture::new();
        w.state.run.configuration.policy.expected_bots = [RABBIT].into();
        w.snapshot.checks = vec![checked(&w, 10 * MINUTE)];
        let now = w.now;
        w.now = Time(now.0 - i64::try_from(said_ago).unwrap_or(0));
        w.snapshot.comments = vec![says(&w, 50, &limited(600))];
        w.now = now;
        w.poll();
        code(&w)
    };
    assert_eq!(begun(5 * MINUTE), "bots_out_of_quota");
    // It may have been about another head.
    assert_eq!(begun(11 * MINUTE), "bots_pending");
}

#[test]
fn what_a_bot_said_between_two_looks_is_about_the_head_that_came_with_them_unless_an_earlier_look_showed_it()
 {
    let mut w = waiting();
    w.advance(MINUTE);
    w.snapshot.comments = vec![says(&w, 50, &limited(600))];
    w.advance(MINUTE).poll();
    assert_eq!(code(&w), "bots_out_of_quota");
    // The branch is put on a commit that had its checks long before: the notice was about another.
    w.snapshot.head = sha('c');
    w.snapshot.checks = vec![checked(&w, 60 * MINUTE)];
    w.advance(MINUTE).poll();
    assert_eq!(code(&w), "bots_pending");
    // This one came, was checked and was spoken of between two looks.
    w.snapshot.head = sha('d');
    w.advance(MINUTE / 4);
    w.snapshot.checks = vec![checked(&w, 0)];
    w.advance(MINUTE / 4);
    w.snapshot.comments = vec![says(&w, 51, &limited(600))];
    w.advance(MINUTE / 2).poll();
    assert_eq!(code(&w), "bots_out_of_quota");
}

#[test]
fn the_word_quota_deep_in_a_long_review_is_no_notice() {
    let mut w = waiting();
    let body = format!(
        "{SUMMARY}## Walkthrough\n\n{}\nThe new quota is checked too late: once the rate limit is exceeded, nothing stops it.",
        "A line of the summary.\n".repeat(40)
    );
    let said = reviews(&w, 60, &body);
    w.snapshot.reviews = vec![said];
    w.poll();
    assert_eq!(status(&w), BotStatus::Reviewed);
}

#[test]
fn a_notice_with_a_time_is_waited_for_and_the_bot_is_asked_once() {
    let mut w = waiting();
    let notice = says(&w, 50, &limited(12));
    let back = w.now.0 / 1_000 * 1_000 + 750_000;
    w.snapshot.comments = vec![notice];
    w.advance(MINUTE).poll();
    let Some(Blocker::BotsOutOfQuota { names, until }) = w.state.run.blocker.clone() else {
        panic!("{:?}", w.state.run.blocker);
    };
    assert_eq!((names, until), (vec!["CodeRabbit".to_owned()], Time(back)));
    w.advance(11 * MINUTE).poll();
    assert_eq!((code(&w), w.count_posts(asks)), ("bots_out_of_quota", 0));
    w.advance(MINUTE).poll();
    assert!(matches!(
        w.posts.as_slice(),
        [PostContent::RequestBotReview { bot: RABBIT, command }] if command == "@coderabbitai review"
    ));
    assert_eq!(code(&w), "bots_pending");
    // It does not tire: another notice on the same head is not asked about again, and holds up nothing while a check still runs or after.
    w.snapshot.checks = vec![check("unit", None)];
    w.advance(5 * MINUTE);
    let again = says(&w, 51, &limited(12));
    w.snapshot.comments.push(again);
    w.poll().advance(15 * MINUTE).poll();
    assert_eq!((code(&w), w.count_posts(asks)), ("checks_running", 1));
    w.snapshot.checks = vec![checked(&w, 0)];
    w.advance(MINUTE).poll();
    assert_eq!(w.count_posts(asks), 1);
    assert_eq!(w.state.run.state, State::PrReviewing);
}

#[test]
fn a_bot_that_was_asked_and_is_silent_is_given_up_after_its_timeout() {
    let mut w = waiting();
    w.snapshot.comments = vec![says(&w, 50, &limited(1))];
    w.advance(2 * MINUTE).poll();
    assert_eq!((code(&w), w.count_posts(asks)), ("bots_pending", 1));
    w.advance(14 * MINUTE).poll();
    assert_eq!(code(&w), "bots_pending");
    w.advance(MINUTE).poll();
    assert_eq!(w.state.run.state, State::PrReviewing);
    // The next head is another matter.
    w.snapshot.head = sha('c');
    w.advance(MINUTE).poll();
    w.snapshot.comments = vec![says(&w, 50, &limited(1))];
    w.advance(2 * MINUTE).poll();
    assert_eq!(w.count_posts(asks), 2);
}

#[test]
fn a_notice_is_waited_for_at_most_four_hours() {
    let mut w = waiting();
    let since = w.state.run.head.seen_at;
    w.snapshot.comments = vec![says(&w, 50, &limited(600))];
    w.advance(MINUTE).poll();
    let four_hours = since.plus(240 * MINUTE);
    assert!(matches!(
        w.state.run.blocker,
        Some(Blocker::BotsOutOfQuota { until, .. }) if until == four_hours
    ));
    w.now = four_hours;
    w.poll();
    assert_eq!(w.state.run.state, State::PrReviewing);
    assert_eq!(w.count_posts(asks), 0);
}

#[test]
fn of_several_bots_out_of_quota_those_are_named_that_come_back_first() {
    let mut w = waiting();
    let cursor = AccountId(206_951_365);
    let mut shipped = crate::bots::shipped_bots().iter();
    let known = shipped.find(|shipped| shipped.bot.id == cursor);
    let policy = &mut w.state.run.configuration.policy;
    policy.bots.extend(known.map(|known| known.bot.clone()));
    policy.expected_bots.insert(cursor);
    let mut other = says(&w, 51, "Bugbot couldn't run: try again in 30 minutes.");
    other.author = Some(actor(cursor.0, "cursor", true));
    w.snapshot.comments = vec![says(&w, 50, &limited(12)), other];
    w.advance(MINUTE).poll();
    let named = |w: &LoopFixture| match &w.state.run.blocker {
        Some(Blocker::BotsOutOfQuota { names, .. }) => names.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(named(&w), ["CodeRabbit"]);
    // It was asked, and has reviewed.
    w.advance(12 * MINUTE).poll();
    w.snapshot.reviews = vec![reviews(&w, 60, "**Actionable comments posted: 0**")];
    w.advance(MINUTE).poll();
    assert_eq!(named(&w), ["Cursor Bugbot"]);
}

#[test]
fn an_approval_without_a_word_is_a_review() {
    let mut w = waiting();
    let mut silent = reviews(&w, 60, "");
    w.snapshot.reviews = vec![silent.clone()];
    w.advance(MINUTE).poll();
    assert_eq!(code(&w), "bots_pending");
    silent.verdict = ReviewVerdict::Approved;
    w.snapshot.reviews = vec![silent.clone()];
    w.advance(MINUTE).poll();
    assert_eq!(status(&w), BotStatus::Reviewed);
    // What it says comes before what it ticked.
    let mut w = waiting();
    silent.body = "Review rate limited.".into();
    w.snapshot.reviews = vec![silent];
    w.advance(MINUTE).poll();
    assert_eq!(status(&w), BotStatus::OutOfQuota { until: None });
}

#[test]
fn a_bot_that_reviews_the_repository_is_waited_for_and_one_that_was_seen_is_kept() {
    let mut w = LoopFixture::new();
    w.snapshot.reviewing_bots = [RABBIT].into();
    w.poll();
    assert_eq!(code(&w), "bots_pending");
    assert!(w.state.memory.reviewing_bots.is_empty());
    w.snapshot.reviews = vec![reviews(&w, 60, "**Actionable comments posted: 0**")];
    w.advance(MINUTE).poll();
    assert_eq!(w.state.run.state, State::PrReviewing);
    assert!(w.state.memory.reviewing_bots.contains_key(&RABBIT));
}

#[test]
fn who_claims_to_be_a_bot_is_shown_as_unverified_and_is_not_waited_for() {
    let mut w = waiting();
    let mut claimed = reviews(&w, 60, "**Actionable comments posted: 1**");
    claimed.author = Some(actor(66, "coderabbit-ai", false));
    w.snapshot.reviews = vec![claimed];
    w.advance(MINUTE).poll();
    assert_eq!(code(&w), "bots_pending");
    let suspicious: Vec<_> = views(&w).iter().filter(|view| !view.verified).collect();
    assert!(matches!(suspicious.as_slice(), [view] if view.id == AccountId(66)));
    assert!(w.state.memory.impostors.contains(&60));
}

#[test]
fn a_bot_is_known_by_its_account_under_any_name_and_no_other_account_by_a_bot_s() {
    let status_after = |id: u64, login: &str| {
        let mut w = waiting();
        let mut said = reviews(&w, 60, "**Actionable comments posted: 0**");
        said.author = Some(actor(id, login, true));
        w.snapshot.reviews = vec![said];
        w.advance(MINUTE).poll();
        let impostor = w.state.memory.impostors.contains(&60);
        (status(&w), impostor)
    };
    assert_eq!(
        status_after(RABBIT.0, "coderabbitai"),
        (BotStatus::Reviewed, false)
    );
    assert_eq!(
        status_after(RABBIT.0, "renamed"),
        (BotStatus::Reviewed, false)
    );
    assert!(status_after(66, "coderabbitai").1);
    assert_ne!(status_after(66, "coderabbitai").0, BotStatus::Reviewed);
}

const OUTSIDE: &str = r"**Actionable comments posted: 0**

> [!CAUTION]
> Some comments are outside the diff and can’t be posted inline due to platform limitations.
>
> <details>
> <summary>⚠️ Outside diff range comments (1)</summary><blockquote>
>
> <details>
> <summary>a.py (1)</summary><blockquote>
>
> `40-42`: _⚠️ Potential issue_ | _🟠 Major_
>
> **Keep the guard of the reader.**
>
> It is gone on the second path.
>
> </blockquote></details>
>
> </blockquote></details>
";

fn answered_bodies(content: &PostContent) -> bool {
    matches!(content, PostContent::BodyDispositions { .. })
}

/// What the fixer is asked for.
fn asked(w: &LoopFixture) -> Vec<(String, Option<u32>, String)> {
    let fix = w.find_effect(|effect| matches!(effect, Effect::Fix(_)));
    let Some((_, Effect::Fix(FixEffect { payload, .. }))) = fix else {
        return Vec::new();
    };
    let findings = payload.issues_to_fix.iter();
    findings
        .map(|f| (f.file.clone(), f.line, f.title.clone()))
        .collect()
}

#[test]
fn a_finding_outside_the_diff_is_fixed_and_answered_once_however_often_it_is_posted() {
    let mut w = waiting();
    w.snapshot.reviews = vec![reviews(&w, 60, OUTSIDE)];
    w.advance(MINUTE).poll().finish_review(&[]);
    let wanted = "Keep the guard of the reader.";
    assert_eq!(asked(&w), [("a.py".into(), Some(40), wanted.into())]);
    w.finish_fix(None);
    assert_eq!(w.count_posts(answered_bodies), 1);
    let posted = w.posts.iter().find(|post| answered_bodies(post));
    assert!(matches!(
        posted,
        Some(PostContent::BodyDispositions { items })
            if matches!(items.as_slice(), [item] if item.title == wanted && item.file == "a.py")
    ));
    // The bot says it again, in another review, on another head and further down.
    w.snapshot.head = sha('c');
    w.advance(MINUTE).poll();
    let again = OUTSIDE.replace("40-42", "48-50");
    let again = reviews(&w, 61, &again);
    w.snapshot.reviews.push(again);
    w.advance(MINUTE).poll();
    if w.state.run.state == State::PrReviewing {
        w.finish_review(&[]);
    }
    assert_eq!(asked(&w), []);
    assert_eq!(w.count_posts(answered_bodies), 1);
    // Another run knows none of the findings of this one, and what was answered all the same.
    w.state.run.review.findings.clear();
    let analysis = crate::comments::analyze_comments(&w.state, &w.snapshot);
    assert!(analysis.pending_issues.is_empty(), "{analysis:?}");
}

#[test]
fn a_nitpick_in_a_body_holds_nothing_up() {
    let mut w = waiting();
    let nitpick = OUTSIDE
        .replace("⚠️ Outside diff range comments", "🧹 Nitpick comments")
        .replace(
            "_⚠️ Potential issue_ | _🟠 Major_",
            "_🧹 Nitpick_ | _🔵 Trivial_",
        );
    w.snapshot.reviews = vec![reviews(&w, 60, &nitpick)];
    w.advance(MINUTE).poll().finish_review(&[]);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
}

#[test]
fn what_stands_in_a_thread_too_is_answered_there() {
    let mut w = waiting();
    w.snapshot.reviews = vec![reviews(&w, 60, OUTSIDE)];
    let mut inline = thread(
        "T1",
        says(
            &w,
            70,
            "_⚠️ Potential issue_\n\n**Keep the guard of the reader.**",
        ),
    );
    inline.line = Some(41);
    w.snapshot.threads = vec![inline];
    w.advance(MINUTE).poll().finish_review(&[]);
    assert_eq!(asked(&w).len(), 1);
    w.finish_fix(None);
    assert_eq!((answers(&w).len(), w.count_posts(answered_bodies)), (1, 0));
}

const DECLINED: &str = "_⚠️ Potential issue_ | _🟠 Major_\n\n**Keep the guard of the reader.**";

/// A model's fixer declines what it is asked for; the rules leave it to a person instead.
fn decline(w: &mut LoopFixture) {
    let asked = w.find_effect(|effect| matches!(effect, Effect::Fix(_)));
    let Some((effect, Effect::Fix(FixEffect { payload, .. }))) = asked else {
        panic!("a fix is asked for");
    };
    let rejected = payload.issues_to_fix.iter().map(|finding| RejectedIssue {
        finding_id: finding.id.clone(),
        reason: "The guard stands one call above.".into(),
    });
    let result = FixResult {
        agent: "claude".into(),
        pr_number: 7,
        summary: FixSummary::default(),
        fixed_issues: Vec::new(),
        rejected_issues: rejected.collect(),
        commits: Vec::new(),
    };
    w.apply(&Event::answered(
        effect,
        FixFinished {
            commit: None,
            result: Box::new(result.validated(&payload).expect("it fits")),
            oscillates: false,
            usage: Usage::default(),
            session: None,
            verification: Verification::Done,
            refused_hosts: Default::default(),
            files: Vec::new(),
        },
    ));
    w.poll();
}

/// A loop in which the bot's text was declined.
fn declined() -> LoopFixture {
    let mut w = LoopFixture::new();
    w.snapshot.threads = vec![thread("T1", says(&w, 70, DECLINED))];
    w.poll().finish_review(&[]);
    decline(&mut w);
    assert!(matches!(
        answers(&w).as_slice(),
        [Disposition::Declined { .. }]
    ));
    w
}

#[test]
fn a_declined_text_in_a_new_thread_gets_its_disposition_again_once_a_head() {
    let mut w = declined();
    w.advance(MINUTE);
    let again = thread("T2", says(&w, 71, DECLINED));
    w.snapshot.threads.push(again);
    w.poll();
    let reason = |of: &Disposition| match of {
        Disposition::Declined { reason } => reason.clone(),
        other => panic!("{other:?}"),
    };
    let said: Vec<String> = answers(&w).into_iter().map(reason).collect();
    assert!(matches!(said.as_slice(), [first, second] if first == second));
    // It never tires. Once a head is enough; and nothing waits for a post that is not to be.
    for id in 72..76 {
        let more = thread(&format!("T{id}"), says(&w, id, DECLINED));
        w.snapshot.threads.push(more);
        w.advance(MINUTE).poll();
        assert_ne!(code(&w), "posting");
        assert_eq!(asked(&w), []);
    }
    assert_eq!(answers(&w).len(), 2);
    // On another head it hears it again.
    w.snapshot.head = sha('c');
    w.advance(MINUTE).poll();
    let more = thread("T80", says(&w, 80, DECLINED));
    w.snapshot.threads.push(more);
    w.advance(MINUTE).poll();
    assert_eq!(answers(&w).len(), 3);
}

#[test]
fn thanks_under_a_disposition_are_no_new_finding() {
    let mut w = declined();
    w.advance(MINUTE);
    let thanks = says(
        &w,
        71,
        "`@kim` Thank you for the explanation, that makes sense. I have noted it for further reviews.",
    );
    w.snapshot.threads[0].comments.push(thanks);
    w.snapshot.head = sha('c');
    w.poll();
    w.finish_review(&[]);
    assert_eq!(asked(&w), []);
    assert_eq!(answers(&w).len(), 1);
}
