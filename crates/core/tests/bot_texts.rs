//! What each known bot's texts are read as, held against cases from public threads (§3.4, §4.5).
//!
//! A case has the address of the thread where a text of its form stands, and words of our own around the few that the form needs.

use collie_core::bots::{
    BotText, body_findings, bot_priority, is_thanks, named_commit, read_bot_text, shipped_bots,
};
use collie_core::comments::opening_finding;
use collie_core::finding::Priority;
use collie_core::ids::{AccountId, Login, ThreadId, Time};
use collie_core::snapshot::{Actor, Comment, Thread};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// 2026-08-24, noon.
const WRITTEN: Time = Time(1_787_572_800_000);

/// Cases a bot; fewer would be no judge of how it writes. A form that was seen at several addresses is a case at each.
const FEWEST: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Reads {
    Review,
    Notice,
    Placeholder,
    Remark,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Review,
    Inline,
    Comment,
    Check,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// Where on the pull request it stands.
    kind: Kind,
    /// What it is read as.
    reads: Reads,
    /// The thread.
    address: String,
    /// Its lines.
    text: Vec<String>,
    /// Of a notice: how many seconds until the time that it names.
    until_s: Option<u64>,
    /// The commit that it names.
    commit: Option<String>,
    severity: Option<Priority>,
    /// Whether it is thanks under a disposition.
    #[serde(default)]
    thanks: bool,
    /// File, line and priority of each finding that it lists.
    findings: Option<Vec<(String, Option<u32>, Priority)>>,
    /// Changed files, for texts that name a file by its hash alone.
    #[serde(default)]
    files: Vec<String>,
}

impl Case {
    fn path_of(&self, anchor: &str) -> Option<String> {
        let is = |path: &&String| hex::encode(Sha256::digest(path.as_bytes())) == anchor;
        self.files.iter().find(is).cloned()
    }
}

/// The title of the finding that a thread with this text is.
fn title_in_thread(bot: AccountId, body: &str) -> String {
    let opening = Comment {
        id: 1,
        author: Some(Actor {
            id: bot,
            login: Login::new("bot"),
            is_bot: true,
        }),
        body: body.to_owned(),
        created_at: WRITTEN,
        updated_at: String::new(),
        commit: None,
    };
    let thread = Thread {
        id: ThreadId::new("T"),
        path: "src/lib.rs".into(),
        line: Some(1),
        resolved: false,
        resolved_by: None,
        outdated: false,
        comments: vec![opening],
    };
    opening_finding(&thread).expect("a finding").title
}

fn check(bot: AccountId, case: &Case) {
    let body = case.text.join("\n");
    let at = &case.address;
    let text = read_bot_text(bot, &body, WRITTEN);
    let (reads, until) = match text {
        BotText::Review => (Reads::Review, None),
        BotText::Notice { until } => (Reads::Notice, until),
        BotText::Placeholder => (Reads::Placeholder, None),
        BotText::Remark => (Reads::Remark, None),
    };
    assert_eq!(reads, case.reads, "{at}\n{body}");
    let seconds = until.map(|until| until.since(WRITTEN) / 1_000);
    assert_eq!(seconds, case.until_s, "{at}\n{body}");
    assert_eq!(named_commit(bot, &body), case.commit.as_deref(), "{at}");
    if case.thanks {
        assert!(is_thanks(bot, &body), "{at}");
    }
    if let Some(severity) = case.severity {
        assert_eq!(bot_priority(bot, &body), severity, "{at}\n{body}");
        assert!(!is_thanks(bot, &body), "{at}");
    }
    if case.kind == Kind::Inline {
        let title = title_in_thread(bot, &body);
        let is_word = title.starts_with(|c: char| c.is_alphanumeric() || c == '`');
        let marks = ["<", "![", "_ |", "**", "…"];
        let is_plain = is_word && !marks.iter().any(|mark| title.contains(mark));
        assert!(is_plain, "{at}: {title}\n{body}");
    }
    if let Some(expected) = &case.findings {
        let found = body_findings(bot, &body, &|anchor| case.path_of(anchor));
        let found: Vec<_> = found
            .into_iter()
            .map(|finding| (finding.file, finding.line, finding.priority))
            .collect();
        assert_eq!(&found, expected, "{at}\n{body}");
    }
    assert!(at.starts_with("https://github.com/"), "{at}");
}

fn check_file(login: &str, file: &str) {
    let cases: Vec<Case> = serde_json::from_str(file).expect("a list of cases");
    let mut shipped = shipped_bots().iter();
    let shipped = shipped
        .find(|shipped| shipped.bot.login.as_str() == login)
        .expect("a known bot");
    for case in &cases {
        check(shipped.bot.id, case);
    }
    let inline = cases.iter().filter(|case| case.kind == Kind::Inline);
    let addresses: BTreeSet<&str> = cases.iter().map(|case| case.address.as_str()).collect();
    let texts: BTreeSet<&Vec<String>> = cases.iter().map(|case| &case.text).collect();
    println!(
        "{}: {} cases of {} texts, {} of them in threads, from {} addresses",
        shipped.bot.name,
        cases.len(),
        texts.len(),
        inline.count(),
        addresses.len()
    );
    assert!(cases.len() >= FEWEST, "{login}: {}", cases.len());
}

macro_rules! bots {
    ($($name:ident: $login:literal in $file:literal,)*) => {
        $(
            #[test]
            fn $name() {
                check_file($login, include_str!(concat!("bot_texts/", $file)));
            }
        )*

        #[test]
        fn each_reviewing_bot_has_its_cases() {
            let known: BTreeSet<&str> = [$($login),*].into();
            let reviewing = shipped_bots().iter().filter(|shipped| shipped.bot.reviews);
            let logins: BTreeSet<&str> = reviewing.map(|shipped| shipped.bot.login.as_str()).collect();
            assert_eq!(known, logins);
        }
    };
}

bots! {
    coderabbit: "coderabbitai" in "coderabbit.json",
    cursor_bugbot: "cursor" in "cursor.json",
    copilot: "copilot-pull-request-reviewer" in "copilot.json",
    codex: "chatgpt-codex-connector" in "codex.json",
    gemini: "gemini-code-assist" in "gemini.json",
    greptile: "greptile-apps" in "greptile.json",
    sourcery: "sourcery-ai" in "sourcery.json",
    qodo: "qodo-merge-pro" in "qodo.json",
}
