//! A bot that reviews each head, in the form of the one that Collie knows first.

use super::agenda::Happening;
use super::remote::{Comment, FIRST_LINE, ReviewRow, Talk, actor, bot, fault_title, sha};
use super::schedule::MINUTE;
use super::stage::Stage;
use collie_core::ids::Time;
use collie_core::snapshot::{PullState, ReviewVerdict};

/// Has the bot look at the head that is there now.
pub fn plan_bot(stage: &Stage, pull: usize) {
    if !stage.schedule.setting.bot {
        return;
    }
    let head = stage.remote().view(pull).head();
    let later = stage.draw.between(("bot", pull, head), 20_000, 8 * MINUTE);
    let at = stage.clock.world().plus(later);
    stage.agenda.add(at, Happening::BotReviews { pull, head });
}

/// Looks at a head, unless it is not the head any more: says of most faults that they are there.
pub fn review(stage: &Stage, pull: usize, head: u64) {
    let (draw, now) = (stage.draw, stage.clock.world());
    let mut remote = stage.remote();
    let view = remote.view(pull);
    if view.head() != head || view.state != PullState::Open {
        return;
    }
    let mut talks = Vec::new();
    for fault in remote.faults(head) {
        if draw.chance(("bot sees", head, fault), 600) {
            let id = remote.take_id();
            talks.push((id, opened_talk(id, fault, now)));
        }
    }
    let before = remote.commit(head).and_then(|commit| commit.parent);
    let count = talks.len();
    let row = ReviewRow {
        id: remote.take_id(),
        author: bot().id.0,
        verdict: ReviewVerdict::Commented,
        head,
        body: format!(
            "**Actionable comments posted: {count}**\n\nReviewing files that changed from the base of the PR and between {} and {}.",
            sha(before.unwrap_or_default()),
            sha(head),
        ),
        at: now,
    };
    remote.change(pull, now, |view| {
        view.reviews.push(row);
        view.talks.extend(talks);
    });
    drop(remote);
    let login = actor(bot().id.0).login;
    stage.log(format!("#{} {login} says {count} things", pull + 1));
}

fn opened_talk(id: u64, fault: u32, now: Time) -> Talk {
    let title = fault_title(fault);
    let body =
        format!("_⚠️ Potential issue_ | _🟠 Major_\n\n**{title}.**\n\nIt takes the difference.");
    Talk {
        line: FIRST_LINE + fault,
        resolved: false,
        comments: vec![said(id, body, now)],
        asked: 0,
        answers: 0,
    }
}

fn said(id: u64, body: String, at: Time) -> Comment {
    Comment {
        id,
        author: bot().id.0,
        body,
        at,
        edited: None,
    }
}

/// Contradicts an answer in its thread, while that is open.
pub fn insist(stage: &Stage, pull: usize, talk: u64) {
    let now = stage.clock.world();
    let mut remote = stage.remote();
    let id = remote.take_id();
    remote.change(pull, now, |view| {
        let talk = view.talks.get_mut(&talk).filter(|talk| !talk.resolved);
        let words = "`@kim`: I still see it.".to_owned();
        talk.into_iter()
            .for_each(|talk| talk.comments.push(said(id, words.clone(), now)));
    });
}
