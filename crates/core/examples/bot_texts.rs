//! Reads comments and reviews as GitHub's REST API tells them, and says what each text of a known bot is read as.
//!
//! `gh api --paginate repos/OWNER/REPO/issues/comments | cargo run -q -p collie-core --example bot_texts`

use collie_core::bots::{
    BotText, body_findings, bot_priority, is_thanks, read_bot_text, shipped_bots,
};
use collie_core::ids::{AccountId, Time};
use serde::Deserialize;
use std::collections::BTreeMap;
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut input = String::new();
    stdin().read_to_string(&mut input)?;
    let mut counts: BTreeMap<(&str, String), u32> = BTreeMap::new();
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
            *counts.entry((&bot.bot.name, read)).or_default() += 1;
        }
    }
    for ((bot, read), count) in counts {
        println!("{count}\t{bot}: {read}");
    }
    Ok(())
}
