//! What bots and CI leave, tried with texts that none of them writes.

use crate::bots::{BotText, BotWatch, body_findings, claimed_bot, read_bot_text, shipped_bots};
use crate::check_failures::{failures, first_error};
use crate::ids::{AccountId, Time};
use crate::loop_state::HeadProgress;
use crate::policy::Policy;
use crate::snapshot::{Check, CheckConclusion};
use crate::snapshot_summary::BotStatus;
use crate::test_support::{LoopFixture, actor, check, comment};
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

const BODY_WORDS: &[&str] = &[
    "\n",
    "\n\n",
    "> ",
    "   ",
    "- ",
    "1. ",
    "## ",
    "### ",
    "**",
    "`",
    "```",
    "````",
    "~~~",
    "<details>",
    "</details>",
    "<details><summary>",
    "<summary>",
    "</summary>",
    "<blockquote>",
    "</blockquote>",
    "<h3>",
    "</h3>",
    "<s>",
    "</s>",
    "<code>",
    "<!--",
    "-->",
    "🧹 Nitpick comments (1)",
    "⚠️ Outside diff range comments (2)",
    "♻️ Duplicate comments",
    "_⚠️ Potential issue_",
    "Comments suppressed due to low confidence (1)",
    "Comments Outside Diff (1)",
    "Additional Comments (1)",
    "PR Reviewer Guide",
    "PR Code Suggestions",
    "Code Review by Qodo",
    "src/a.rs (1)",
    "src/a.rs:1",
    "`12-14`: ",
    "`4294967296`: ",
    "[src/a.rs [1-2]]",
    "(164-165)",
    ", line 58",
    "[link](https://github.com/o/r/blob/abc/src/a.rs#L1-L2)",
    "https://github.com/o/r/blob/abc/src/a.rs#L1",
    "#diff-",
    "R1-R2",
    "alt=\"P1\"",
    "![critical](https://x/critical.svg)",
    "&lt;",
    "é",
    "\u{2028}",
    "\u{202e}",
    "\0",
];

/// Whatever a body looks like, what is read of it is a bounded number of findings with a short title, and none twice as long as the body.
#[test]
fn bot_bodies() {
    let target = Target {
        crate_folder: env!("CARGO_MANIFEST_DIR"),
        name: "bot_bodies",
        words: BODY_WORDS,
        iterations: 1_000,
    };
    let bots: Vec<AccountId> = shipped_bots()
        .iter()
        .map(|shipped| shipped.bot.id)
        .collect();
    let named_by_anchor = |anchor: &str| Some(format!("src/{}", &anchor[..8]));
    target.run(|bytes| {
        let body = String::from_utf8_lossy(bytes);
        for bot in &bots {
            let found = body_findings(*bot, &body, &named_by_anchor);
            assert!(found.len() <= 100, "{} findings", found.len());
            for finding in found {
                assert!(!finding.title.trim().is_empty(), "{finding:?}");
                assert!(finding.title.chars().count() <= 160, "{finding:?}");
                assert!(finding.text.chars().count() <= 3_000, "{finding:?}");
                assert!(!finding.file.contains('\n'), "{finding:?}");
                assert!(finding.last_line >= finding.line, "{finding:?}");
                assert_eq!(
                    finding.last_line.is_some(),
                    finding.line.is_some(),
                    "{finding:?}"
                );
            }
        }
    });
}

const LOG_WORDS: &[&str] = &[
    "\n",
    "\r\n",
    "\r",
    " ",
    "FAILED tests/test_a.py::test_b",
    "test a::b ... FAILED",
    "--- FAIL: TestA (0.00s)",
    "  ● a › b",
    "not ok 1 - a # time=1ms",
    "  1) test a (B)",
    "src/a.rs:1:2: error: b",
    "src/a.ts(1,2): error TS2304: b",
    "error[E0308]: mismatched types",
    "error: could not compile ",
    "error: -[A b] :",
    "  1:2  error  no  no-undef",
    "##[error]Process completed with exit code 1.",
    "Error: ",
    "panicked at",
    "0x7f",
    "1.2.3",
    "18446744073709551616",
    "\u{1b}[31m",
    "\u{1b}]8;;",
    "\u{7}",
    "é",
    "\u{2028}",
    "%%%%\n",
];

/// What failed is told in a bounded number of short names, never in none, and not otherwise when GitHub stamps each line with its time.
#[test]
fn check_logs() {
    let target = Target {
        crate_folder: env!("CARGO_MANIFEST_DIR"),
        name: "check_logs",
        words: LOG_WORDS,
        iterations: 1_500,
    };
    let failed = |log: String| Check {
        log_tail: Some(log),
        ..check("test", Some(CheckConclusion::Failure))
    };
    target.run(|bytes| {
        let log = String::from_utf8_lossy(bytes).into_owned();
        let stamped: Vec<String> = log
            .lines()
            .map(|line| format!("2026-01-24T00:00:00.1234567Z {line}"))
            .collect();
        let stamped = stamped.join("\n");
        let has_own_stamp = log.contains("Z ");
        if !has_own_stamp {
            assert_eq!(first_error(&log), first_error(&stamped));
        }
        let told = failures(&failed(log));
        assert!((1..=200).contains(&told.len()), "{} names", told.len());
        assert!(told.iter().all(|name| name.chars().count() <= 200));
        if !has_own_stamp {
            assert_eq!(told, failures(&failed(stamped)));
        }
    });
}
