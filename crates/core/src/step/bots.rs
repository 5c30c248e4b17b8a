//! Bots: whom a head waits for, and what is asked of them (§3.4).

use super::Transition;
use crate::blocker::Blocker;
use crate::bots::{BotWatch, expected_bots, review_trigger};
use crate::ids::{AccountId, Time};
use crate::loop_state::{BotRequest, LoopState};
use crate::note::Note;
use crate::post::PostContent;
use crate::snapshot::Snapshot;
use crate::snapshot_summary::{BotStatus, BotView};
use crate::token::ActionSubject;
use std::collections::BTreeSet;

/// The longest that a bot which is out of quota is waited for, from the first sight of a head.
const MOST_QUOTA_WAIT_MS: u64 = 4 * 60 * 60_000;

impl Transition {
    /// How bots stand on a snapshot.
    pub(super) fn bot_views(&self, snapshot: &Snapshot) -> Vec<BotView> {
        let watch = BotWatch {
            policy: &self.state.run.configuration.policy,
            head: &self.state.run.head,
            requests: &self.state.memory.bot_requests,
        };
        watch.views(snapshot, snapshot.read_at)
    }

    /// Keeps which bots have reviewed here: further pull requests of the repository wait for them.
    pub(super) fn remember_reviewing_bots(&mut self, snapshot: &Snapshot) {
        let views = &self.state.run.polling.last_snapshot.bots;
        let reviewed = views
            .iter()
            .filter(|view| view.status == BotStatus::Reviewed);
        for bot in reviewed.map(|view| view.id) {
            let seen = &mut self.state.memory.reviewing_bots;
            let known_at = seen.entry(bot).or_insert(snapshot.read_at);
            // By the day: a reading that shows nothing new is no change.
            if snapshot.read_at.since(*known_at) > 24 * 60 * 60_000 {
                *known_at = snapshot.read_at;
            }
        }
    }

    /// Waits for bots that are expected; with CI red not beyond the time that collects failures.
    pub(super) fn await_bots(&mut self, snapshot: &Snapshot, red: bool) -> Option<Blocker> {
        self.ask_bots_again(snapshot);
        let views = self.bot_views(snapshot);
        let pending = views.iter().filter_map(|view| match view.status {
            BotStatus::Waiting { until } => Some((view.id, until)),
            _ => None,
        });
        let pending: Vec<(AccountId, Time)> = pending.collect();
        let quota = self.bots_out_of_quota(snapshot, &views);
        self.state.run.polling.last_snapshot.bots = views;
        let collects = self.state.run.head.first_failure_at.filter(|_| red);
        let red_collect_ms = self.state.run.configuration.policy.red_collect_ms;
        let bound = |until: Time| match collects {
            Some(since) => until.min(since.plus(red_collect_ms)),
            None => until,
        };
        let names =
            |of: &[(AccountId, Time)]| of.iter().map(|(id, _)| self.bot_name(*id)).collect();
        let last = pending.iter().map(|(_, until)| bound(*until)).max();
        if let Some(until) = last.filter(|until| snapshot.read_at < *until) {
            let names = names(&pending);
            return Some(Blocker::BotsPending { names, until });
        }
        let next = quota.iter().map(|(_, until)| bound(*until)).min()?;
        let first = quota.into_iter().filter(|(_, until)| bound(*until) == next);
        let names = names(&first.collect::<Vec<_>>());
        (snapshot.read_at < next).then_some(Blocker::BotsOutOfQuota { names, until: next })
    }

    /// Expected bots that say when they will be back, and until when they are waited for. Who was asked on this head is not waited out again.
    fn bots_out_of_quota(&self, snapshot: &Snapshot, views: &[BotView]) -> Vec<(AccountId, Time)> {
        let expected = expected_bots(snapshot, &self.state.run.configuration.policy);
        let most = self.state.run.head.seen_at.plus(MOST_QUOTA_WAIT_MS);
        let named = views.iter().filter_map(|view| match view.status {
            BotStatus::OutOfQuota { until: Some(until) } => Some((view.id, until.min(most))),
            _ => None,
        });
        named
            .filter(|(bot, _)| expected.contains(bot) && !self.was_asked(*bot, snapshot))
            .filter(|(_, until)| snapshot.read_at < *until)
            .collect()
    }

    fn was_asked(&self, bot: AccountId, snapshot: &Snapshot) -> bool {
        let asked = self.state.memory.bot_requests.get(&bot);
        asked.is_some_and(|request| request.head == snapshot.head)
    }

    /// Asks each expected bot once a head to review, when the time that it named has come.
    fn ask_bots_again(&mut self, snapshot: &Snapshot) {
        let expected = expected_bots(snapshot, &self.state.run.configuration.policy);
        let most = self.state.run.head.seen_at.plus(MOST_QUOTA_WAIT_MS);
        for view in self.bot_views(snapshot) {
            let BotStatus::OutOfQuota { until: Some(until) } = view.status else {
                continue;
            };
            let is_time = until <= snapshot.read_at && until <= most;
            let due = is_time && expected.contains(&view.id) && !self.was_asked(view.id, snapshot);
            let Some(command) = review_trigger(view.id).filter(|_| due) else {
                continue;
            };
            let token = self.token(&ActionSubject::RequestBotReview(view.id, &snapshot.head));
            let request = BotRequest {
                head: snapshot.head.clone(),
                at: snapshot.read_at,
                token: token.clone(),
            };
            self.state.memory.bot_requests.insert(view.id, request);
            self.post(
                token,
                PostContent::RequestBotReview {
                    bot: view.id,
                    command: command.to_owned(),
                },
            );
        }
    }

    /// Remarks that other bots than before have yet to review the head: while checks run, nothing else tells of them.
    pub(super) fn note_awaited_bots(&mut self, before: &LoopState) {
        let awaited = |state: &LoopState| -> BTreeSet<AccountId> {
            let bots = state.run.polling.last_snapshot.bots.iter();
            bots.filter(|bot| matches!(bot.status, BotStatus::Waiting { .. }))
                .map(|bot| bot.id)
                .collect()
        };
        let now = awaited(&self.state);
        if now != awaited(before) {
            let names = now.into_iter().map(|id| self.bot_name(id)).collect();
            self.notes.push(Note::BotsAwaited { names });
        }
    }

    pub(super) fn bot_name(&self, id: AccountId) -> String {
        let mut bots = self.state.run.configuration.policy.bots.iter();
        let known = bots.find(|bot| bot.id == id);
        known.map_or_else(|| id.0.to_string(), |bot| bot.name.clone())
    }
}
