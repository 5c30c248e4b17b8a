//! Review bots (§3.4): known by account, never by name.
//!
//! Those that Collie ships with stand in `bots.json`, and nowhere else: settings offer them, quoted text cannot command them, and the local
//! forge has their accounts.

use crate::ci::{CheckOutcome, check_outcome};
use crate::ids::{AccountId, Sha, Time};
use crate::loop_state::{BotRequest, HeadProgress};
use crate::policy::{KnownBot, Policy};
use crate::snapshot::{Actor, Check, Comment, ReviewVerdict, Snapshot};
use crate::snapshot_summary::{BotStatus, BotView};
use std::collections::{BTreeMap, BTreeSet};

pub use body_findings::{BodyFinding, PathOfAnchor, body_findings};
pub use reading::{BotText, bot_priority, is_thanks, named_commit, read_bot_text};
pub use registry::{ShippedBot, shipped_bots};

mod body_findings;
mod named_time;
mod pattern;
mod reading;
mod registry;

/// The registry entry of an account.
pub fn find_bot<'a>(policy: &'a Policy, actor: &Actor) -> Option<&'a KnownBot> {
    policy.bots.iter().find(|bot| bot.id == actor.id)
}

fn normalized_name(name: &str) -> String {
    let low = name.to_ascii_lowercase();
    let plain: String = low.chars().filter(char::is_ascii_alphanumeric).collect();
    plain.strip_suffix("bot").unwrap_or(&plain).to_string()
}

/// The bot that a text claims to be from, when its account is another one's.
///
/// A claim is a look-alike login, or the hidden signature line that the bots put on their comments.
pub fn claimed_bot<'a>(policy: &'a Policy, author: &Actor, body: &str) -> Option<&'a KnownBot> {
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
        body.to_ascii_lowercase().lines().any(|line| {
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

/// What a bot left on a head.
enum BotActivity {
    Nothing,
    Review,
    Notice { written: Time, until: Option<Time> },
}

/// GitHub writes whole seconds; a clock of ours does not.
fn whole_seconds(time: Time) -> i64 {
    time.0.div_euclid(1_000)
}

/// When a text was last edited, as GitHub wrote it; failing that, when it was written.
pub fn last_edited(updated_at: &str, created_at: Time) -> Time {
    let edited = updated_at.parse::<jiff::Timestamp>();
    edited.map_or(created_at, |at| Time(at.as_millisecond()).max(created_at))
}

/// When a head was there at the latest, by what GitHub shows of it: a run may see it long after that.
///
/// A check or review of the commit may be older than its place at this branch, so nothing counts from before `not_before`, the last
/// look that showed another head.
pub fn head_came_at(snapshot: &Snapshot, progress: &HeadProgress) -> Time {
    let head = Some(&snapshot.head);
    let checks = snapshot.checks.iter().filter_map(|c| c.completed_at);
    let reviews = snapshot.reviews.iter();
    let reviews = reviews.filter(|r| r.commit.as_ref() == head);
    let inline = snapshot.threads.iter().flat_map(|t| &t.comments);
    let inline = inline.filter(|c| c.commit.as_ref() == head);
    let traces = checks
        .chain(reviews.filter_map(|r| r.submitted_at))
        .chain(inline.map(|c| c.created_at));
    let earliest = traces.min().unwrap_or(progress.seen_at);
    let bound = progress.not_before.unwrap_or(earliest);
    earliest.max(bound).min(progress.seen_at)
}

/// Whether a comment of a bot is about a head: by the commit that it names, else by when it was last edited.
pub fn is_about_head(bot: AccountId, comment: &Comment, head: &Sha, head_came_at: Time) -> bool {
    match named_commit(bot, &comment.body) {
        Some(named) => head.as_str().starts_with(named) || named.starts_with(head.as_str()),
        None => {
            let edited = last_edited(&comment.updated_at, comment.created_at);
            whole_seconds(edited) >= whole_seconds(head_came_at)
        }
    }
}

/// Texts of a bot that are about a head, with when each was last edited. In a thread only what opened it says something of the change.
fn texts_on_head(snapshot: &Snapshot, bot: AccountId, head_came_at: Time) -> Vec<(&str, Time)> {
    let head = &snapshot.head;
    let by = |author: &Option<Actor>| author.as_ref().is_some_and(|a| a.id == bot);
    let reviews = snapshot
        .reviews
        .iter()
        .filter(|r| by(&r.author) && r.commit.as_ref() == Some(head))
        .map(|r| {
            let submitted = r.submitted_at.unwrap_or(head_came_at);
            (r.body.as_str(), last_edited(&r.updated_at, submitted))
        });
    let opening = snapshot.threads.iter().filter_map(|t| t.comments.first());
    let inline = opening
        .filter(|c| by(&c.author) && c.commit.as_ref() == Some(head))
        .map(|c| (c.body.as_str(), c.created_at));
    let conversation = snapshot
        .comments
        .iter()
        .filter(|c| by(&c.author) && is_about_head(bot, c, head, head_came_at))
        .map(|c| (c.body.as_str(), last_edited(&c.updated_at, c.created_at)));
    let is_done = |check: &Check| {
        matches!(
            check_outcome(check),
            CheckOutcome::Passed | CheckOutcome::Failed
        )
    };
    let checks = snapshot
        .checks
        .iter()
        .filter(|c| by(&c.reporter) && is_done(c))
        .filter_map(|c| {
            Some((
                c.summary.as_deref()?,
                c.completed_at.unwrap_or(head_came_at),
            ))
        });
    inline
        .chain(reviews)
        .chain(conversation)
        .chain(checks)
        .collect()
}

/// Whether a bot approved a head or asked for changes without a word: that says enough. Where it has words, these count.
fn gave_silent_verdict(snapshot: &Snapshot, bot: AccountId) -> bool {
    snapshot.reviews.iter().any(|review| {
        let by_bot = review.author.as_ref().is_some_and(|a| a.id == bot);
        let is_verdict = matches!(
            review.verdict,
            ReviewVerdict::Approved | ReviewVerdict::ChangesRequested
        );
        let is_silent = review.body.trim().is_empty();
        by_bot && is_verdict && is_silent && review.commit.as_ref() == Some(&snapshot.head)
    })
}

fn bot_activity(snapshot: &Snapshot, bot: AccountId, head_came_at: Time) -> BotActivity {
    if gave_silent_verdict(snapshot, bot) {
        return BotActivity::Review;
    }
    let mut latest = BotActivity::Nothing;
    for (body, at) in texts_on_head(snapshot, bot, head_came_at) {
        match read_bot_text(bot, body, at) {
            BotText::Review => return BotActivity::Review,
            BotText::Notice { until } => {
                let older = matches!(latest, BotActivity::Notice { written, .. } if written > at);
                if !older {
                    latest = BotActivity::Notice { written: at, until };
                }
            }
            BotText::Placeholder | BotText::Remark => {}
        }
    }
    latest
}

/// Bots to wait for on a head: configured, or seen reviewing this pull request or its repository.
pub fn expected_bots(snapshot: &Snapshot, policy: &Policy) -> BTreeSet<AccountId> {
    let authors = snapshot.reviews.iter().filter_map(|r| r.author.as_ref());
    let mut seen: BTreeSet<AccountId> = authors.map(|a| a.id).collect();
    seen.extend(&snapshot.reviewing_bots);
    let reviewing = policy.bots.iter().filter(|bot| bot.reviews);
    let seen = reviewing.map(|bot| bot.id).filter(|id| seen.contains(id));
    policy.expected_bots.iter().copied().chain(seen).collect()
}

/// How bots stand: by a snapshot, what the loop goes by, and what was asked of them.
#[derive(Clone, Copy, Debug)]
pub struct BotWatch<'a> {
    /// What it goes by.
    pub policy: &'a Policy,
    /// The head, and since when it is there.
    pub head: &'a HeadProgress,
    /// What was asked of bots.
    pub requests: &'a BTreeMap<AccountId, BotRequest>,
}

impl BotWatch<'_> {
    /// How every bot stands that is expected here or has left something, and every account that claims to be one.
    pub fn views(&self, snapshot: &Snapshot, now: Time) -> Vec<BotView> {
        let expected = expected_bots(snapshot, self.policy);
        let known = self.policy.bots.iter().filter(|bot| bot.reviews);
        let known = known.filter_map(|bot| {
            let status = self.status(bot.id, expected.contains(&bot.id), snapshot, now)?;
            Some(BotView {
                login: bot.login.clone(),
                id: bot.id,
                verified: true,
                status,
            })
        });
        known.chain(self.impostor_views(snapshot)).collect()
    }

    fn status(
        &self,
        bot: AccountId,
        is_expected: bool,
        snapshot: &Snapshot,
        now: Time,
    ) -> Option<BotStatus> {
        let asked = self.requests.get(&bot);
        let asked = asked.filter(|request| request.head == snapshot.head);
        let since = asked.map_or(self.head.seen_at, |request| request.at);
        let until = since.plus(self.policy.bot_timeout_ms);
        let came_at = head_came_at(snapshot, self.head);
        Some(match bot_activity(snapshot, bot, came_at) {
            BotActivity::Review => BotStatus::Reviewed,
            // It was asked after it said so: its answer is waited for.
            BotActivity::Notice { written, .. }
                if asked.is_some_and(|request| request.at > written) && now < until =>
            {
                BotStatus::Waiting { until }
            }
            BotActivity::Notice { until, .. } => BotStatus::OutOfQuota { until },
            BotActivity::Nothing if !is_expected => return None,
            BotActivity::Nothing if now >= until => BotStatus::TimedOut,
            BotActivity::Nothing => BotStatus::Waiting { until },
        })
    }

    /// Accounts that claim to be a bot and are not: shown, never heard.
    fn impostor_views(&self, snapshot: &Snapshot) -> Vec<BotView> {
        let mut seen = BTreeSet::new();
        let claims = claims(self.policy, snapshot);
        let accounts = claims.into_iter().map(|claim| claim.author);
        let new = accounts.filter(|author| seen.insert(author.id));
        new.map(|author| BotView {
            login: author.login.clone(),
            id: author.id,
            verified: false,
            status: BotStatus::NotExpected,
        })
        .collect()
    }
}

/// A text that claims to be a bot's and is not.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// GitHub's number of the comment or review.
    pub id: u64,
    /// Who wrote it.
    pub author: &'a Actor,
    /// The bot that it claims to be from.
    pub bot: &'a KnownBot,
}

/// Every text of a snapshot that claims to be a bot's and is not.
pub fn claims<'a>(policy: &'a Policy, snapshot: &'a Snapshot) -> Vec<Claim<'a>> {
    let inline = snapshot.threads.iter().flat_map(|t| &t.comments);
    let comments = snapshot.comments.iter().chain(inline);
    let comments = comments.map(|c| (c.id, &c.author, c.body.as_str()));
    let reviews = snapshot.reviews.iter();
    let reviews = reviews.map(|r| (r.id, &r.author, r.body.as_str()));
    let claim = |(id, author, body): (u64, &'a Option<Actor>, &str)| {
        let author = author.as_ref()?;
        let bot = claimed_bot(policy, author, body)?;
        Some(Claim { id, author, bot })
    };
    comments.chain(reviews).filter_map(claim).collect()
}

/// The comment that asks a bot to review again, as its documentation has it.
pub fn review_trigger(bot: AccountId) -> Option<&'static str> {
    let mut shipped = shipped_bots().iter();
    shipped
        .find(|shipped| shipped.bot.id == bot)?
        .trigger
        .as_deref()
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
            let seen = shipped.seen.as_deref();
            assert!(
                !shipped.bot.reviews
                    || seen.is_some_and(|at| at.starts_with("https://github.com/"))
            );
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
