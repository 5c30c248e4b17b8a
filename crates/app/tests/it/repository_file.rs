//! `.collie.toml` key by key: what would widen has no effect, what tightens has (§12).

use collie_config::{Config, ConfigErrorKind, ConfigFileKind, ConfigLayer, Tightened, tighten};
use collie_core::ids::AccountId;
use collie_core::policy::{ReviewerKind, StageSpec, Strictness};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::PathBuf;

/// The user's file. What it leaves out has its default, which counts as the user's value too.
const USER: &str = r#"
max_pr_review_iterations = 4
ci_check_timeout = "20m"
external_bot_timeout = "10m"
poll_interval = "2m"
ready_poll_interval = "10m"
collect_failures_for = "4m"
no_checks_grace = "2m"
max_restarts = 10
session_retries = 2
allowed_users = ["ana", "ben"]
ignored_checks = ["flaky"]
expected_bots = ["coderabbitai"]
comment_threshold = 0.6
max_comments = 10
strictness = "balanced"
ignore_label = "collie:ignore"
[verify]
commands = ["make lint"]
[[stages]]
reviewers = ["rules", "@ana"]
"#;

const CODERABBIT: AccountId = AccountId(136_622_811);

/// What is decided of one key of the repository's file.
struct KeyCase {
    key: &'static str,
    check: fn(&KeyCase),
}

impl KeyCase {
    const fn new(key: &'static str, check: fn(&KeyCase)) -> Self {
        Self { key, check }
    }
}

fn layer(text: &str, kind: ConfigFileKind) -> ConfigLayer {
    ConfigLayer::from_toml("file", text, kind).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn resolve(user: &str) -> Config {
    let layer = layer(user, ConfigFileKind::User);
    Config::resolve(PathBuf::from("home"), &[layer]).expect("the user's file is sound")
}

fn tightened_over(user: &Config, text: &str) -> Tightened {
    let file = layer(text, ConfigFileKind::Repository);
    tighten(user, &file).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn tightened(text: &str) -> Tightened {
    tightened_over(&resolve(USER), text)
}

/// Of two values the stricter holds: one that widens changes nothing and is reported, one that tightens holds and is not.
#[track_caller]
fn stricter_holds<T: PartialEq + Debug>(
    key: &str,
    [wider, stricter]: [&str; 2],
    expected: T,
    value: impl Fn(&Tightened) -> T,
) {
    let user = tightened("");
    let widened = tightened(&format!("{key} = {wider}"));
    assert_eq!(value(&widened), value(&user), "{key} was widened");
    assert_eq!(widened.policy, user.policy, "{key} changes something else");
    // The former name of a key is reported by the present one.
    let name = key.replace("max_iterations", "max_pr_review_iterations");
    assert_eq!(widened.without_effect, BTreeSet::from([name]));
    let narrowed = tightened(&format!("{key} = {stricter}"));
    assert_eq!(value(&narrowed), expected, "{key} was not tightened");
    assert_ne!(value(&narrowed), value(&user), "{key} is no case");
    assert!(narrowed.without_effect.is_empty());
}

/// Whatever the repository says there changes nothing, and that is reported.
#[track_caller]
fn has_no_effect(key: &str, values: &[&str]) {
    for value in values {
        let said = tightened(&format!("{key} = {value}"));
        assert_eq!(said.policy, tightened("").policy, "{key} = {value}");
        assert_eq!(said.without_effect, BTreeSet::from([key.to_owned()]));
    }
}

/// The key is the user's alone: the file that has it is wrong.
#[track_caller]
fn is_refused(text: &str) {
    let read = ConfigLayer::from_toml(".collie.toml", text, ConfigFileKind::Repository);
    let error = read.expect_err(text);
    let refused = |kind: &ConfigErrorKind| {
        matches!(
            kind,
            ConfigErrorKind::UserFileOnly
                | ConfigErrorKind::UserFileOnlyBots
                | ConfigErrorKind::UserFileOnlyRepositories
                | ConfigErrorKind::UserFileOnlyDesktop
                | ConfigErrorKind::UserFileOnlyModels
                | ConfigErrorKind::HumanApprovalDisabled
                | ConfigErrorKind::AutoMergeEnabled
        )
    };
    assert!(refused(&error.problems[0].kind), "{text}: {error:?}");
}

fn panel(stages: &[StageSpec]) -> Vec<Vec<&str>> {
    stages
        .iter()
        .map(|stage| {
            stage
                .reviewers
                .iter()
                .map(|seat| seat.name.as_str())
                .collect()
        })
        .collect()
}

fn minutes(ms: u64) -> u64 {
    ms / 60_000
}

const CASES: &[KeyCase] = &[
    KeyCase::new("max_pr_review_iterations", |case| {
        stricter_holds(case.key, ["50", "2"], 2, |t| t.policy.max_iterations);
    }),
    KeyCase::new("max_iterations", |case| {
        stricter_holds(case.key, ["50", "2"], 2, |t| t.policy.max_iterations);
    }),
    KeyCase::new("ci_check_timeout", |case| {
        stricter_holds(case.key, ["\"9h\"", "\"5m\""], 5, |t| {
            minutes(t.policy.ci_timeout_ms)
        });
    }),
    KeyCase::new("external_bot_timeout", |case| {
        stricter_holds(case.key, ["\"9h\"", "\"5m\""], 5, |t| {
            minutes(t.policy.bot_timeout_ms)
        });
    }),
    KeyCase::new("poll_interval", |case| {
        stricter_holds(case.key, ["\"15s\"", "\"5m\""], 5, |t| {
            minutes(t.policy.poll_interval_ms)
        });
    }),
    KeyCase::new("ready_poll_interval", |case| {
        stricter_holds(case.key, ["\"15s\"", "\"30m\""], 30, |t| {
            minutes(t.policy.ready_poll_interval_ms)
        });
    }),
    KeyCase::new("collect_failures_for", |case| {
        stricter_holds(case.key, ["\"1ms\"", "\"9m\""], 9, |t| {
            minutes(t.policy.red_collect_ms)
        });
    }),
    KeyCase::new("no_checks_grace", |case| {
        stricter_holds(case.key, ["\"1ms\"", "\"9m\""], 9, |t| {
            minutes(t.policy.no_checks_grace_ms)
        });
    }),
    KeyCase::new("max_restarts", |case| {
        stricter_holds(case.key, ["100", "3"], 3, |t| t.policy.max_restarts);
    }),
    KeyCase::new("session_retries", |case| {
        stricter_holds(case.key, ["5", "1"], 1, |t| t.policy.session_retries);
    }),
    KeyCase::new("comment_threshold", |case| {
        stricter_holds(case.key, ["0.99", "0.3"], 300, |t| {
            t.policy.comment_threshold
        });
    }),
    KeyCase::new("max_comments", |case| {
        stricter_holds(case.key, ["50", "3"], 3, |t| t.policy.max_comments);
    }),
    KeyCase::new("strictness", |case| {
        let strict = Strictness::Strict;
        stricter_holds(case.key, ["\"permissive\"", "\"strict\""], strict, |t| {
            t.policy.strictness
        });
    }),
    KeyCase::new("unseen", |case| {
        use collie_core::policy::UnseenPolicy::{Block, Tell};
        let over = |user: &str, file: &str| {
            let user = resolve(&format!("unseen = \"{user}\""));
            let held = tightened_over(&user, &format!("{} = \"{file}\"", case.key));
            (held.policy.unseen, held.without_effect.len())
        };
        assert_eq!(
            over("block", "tell"),
            (Block, 1),
            "a repository never widens"
        );
        assert_eq!(over("tell", "block"), (Block, 0));
        assert_eq!(over("tell", "tell"), (Tell, 0));
    }),
    KeyCase::new("merge_base", |case| {
        use collie_core::policy::BaseMerging::{Agent, Clean, Off};
        let over = |user: &str, file: &str| {
            let user = resolve(&format!("merge_base = \"{user}\""));
            let held = tightened_over(&user, &format!("{} = \"{file}\"", case.key));
            (held.policy.merge_base, held.without_effect.len())
        };
        assert_eq!(over("off", "agent"), (Off, 1), "a repository never widens");
        assert_eq!(over("clean", "agent"), (Clean, 1));
        assert_eq!(over("agent", "clean"), (Clean, 0));
        assert_eq!(over("agent", "agent"), (Agent, 0));
    }),
    KeyCase::new("autonomy", |case| {
        let over = |user: &str, file: &str| {
            let user = resolve(&format!("autonomy = {user:?}"));
            let held = tightened_over(&user, &format!("{} = {file:?}", case.key));
            (held.policy.max_autonomy.name(), held.without_effect.len())
        };
        assert_eq!(over("observe", "push"), ("observe", 1));
        assert_eq!(over("push", "ask"), ("ask", 0));
        assert_eq!(over("ask", "ask"), ("ask", 0));
    }),
    KeyCase::new("fix", |case| {
        let over = |user: &str, file: &str| {
            let user = resolve(&format!("fix = {user}"));
            let held = tightened_over(&user, &format!("{} = {file}", case.key));
            (held.policy.fix, held.without_effect.len())
        };
        assert_eq!(
            over("false", "true"),
            (false, 1),
            "a repository never widens"
        );
        assert_eq!(over("true", "false"), (false, 0));
        assert_eq!(over("true", "true"), (true, 0));
    }),
    KeyCase::new("fix_suggestions", |case| {
        let over = |user: &str, file: &str| {
            let user = resolve(&format!("fix_suggestions = {user}"));
            let held = tightened_over(&user, &format!("{} = {file}", case.key));
            (held.policy.fix_suggestions, held.without_effect.len())
        };
        assert_eq!(
            over("false", "true"),
            (false, 1),
            "a repository never widens"
        );
        assert_eq!(over("true", "false"), (false, 0));
    }),
    KeyCase::new("ignored_checks", |case| {
        has_no_effect(case.key, &["[\"build\"]", "[\"flaky\", \"build\"]", "[]"]);
    }),
    KeyCase::new("allowed_users", |case| {
        has_no_effect(case.key, &["[\"mallory\"]", "[\"ana\"]", "[]"]);
    }),
    KeyCase::new("expected_bots", |case| {
        for dropped in ["[]", "[\"coderabbitai\"]"] {
            let same = tightened(&format!("{} = {dropped}", case.key));
            assert_eq!(same.policy, tightened("").policy);
        }
        let more = tightened(&format!("{} = [\"cursor\"]", case.key));
        assert!(more.policy.expected_bots.contains(&CODERABBIT));
        assert_eq!(more.policy.expected_bots.len(), 2);
    }),
    KeyCase::new("ignore_label", |case| {
        let more = tightened(&format!("{} = \"hands-off\"", case.key));
        assert_eq!(more.policy.ignore_label, "collie:ignore");
        let labels = BTreeSet::from(["hands-off".to_owned()]);
        assert_eq!(more.policy.more_ignore_labels, labels);
    }),
    KeyCase::new("budget", |_| {
        // The user's own limit is asked for when something is to be spent: what holds is the stricter of both, whatever this says.
        let user = resolve("[budget]\nper_pull_request_usd = 5\nper_day_usd = 20");
        let said = |text: &str| tightened_over(&user, &format!("[budget]\n{text}"));
        let fewer = said("per_pull_request_usd = 2.5");
        assert_eq!(fewer.policy.budget.cost_micros, Some(2_500_000));
        assert!(fewer.without_effect.is_empty());
        let more = said("per_pull_request_usd = 50");
        let own = user.budget.pull_request.tightened_by(more.policy.budget);
        assert_eq!(own, user.budget.pull_request, "a repository never widens");
        assert_eq!(
            more.without_effect,
            BTreeSet::from(["budget.per_pull_request_usd".to_owned()])
        );
        let first = said("per_pull_request_tokens = 100000");
        assert_eq!(first.policy.budget.tokens, Some(100_000));
        assert!(first.without_effect.is_empty(), "the user has none");
    }),
    KeyCase::new("verify", |_| {
        let dropped = tightened("[verify]\ncommands = []");
        assert_eq!(dropped.verify, ["make lint"]);
        let more = tightened("[verify]\ncommands = [\"make lint\", \"make test\"]");
        assert_eq!(more.verify, ["make lint", "make test"]);
    }),
    KeyCase::new("stages", |_| {
        let user: &[&str] = &["rules", "ana"];
        for dropped in ["stages = []", "[[stages]]\nreviewers = [\"rules\"]"] {
            assert_eq!(panel(&tightened(dropped).policy.stages), [user]);
        }
        let more = "[[stages]]\nreviewers = [\"sam\", \"rules\"]\n[[stages]]\nreviewers = [\"@Ana\", \"@ben\"]";
        let more = tightened(more).policy.stages;
        assert_eq!(panel(&more), [user, &["sam"], &["ben"]]);
        assert_eq!(more[2].reviewers[0].kind, ReviewerKind::Human);
    }),
    KeyCase::new("require_human_approval", |_| {
        is_refused("require_human_approval = false");
        assert_eq!(tightened("require_human_approval = true"), tightened(""));
    }),
    KeyCase::new("auto_merge", |_| {
        is_refused("auto_merge = true");
        assert_eq!(tightened("auto_merge = false"), tightened(""));
    }),
];

#[test]
fn a_repository_prepares_with_hosts_of_the_users_and_no_others() {
    let user = resolve(
        "[verify]\nprepare = \"make deps\"\nprepare_hosts = [\"r.example\", \"*.npmjs.org\"]",
    );
    let prepared = |file: &str| {
        let found = tightened_over(&user, &format!("[verify]\n{file}"));
        let (command, hosts) = found.prepare.unzip();
        let hosts: Vec<String> = hosts.iter().flatten().map(ToString::to_string).collect();
        (
            command.unwrap_or_default(),
            hosts.join(" "),
            found.without_effect.len(),
        )
    };
    for (file, command, hosts, refused) in [
        ("", "", "", 0),
        (
            "prepare = \"npm ci\"",
            "npm ci",
            "r.example:443 *.npmjs.org:443",
            0,
        ),
        ("prepare = \"npm ci\"\nprepare_hosts = []", "npm ci", "", 0),
        (
            "prepare = \"npm ci\"\nprepare_hosts = [\"registry.npmjs.org\"]",
            "npm ci",
            "registry.npmjs.org:443",
            0,
        ),
        (
            "prepare = \"npm ci\"\nprepare_hosts = [\"evil.org\", \"r.example\"]",
            "npm ci",
            "r.example:443",
            1,
        ),
        (
            "prepare = \"npm ci\"\nprepare_hosts = [\"*.org\", \"r.example:80\"]",
            "npm ci",
            "",
            1,
        ),
        ("prepare = \"make deps\"", "", "", 0),
        ("prepare_hosts = [\"evil.org\"]", "", "", 1),
    ] {
        let expect = (command.to_owned(), hosts.to_owned(), refused);
        assert_eq!(prepared(file), expect, "{file}");
    }
    for text in [
        "commands = [\"[prepare evil.org] true\"]",
        "prepare_hosts = [\"https://a/b\"]",
    ] {
        let text = format!("[verify]\n{text}");
        let read = ConfigLayer::from_toml("file", &text, ConfigFileKind::Repository);
        assert!(read.is_err(), "{text}");
    }
}

/// Keys of the user's file that a repository's may not have.
const REFUSED: &[&str] = &[
    "slots = 9",
    "language = \"fr\"",
    "github_api_url = \"http://evil\"",
    "[[bots]]\nid = 1\nlogin = \"x\"",
    "[[repositories]]\nname = \"a/b\"",
    "[desktop]\ntheme = \"dark\"",
    "[disk]\ncheckout_mb = 1000000",
    "[runners]\nfixes = true",
    "[budget]\nper_day_usd = 1",
    "[budget]\ntotal_tokens = 1000",
    "[llm]\nmodel = \"x\"",
    "[agents.x]\ncommand = \"x\"",
    "[reviewers.quinn]\nruns_on = \"llm\"",
    "[fixer]\nruns_on = \"rules\"",
];

#[test]
fn each_key_only_tightens() {
    for case in CASES {
        (case.check)(case);
    }
    for text in REFUSED {
        is_refused(text);
    }
}

#[test]
fn every_key_of_the_file_is_decided() {
    let (_, problems) = ConfigLayer::parse_lenient(
        ".collie.toml",
        "zzzzzzzzzzzz = 1",
        ConfigFileKind::Repository,
    );
    let Some(ConfigErrorKind::UnknownKey(known)) = problems.first().map(|p| &p.kind) else {
        panic!("{problems:?}");
    };
    let known: BTreeSet<&str> = known.iter().copied().collect();
    let decided: BTreeSet<&str> = CASES.iter().map(|case| case.key).collect();
    assert_eq!(known, decided);
}

#[test]
fn a_default_counts_as_the_users_value() {
    let user = resolve("allowed_users = [\"ana\"]");
    let wider =
        "max_comments = 50\ncomment_threshold = 0.99\nci_check_timeout = \"9h\"\nstages = []";
    assert_eq!(tightened_over(&user, wider).policy, user.policy);
    // With a model set up Quinn reads by default: a repository's panel of rules does not send her away.
    let user = resolve("[llm]\nprovider = \"ollama\"\nmodel = \"m\"");
    let rules = tightened_over(&user, "[[stages]]\nreviewers = [\"rules\"]");
    assert_eq!(panel(&rules.policy.stages), [["quinn", "rules"]]);
}
