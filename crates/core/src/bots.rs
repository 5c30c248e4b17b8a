//! Review bots (§3.4): known by account, never by name.
//!
//! Those that Collie ships with stand in `bots.json`, and nowhere else: settings offer them, quoted text cannot command them, and the local
//! forge has their accounts.

use crate::ci::{CheckOutcome, check_outcome};
use crate::ids::{AccountId, Sha, Time};
use crate::policy::{KnownBot, Policy};
use crate::snapshot::{Actor, Comment, Snapshot};
use crate::snapshot_summary::{BotStatus, BotView};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A bot that Collie ships with.
#[derive(Debug, Deserialize)]
pub struct ShippedBot {
    /// Its entry in the registry.
    #[serde(flatten)]
    pub bot: KnownBot,
    /// Other names that it answers to in a comment.
    #[serde(default)]
    pub aliases: Vec<String>,
}

static SHIPPED_BOTS: LazyLock<Vec<ShippedBot>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("bots.json")).expect("the shipped bots are read by a test")
});

/// The bots that Collie ships with.
pub fn shipped_bots() -> &'static [ShippedBot] {
    &SHIPPED_BOTS
}

/// The registry entry of an account.
pub fn find_bot<'a>(policy: &'a Policy, actor: &Actor) -> Option<&'a KnownBot> {
    policy.bots.iter().find(|bot| bot.id == actor.id)
}

fn normalized_name(name: &str) -> String {
    let low = name.to_ascii_lowercase();
    let plain: String = low.chars().filter(char::is_ascii_alphanumeric).collect();
    plain.strip_suffix("bot").unwrap_or(&plain).to_string()
}

/// The bot that a comment claims to be from, when its account is another one's.
///
/// A claim is a look-alike login, or the hidden signature line that the bots put on their comments.
pub fn claimed_bot<'a>(policy: &'a Policy, comment: &Comment) -> Option<&'a KnownBot> {
    let author = comment.author.as_ref()?;
    if find_bot(policy, author).is_some() {
        return None;
    }
    let login = normalized_name(author.login.as_str());
    let looks_like = |bot: &&KnownBot| {
        let name = normalized_name(bot.login.as_str());
        name.len() >= 5
            && (login == name || (name.len() >= 8 && strsim::levenshtein(&login, &name) <= 1))
    };
    let signed_as = |bot: &&KnownBot| {
        comment.body.to_ascii_lowercase().lines().any(|line| {
            line.trim_start().starts_with("<!--")
                && line.contains("auto-generated")
                && normalized_name(line).contains(&normalized_name(bot.name.as_str()))
        })
    };
    policy
        .bots
        .iter()
        .find(looks_like)
        .or_else(|| policy.bots.iter().find(signed_as))
}

/// Whether a text says that nothing was reviewed: quota, rate limit, skipped.
pub fn is_skip_notice(body: &str) -> bool {
    const SIGNS: [&str; 10] = [
        "rate limit",
        "ratelimit",
        "quota",
        "review skipped",
        "skipped review",
        "auto reviews are disabled",
        "review limit",
        "usage limit",
        "out of credits",
        "was not reviewed",
    ];
    let low: String = body
        .chars()
        .take(4_000)
        .collect::<String>()
        .to_ascii_lowercase();
    SIGNS.iter().any(|sign| low.contains(sign))
}

/// What a bot left on a head.
enum BotActivity {
    Nothing,
    Review,
    Notice,
}

/// GitHub writes whole seconds; a clock of ours does not.
fn whole_seconds(time: Time) -> i64 {
    time.0.div_euclid(1_000)
}

fn bot_activity(
    snapshot: &Snapshot,
    bot: AccountId,
    head: &Sha,
    head_seen_at: Time,
) -> BotActivity {
    let by = |author: &Option<Actor>| author.as_ref().is_some_and(|a| a.id == bot);
    let reviews = snapshot
        .reviews
        .iter()
        .filter(|r| by(&r.author) && r.commit.as_ref() == Some(head))
        .map(|r| r.body.as_str());
    let inline = snapshot
        .threads
        .iter()
        .flat_map(|t| &t.comments)
        .filter(|c| by(&c.author) && c.commit.as_ref() == Some(head))
        .map(|c| c.body.as_str());
    // A conversation comment names no commit: one written since this head appeared is about it.
    let conversation = snapshot
        .comments
        .iter()
        .filter(|c| by(&c.author) && whole_seconds(c.created_at) >= whole_seconds(head_seen_at))
        .map(|c| c.body.as_str());
    let checks = snapshot
        .checks
        .iter()
        .filter(|c| {
            by(&c.reporter)
                && matches!(
                    check_outcome(c),
                    CheckOutcome::Passed | CheckOutcome::Failed
                )
        })
        .filter_map(|c| c.summary.as_deref());
    let mut notice = false;
    for body in inline.chain(reviews).chain(conversation).chain(checks) {
        match (body.trim().is_empty(), is_skip_notice(body)) {
            (true, _) => {}
            (false, true) => notice = true,
            (false, false) => return BotActivity::Review,
        }
    }
    if notice {
        BotActivity::Notice
    } else {
        BotActivity::Nothing
    }
}

/// How every bot stands that is expected here or has left something.
pub fn bot_views(
    snapshot: &Snapshot,
    policy: &Policy,
    head_seen_at: Time,
    now: Time,
) -> Vec<BotView> {
    let until = head_seen_at.plus(policy.bot_timeout_ms);
    let mut expected: BTreeSet<AccountId> = policy.expected_bots.clone();
    // Seen reviewing this pull request before: expected on the next head too.
    let authors = snapshot.reviews.iter().filter_map(|r| r.author.as_ref());
    let seen: BTreeSet<AccountId> = authors.map(|a| a.id).collect();
    expected.extend(
        policy
            .bots
            .iter()
            .filter(|b| b.reviews && seen.contains(&b.id))
            .map(|b| b.id),
    );
    let view = |bot: &KnownBot| {
        let is_expected = expected.contains(&bot.id);
        let status = match bot_activity(snapshot, bot.id, &snapshot.head, head_seen_at) {
            BotActivity::Review => BotStatus::Reviewed,
            BotActivity::Notice => BotStatus::OutOfQuota { until: None },
            BotActivity::Nothing if !is_expected => return None,
            BotActivity::Nothing if now >= until => BotStatus::TimedOut,
            BotActivity::Nothing => BotStatus::Waiting { until },
        };
        Some(BotView {
            login: bot.login.clone(),
            id: bot.id,
            verified: true,
            status,
        })
    };
    policy
        .bots
        .iter()
        .filter(|bot| bot.reviews)
        .filter_map(view)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::neutralize_markdown;

    #[test]
    fn each_shipped_bot_is_an_account_of_its_own_and_quoted_text_commands_none() {
        let bots = shipped_bots();
        let ids: BTreeSet<_> = bots.iter().map(|shipped| shipped.bot.id).collect();
        assert_eq!((bots.len(), ids.len()), (13, 13));
        for shipped in bots {
            assert!(!shipped.bot.login.as_str().ends_with("[bot]"));
            let aliases = shipped.aliases.iter().map(String::as_str);
            for name in aliases.chain([shipped.bot.login.as_str()]) {
                assert_eq!(
                    neutralize_markdown(&format!("@{name} review")),
                    format!("`@{name}` · review")
                );
            }
        }
    }
}
