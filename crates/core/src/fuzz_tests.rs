//! What bots leave, tried with notices that none of them writes.

use crate::bots::{BotText, BotWatch, body_findings, claimed_bot, read_bot_text, shipped_bots};
use crate::ids::{AccountId, Time};
use crate::loop_state::HeadProgress;
use crate::policy::Policy;
use crate::snapshot_summary::BotStatus;
use crate::test_support::{LoopFixture, actor, comment};
use collie_fuzz::{Target, parts};

const WORDS: &[&str] = &[
    "rate limit",
    "quota",
    "Review skipped",
    "usage limit",
    "out of credits",
    "was not reviewed",
    "<!--",
    "-->",
    "auto-generated",
    "CodeRabbit",
    "coderabbitai",
    "sourcery-ai",
    "Copilot",
    "[bot]",
    "bot",
    "-",
    "0",
    "O",
    "l",
    "\n",
    "\r\n",
    " ",
    "%%%%\n",
    "é",
    "\u{200b}",
    "\u{130}",
    "ſ",
    "K",
    "please wait 12 minutes and 30 seconds",
    "2026-01-24T00:00:00Z",
    "LGTM",
];

/// A notice is one in either case and only near its begin; it is no review; and nobody is a bot but the bot's own account.
#[test]
fn bot_notices() {
    let target = Target {
        crate_folder: env!("CARGO_MANIFEST_DIR"),
        name: "bot_notices",
        words: WORDS,
        iterations: 1_500,
    };
    let bots: Vec<_> = shipped_bots()
        .iter()
        .map(|shipped| shipped.bot.clone())
        .collect();
    let policy = Policy {
        bots,
        ..Policy::default()
    };
    let fixture = LoopFixture::new();
    target.run(|bytes| {
        let [login, body] = parts::<2>(bytes);
        let login = login.trim();
        for bot in policy.bots.iter().filter(|bot| bot.reviews) {
            let read = read_bot_text(bot.id, &body, fixture.now);
            // Beyond its begin a text says nothing of what it is.
            let late = format!("{}{body}", "One more line of a review.\n".repeat(20));
            assert_eq!(read_bot_text(bot.id, &late, fixture.now), BotText::Review);
            if let BotText::Notice { until: Some(until) } = read {
                assert!(until.rfc3339().len() >= 20, "{body:?}");
            }
            for found in body_findings(bot.id, &body, &|_| None) {
                assert!(!found.title.is_empty() && found.title.chars().count() <= 160);
            }
        }
        for bot in &policy.bots {
            let own = actor(bot.id.0, login, true);
            assert!(claimed_bot(&policy, &own, &body).is_none(), "{login:?}");
        }
        let stranger = AccountId(1);
        assert!(policy.bots.iter().all(|bot| bot.id != stranger));
        let named = actor(stranger.0, login, true);
        let claimed = claimed_bot(&policy, &named, &body).map(|bot| bot.id);
        let louder = actor(stranger.0, &login.to_ascii_uppercase(), true);
        assert_eq!(
            claimed_bot(&policy, &louder, &body).map(|bot| bot.id),
            claimed,
            "{login:?}"
        );
        let same = policy
            .bots
            .iter()
            .find(|bot| bot.login.as_str().eq_ignore_ascii_case(login));
        assert!(same.is_none() || claimed.is_some(), "{login:?}");
        assert_status(&policy, &fixture, &body);
    });
}

/// How a bot stands that left just this comment.
fn assert_status(policy: &Policy, fixture: &LoopFixture, body: &str) {
    // One comment of the first bot, since the head appeared.
    let bot = &policy.bots[0];
    let mut snapshot = fixture.snapshot.clone();
    snapshot.comments = vec![comment(1, actor(bot.id.0, bot.login.as_str(), true), body)];
    snapshot.comments[0].created_at = fixture.now;
    let policy = Policy {
        expected_bots: [bot.id].into(),
        ..policy.clone()
    };
    let head = HeadProgress {
        seen_at: fixture.now,
        ..HeadProgress::default()
    };
    let watch = BotWatch {
        policy: &policy,
        head: &head,
        requests: &std::collections::BTreeMap::new(),
    };
    let views = watch.views(&snapshot, Time(fixture.now.0 + 1));
    let read = read_bot_text(bot.id, body, fixture.now);
    let status = views
        .iter()
        .find(|view| view.id == bot.id)
        .map(|view| &view.status);
    match status {
        Some(BotStatus::Reviewed) => assert_eq!(read, BotText::Review, "{body:?}"),
        Some(BotStatus::OutOfQuota { .. }) => {
            assert!(matches!(read, BotText::Notice { .. }), "{body:?}");
        }
        // Or it names another commit.
        Some(BotStatus::Waiting { .. }) => {}
        other => panic!("{other:?}"),
    }
}
