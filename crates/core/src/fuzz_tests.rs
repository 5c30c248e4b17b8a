//! What bots leave, tried with notices that none of them writes.

use crate::bots::{bot_views, claimed_bot, is_skip_notice, shipped_bots};
use crate::ids::{AccountId, Time};
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
        let is_notice = is_skip_notice(&body);
        assert_eq!(
            is_skip_notice(&body.to_ascii_uppercase()),
            is_notice,
            "{body:?}"
        );
        assert!(is_skip_notice(&format!("Quota. {body}")));
        let late = format!("{}{body}", " ".repeat(4_000));
        assert!(!is_skip_notice(&late));
        for bot in &policy.bots {
            let own = comment(1, actor(bot.id.0, login, true), &body);
            assert!(claimed_bot(&policy, &own).is_none(), "{login:?}");
        }
        let stranger = AccountId(1);
        assert!(policy.bots.iter().all(|bot| bot.id != stranger));
        let named = comment(1, actor(stranger.0, login, true), &body);
        let claimed = claimed_bot(&policy, &named).map(|bot| bot.id);
        let louder = comment(
            1,
            actor(stranger.0, &login.to_ascii_uppercase(), true),
            &body,
        );
        assert_eq!(
            claimed_bot(&policy, &louder).map(|bot| bot.id),
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
    let is_notice = is_skip_notice(body);
    // One comment of the first bot, since the head appeared.
    let bot = &policy.bots[0];
    let mut snapshot = fixture.snapshot.clone();
    snapshot.comments = vec![comment(1, actor(bot.id.0, bot.login.as_str(), true), body)];
    snapshot.comments[0].created_at = fixture.now;
    let policy = Policy {
        expected_bots: [bot.id].into(),
        ..policy.clone()
    };
    let views = bot_views(&snapshot, &policy, fixture.now, Time(fixture.now.0 + 1));
    let status = views
        .iter()
        .find(|view| view.id == bot.id)
        .map(|view| &view.status);
    match status {
        Some(BotStatus::Reviewed) => assert!(!is_notice && !body.trim().is_empty(), "{body:?}"),
        Some(BotStatus::OutOfQuota { .. }) => assert!(is_notice, "{body:?}"),
        Some(BotStatus::Waiting { .. }) => assert!(body.trim().is_empty(), "{body:?}"),
        other => panic!("{other:?}"),
    }
}
