//! Configuration files, tried with texts that nobody would write.

use crate::{Config, ConfigFileKind, ConfigLayer, tighten};
use collie_core::policy::Policy;
use collie_fuzz::{Target, parts};
use std::path::PathBuf;

const WORDS: &[&str] = &[
    "\n",
    " = ",
    "\"",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    ",",
    "#",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "20",
    "0.7",
    "1e400",
    "nan",
    "\"30m\"",
    "\"500ms\"",
    "\"18446744073709551615h\"",
    "\"0s\"",
    "'''",
    "\"\"\"",
    "\\u0000",
    "\u{202e}",
    "é",
    "%%%%\n",
    "max_pr_review_iterations",
    "ci_check_timeout",
    "external_bot_timeout",
    "poll_interval",
    "ready_poll_interval",
    "collect_failures_for",
    "no_checks_grace",
    "max_restarts",
    "session_retries",
    "comment_threshold",
    "max_comments",
    "strictness",
    "fix = false\n",
    "fix_suggestions = true\n",
    "linters = false\n",
    "\"strict\"",
    "\"permissive\"",
    "ignored_checks",
    "expected_bots",
    "ignore_label",
    "allowed_users",
    "[verify]\ncommands",
    "[[stages]]\nreviewers",
    "{ name = \"quinn\", kind = \"agent\" }",
    "{ name = \"ana\", kind = \"human\" }",
    "[llm]\nprovider",
    "slots",
    "auto_merge",
    "language",
    "linters",
    "[fixer]\n",
    "[[repositories]]\nname",
    "[agents.x]\ncommand",
];

fn target(name: &'static str, iterations: u32) -> Target {
    Target {
        crate_folder: env!("CARGO_MANIFEST_DIR"),
        name,
        words: WORDS,
        iterations,
    }
}

/// What is wrong stands on a line of the file, and is said in words that steer nothing.
#[test]
fn config_files() {
    target("config_files", 1_500).run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let lines = text.matches('\n').count() + 1;
        for kind in [ConfigFileKind::User, ConfigFileKind::Repository] {
            let (layer, problems) = ConfigLayer::parse_lenient("config.toml", &text, kind);
            for problem in &problems {
                let line = problem.line.expect("a file has lines");
                assert!((1..=lines).contains(&line), "{problem:?}");
            }
            let strict = ConfigLayer::from_toml("config.toml", &text, kind);
            assert_eq!(strict.is_ok(), problems.is_empty());
            if kind == ConfigFileKind::Repository {
                assert_eq!(
                    (layer.slots, layer.repositories, layer.agents.len()),
                    (None, None, 0)
                );
            }
            let _ = ConfigLayer::from_bytes("config.toml", bytes, kind);
        }
    });
}

/// Each value of `own` that `tight` changed is stricter.
fn assert_tighter(own: &Policy, tight: &Policy) {
    let least = [
        (
            u64::from(own.max_iterations),
            u64::from(tight.max_iterations),
        ),
        (own.ci_timeout_ms, tight.ci_timeout_ms),
        (own.bot_timeout_ms, tight.bot_timeout_ms),
        (u64::from(own.max_restarts), u64::from(tight.max_restarts)),
        (
            u64::from(own.session_retries),
            u64::from(tight.session_retries),
        ),
        (u64::from(own.max_comments), u64::from(tight.max_comments)),
        (
            u64::from(own.comment_threshold),
            u64::from(tight.comment_threshold),
        ),
    ];
    assert!(least.iter().all(|(own, tight)| tight <= own), "{least:?}");
    let greatest = [
        (own.strictness as u64, tight.strictness as u64),
        (own.poll_interval_ms, tight.poll_interval_ms),
        (own.ready_poll_interval_ms, tight.ready_poll_interval_ms),
        (own.red_collect_ms, tight.red_collect_ms),
        (own.no_checks_grace_ms, tight.no_checks_grace_ms),
    ];
    assert!(
        greatest.iter().all(|(own, tight)| tight >= own),
        "{greatest:?}"
    );
    assert_joined(own, tight);
}

/// What is the user's alone is the same, and lists only grew.
fn assert_joined(own: &Policy, tight: &Policy) {
    let same = |policy: &Policy| {
        let Policy {
            missing_grace_ms,
            gone_ms,
            max_turns,
            ..
        } = *policy;
        let Policy {
            ignored_checks,
            bots,
            allowed_users,
            ignore_label,
            ..
        } = policy.clone();
        (
            missing_grace_ms,
            gone_ms,
            max_turns,
            ignored_checks,
            bots,
            allowed_users,
            ignore_label,
        )
    };
    assert_eq!(same(own), same(tight));
    assert!(tight.expected_bots.is_superset(&own.expected_bots));
    assert!(
        tight
            .more_ignore_labels
            .is_superset(&own.more_ignore_labels)
    );
    assert!(tight.stages.len() >= own.stages.len());
    for (own, tight) in own.stages.iter().zip(&tight.stages) {
        let names = |stage: &collie_core::policy::StageSpec| {
            let seats = stage.reviewers.iter();
            seats
                .map(|seat| (seat.kind, seat.name.clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(own), names(tight));
    }
}

/// A repository's file never loosens what the user set; laid on twice, it does the same.
#[test]
fn tightening() {
    target("tightening", 250).run(|bytes| {
        let [user, repository] = parts::<2>(bytes);
        let (user, _) = ConfigLayer::parse_lenient("config.toml", &user, ConfigFileKind::User);
        let (file, _) =
            ConfigLayer::parse_lenient(".collie.toml", &repository, ConfigFileKind::Repository);
        let Ok(config) = Config::resolve(PathBuf::from("/home"), &[user]) else {
            return;
        };
        let Ok(tightened) = tighten(&config, &file) else {
            return;
        };
        assert_tighter(&config.policy, &tightened.policy);
        assert!(tightened.verify.starts_with(&config.verify));
        let mut twice = config.clone();
        (twice.policy, twice.verify) = (tightened.policy.clone(), tightened.verify.clone());
        let again = tighten(&twice, &file).expect("it was read once");
        assert_eq!(
            (again.policy, again.verify),
            (tightened.policy, tightened.verify)
        );
    });
}
