//! Review bots (§3.4): known by account, never by name.

use crate::ci::{Standing, standing};
use crate::ids::{AccountId, Sha, Time};
use crate::model::{BotStatus, BotView};
use crate::policy::{KnownBot, Policy};
use crate::snapshot::{Actor, Comment, Snapshot};
use std::collections::BTreeSet;

/// The registry entry of an account.
pub fn known<'a>(policy: &'a Policy, actor: &Actor) -> Option<&'a KnownBot> {
    policy.bots.iter().find(|bot| bot.id == actor.id)
}

fn folded(name: &str) -> String {
    let low = name.to_ascii_lowercase();
    let plain: String = low.chars().filter(char::is_ascii_alphanumeric).collect();
    plain.strip_suffix("bot").unwrap_or(&plain).to_string()
}

/// The bot that a comment claims to be from, when its account is another one's.
///
/// A claim is a look-alike login, or the hidden signature line that the bots put on their comments.
pub fn claimed<'a>(policy: &'a Policy, comment: &Comment) -> Option<&'a KnownBot> {
    let author = comment.author.as_ref()?;
    if known(policy, author).is_some() {
        return None;
    }
    let login = folded(author.login.as_str());
    let looks_like = |bot: &&KnownBot| {
        let name = folded(bot.login.as_str());
        name.len() >= 5
            && (login == name || (name.len() >= 8 && strsim::levenshtein(&login, &name) <= 1))
    };
    let signed_as = |bot: &&KnownBot| {
        comment.body.to_ascii_lowercase().lines().any(|line| {
            line.trim_start().starts_with("<!--")
                && line.contains("auto-generated")
                && folded(line).contains(&folded(bot.name.as_str()))
        })
    };
    policy
        .bots
        .iter()
        .find(looks_like)
        .or_else(|| policy.bots.iter().find(signed_as))
}

/// Whether a text says that nothing was reviewed: quota, rate limit, skipped.
pub fn is_notice(body: &str) -> bool {
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
enum Left {
    Nothing,
    Review,
    Notice,
}

/// GitHub writes whole seconds; a clock of ours does not.
fn second(time: Time) -> i64 {
    time.0.div_euclid(1_000)
}

fn left(snapshot: &Snapshot, bot: AccountId, head: &Sha, head_seen_at: Time) -> Left {
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
    let said = snapshot
        .comments
        .iter()
        .filter(|c| by(&c.author) && second(c.created_at) >= second(head_seen_at))
        .map(|c| c.body.as_str());
    let checks = snapshot
        .checks
        .iter()
        .filter(|c| by(&c.reporter) && matches!(standing(c), Standing::Passed | Standing::Failed))
        .filter_map(|c| c.summary.as_deref());
    let mut notice = false;
    for body in inline.chain(reviews).chain(said).chain(checks) {
        match (body.trim().is_empty(), is_notice(body)) {
            (true, _) => {}
            (false, true) => notice = true,
            (false, false) => return Left::Review,
        }
    }
    if notice { Left::Notice } else { Left::Nothing }
}

/// How every bot stands that is expected here or has left something.
pub fn views(snapshot: &Snapshot, policy: &Policy, head_seen_at: Time, now: Time) -> Vec<BotView> {
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
        let wanted = expected.contains(&bot.id);
        let status = match left(snapshot, bot.id, &snapshot.head, head_seen_at) {
            Left::Review => BotStatus::Reviewed,
            Left::Notice => BotStatus::OutOfQuota { until: None },
            Left::Nothing if !wanted => return None,
            Left::Nothing if now >= until => BotStatus::TimedOut,
            Left::Nothing => BotStatus::Waiting { until },
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
