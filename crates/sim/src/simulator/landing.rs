//! What becomes of a post of Collie's once GitHub has taken it.

use super::agenda::Happening;
use super::github_port::{SimulatedGitHub, place, pull_ref};
use super::remote::{COLLIE, Comment, PERSON, Remote, ReviewRow, Talk, View, bot, commit_of};
use super::schedule::MINUTE;
use super::stage::Stage;
use collie_core::ids::{Sha, ThreadId, Time};
use collie_core::post::{RenderedInlineComment, RenderedPost};
use collie_core::snapshot::ReviewVerdict;
use collie_core::text::trailing_token;
use collie_core::token::{ActionSubject, action_token};
use collie_engine::ports::PullRef;

impl SimulatedGitHub {
    /// What a post adds; its number, or none where there is no place for it.
    pub fn land(&self, pull: &PullRef, rendered: &RenderedPost) -> Option<u64> {
        let stage = &self.0;
        let (number, place) = (pull.id.number, place(pull));
        let mut remote = stage.remote();
        let mut landing = Landing {
            id: remote.take_id(),
            place,
            now: stage.clock.world(),
            breaches: Vec::new(),
        };
        let what = match rendered {
            RenderedPost::Comment { body } => landing.add_remark(&mut remote, body),
            RenderedPost::Reply { in_reply_to, body } => {
                landing.add_reply(&mut remote, *in_reply_to, body)?
            }
            RenderedPost::Review {
                commit,
                body,
                comments,
                ..
            } => landing.add_review(&mut remote, commit, body, comments),
            // Nobody has an account of its own here.
            RenderedPost::Dismissal { .. } => return None,
        };
        let view = remote.view(place);
        drop(remote);
        let Landing { id, breaches, .. } = landing;
        stage.log(format!("#{number} a {what} of Collie's lands: {id}"));
        for breach in breaches {
            stage.breach(breach);
        }
        if has_answered_twice(&view) {
            stage.breach(format!("#{number}: a person's word was answered twice"));
        }
        plan_contradiction(stage, place, &view, rendered);
        Some(id)
    }
}

/// One post on its way into a pull request.
struct Landing {
    id: u64,
    place: usize,
    now: Time,
    breaches: Vec<String>,
}

impl Landing {
    /// Counts a body's token: it may stand there once.
    fn count(&mut self, remote: &mut Remote, body: &str) {
        let Some(token) = trailing_token(body) else {
            return self.breaches.push("a post without a token".to_owned());
        };
        let times = remote.tokens.entry(token.clone()).or_default();
        *times += 1;
        if *times > 1 {
            let breach = format!("the token {token} stands on GitHub {times} times");
            self.breaches.push(breach);
        }
    }

    fn comment(&self, id: u64, body: &str) -> Comment {
        Comment {
            id,
            author: COLLIE,
            body: body.to_owned(),
            at: self.now,
            edited: None,
        }
    }

    fn add_remark(&mut self, remote: &mut Remote, body: &str) -> &'static str {
        self.count(remote, body);
        let comment = self.comment(self.id, body);
        remote.change(self.place, self.now, |view| view.remarks.push(comment));
        "comment"
    }

    fn add_reply(
        &mut self,
        remote: &mut Remote,
        in_reply_to: u64,
        body: &str,
    ) -> Option<&'static str> {
        self.count(remote, body);
        let is_of = |talk: &Talk| talk.comments.first().is_some_and(|c| c.id == in_reply_to);
        if !remote.view(self.place).talks.values().any(is_of) {
            return None;
        }
        let comment = self.comment(self.id, body);
        let pull = pull_ref(self.place);
        remote.change(self.place, self.now, |view| {
            if let Some((id, talk)) = view.talks.iter_mut().find(|(_, talk)| is_of(talk)) {
                talk.answers += usize::from(!is_addition(&pull, *id, body));
                talk.comments.push(comment);
            }
        });
        Some("reply")
    }

    fn add_review(
        &mut self,
        remote: &mut Remote,
        commit: &Sha,
        body: &str,
        comments: &[RenderedInlineComment],
    ) -> &'static str {
        self.count(remote, body);
        let mut opened = Vec::new();
        for inline in comments {
            self.count(remote, &inline.body);
            let id = remote.take_id();
            let talk = Talk {
                line: inline.line,
                resolved: false,
                comments: vec![self.comment(id, &inline.body)],
                asked: 0,
                answers: 0,
            };
            opened.push((id, talk));
        }
        let row = ReviewRow {
            id: self.id,
            author: COLLIE,
            verdict: ReviewVerdict::Commented,
            head: commit_of(commit),
            body: body.to_owned(),
            at: self.now,
        };
        remote.change(self.place, self.now, |view| {
            view.reviews.push(row);
            view.talks.extend(opened);
        });
        "review"
    }
}

/// Whether a person's thread ever had more answers than there were words to answer.
fn has_answered_twice(view: &View) -> bool {
    view.talks.values().any(|talk| {
        let by_person = talk.comments.first().is_some_and(|c| c.author == PERSON);
        by_person && talk.answers > talk.asked
    })
}

/// Whether a reply adds what Collie has found to what others said, and answers nobody.
fn is_addition(pull: &PullRef, talk: u64, body: &str) -> bool {
    let thread = ThreadId::new(format!("T{talk}"));
    let addition = action_token(&pull.id, &ActionSubject::Addition(&thread));
    trailing_token(body).is_some_and(|token| token == addition)
}

/// A bot that insists contradicts each answer in its threads.
fn plan_contradiction(stage: &Stage, pull: usize, view: &View, rendered: &RenderedPost) {
    let RenderedPost::Reply { in_reply_to, .. } = rendered else {
        return;
    };
    if !stage.schedule.setting.bot_insists {
        return;
    }
    let is_of_bot = |talk: &Talk| {
        let first = talk.comments.first();
        first.is_some_and(|c| c.id == *in_reply_to && c.author == bot().id.0)
    };
    for (talk, _) in view.talks.iter().filter(|(_, talk)| is_of_bot(talk)) {
        let (talk, answers) = (*talk, view.talks[talk].comments.len());
        let drawn = ("insists", talk, answers);
        let later = stage.draw.between(drawn, MINUTE, 5 * MINUTE);
        let at = stage.clock.world().plus(later);
        stage.agenda.add(at, Happening::BotInsists { pull, talk });
    }
}
