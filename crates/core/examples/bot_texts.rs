//! Reads comments and reviews as GitHub's REST API tells them, and says what each text of a known bot is read as: its kind, the commit and
//! the time that it names, its severity, and the findings that it lists. At the end, how many distinct texts of each bot there were.
//!
//! `gh api --paginate repos/OWNER/REPO/issues/comments | cargo run -q -p collie-core --example bot_texts`

use collie_core::bots::{
    BotText, body_findings, bot_priority, is_thanks, named_commit, read_bot_text, shipped_bots,
};
use collie_core::ids::{AccountId, Time};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, stdin};

#[derive(Deserialize)]
struct Account {
    id: u64,
}

#[derive(Deserialize)]
struct Said {
    user: Option<Account>,
    #[serde(default)]
    body: Option<String>,
    html_url: String,
}

fn reading(bot: AccountId, said: &Said, body: &str) -> String {
    if said.html_url.contains("#discussion_r") {
        let thanks = if is_thanks(bot, body) { ", thanks" } else { "" };
        return format!("thread, {:?}{thanks}", bot_priority(bot, body));
    }
    let count = body_findings(bot, body, &|_| None).len();
    match read_bot_text(bot, body, Time(0)) {
        BotText::Review if count > 0 => "review with findings in its text".into(),
        BotText::Review => "review".into(),
        BotText::Notice { until: Some(_) } => "notice with a time".into(),
        BotText::Notice { until: None } => "notice".into(),
        BotText::Placeholder => "placeholder".into(),
        BotText::Remark => "remark".into(),
    }
}

/// The words of a text without what differs from one pull request to the next: addresses, commits, numbers.
fn words(body: &str) -> String {
    let words = body.split_whitespace();
    let words =
        words.filter(|word| !word.contains("://") && !word.contains(|c: char| c.is_ascii_digit()));
    words.collect::<Vec<_>>().join(" ")
}

/// What is read besides the kind.
fn print_details(bot: AccountId, said: &Said, body: &str) {
    if let Some(commit) = named_commit(bot, body) {
        println!("\tcommit {commit}");
    }
    if let BotText::Notice { until: Some(until) } = read_bot_text(bot, body, Time(0)) {
        println!("\tback after {} s", until.0 / 1_000);
    }
    let in_thread = said.html_url.contains("#discussion_r");
    if in_thread || read_bot_text(bot, body, Time(0)) != BotText::Review {
        return;
    }
    for finding in body_findings(bot, body, &|_| None) {
        let line = finding
            .line
            .map_or(String::new(), |line| format!(":{line}"));
        println!(
            "\t{:?} {}{line} {}",
            finding.priority, finding.file, finding.title
        );
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut input = String::new();
    stdin().read_to_string(&mut input)?;
    let mut counts: BTreeMap<(&str, String), u32> = BTreeMap::new();
    let mut distinct: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    // A list a page.
    for page in serde_json::Deserializer::from_str(&input).into_iter::<Vec<Said>>() {
        for said in page? {
            let bot = shipped_bots().iter().find(|shipped| {
                let author = said.user.as_ref();
                shipped.bot.reviews
                    && author.is_some_and(|user| AccountId(user.id) == shipped.bot.id)
            });
            let (Some(bot), Some(body)) = (bot, said.body.as_deref()) else {
                continue;
            };
            let read = reading(bot.bot.id, &said, body);
            println!("{}\t{read}\t{}", bot.bot.name, said.html_url);
            print_details(bot.bot.id, &said, body);
            distinct
                .entry(&bot.bot.name)
                .or_default()
                .insert(words(body));
            *counts.entry((&bot.bot.name, read)).or_default() += 1;
        }
    }
    for ((bot, read), count) in counts {
        println!("{count}\t{bot}: {read}");
    }
    for (bot, texts) in distinct {
        println!("{}\t{bot}: distinct texts", texts.len());
    }
    Ok(())
}
