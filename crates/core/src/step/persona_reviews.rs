//! What personas say under GitHub accounts of their own (§18.2): comments on lines and, where the user's configuration lets them, reviews
//! that approve or request changes. What a review of a persona says is read from each snapshot anew; a persona takes a request for changes
//! back once what it asked for is settled.

use super::Transition;
use crate::finding::SourceType;
use crate::ids::{ActionToken, Login};
use crate::own_accounts::PersonaAccount;
use crate::policy::ReviewerKind;
use crate::post::{InlineComment, Post, PostContent, ReviewEvent};
use crate::snapshot::{Review, ReviewVerdict, Snapshot};
use crate::token::ActionSubject;
use std::collections::BTreeMap;

/// When personas are let speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PersonaMoment {
    /// The panel has not approved: objections are said, and those that are settled taken back.
    UnderWay,
    /// Every stage has approved this very head: approvals are said too.
    PanelApproved,
}

/// What a persona that has looked at a head makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stance {
    Approves,
    Objects,
}

/// What there is to say as a persona.
enum PersonaWord {
    Nothing,
    Verdict(ReviewEvent),
    /// Its review says what no longer holds, and no other of its reviews may replace it.
    TakeBack(u64),
}

/// The account of a persona at a pull request.
struct PersonaSeat<'a> {
    name: &'a str,
    account: &'a PersonaAccount,
    /// GitHub lets its reviews approve or request changes, and Collie too: it is neither the pull request's author nor the account that
    /// Collie acts as, which is that of who merges.
    is_impartial: bool,
}

impl Transition {
    /// Parts the comments of a review by who says them: those of personas with an account of their own are posted as these. What is left
    /// is the others'.
    pub(super) fn part_by_account(&mut self, snapshot: &Snapshot, inline: Post) -> Option<Post> {
        let Post { token, content, by } = inline;
        let PostContent::Inline { head, comments } = content else {
            return Some(Post { token, content, by });
        };
        let personas = &self.state.run.configuration.policy.accounts.personas;
        let mut of_personas: BTreeMap<String, Vec<InlineComment>> = BTreeMap::new();
        let mut others = Vec::new();
        for comment in comments {
            let source = &comment.finding.source;
            let is_persona =
                source.kind == SourceType::Agent && personas.contains_key(&source.name);
            match is_persona {
                true => of_personas
                    .entry(source.name.clone())
                    .or_default()
                    .push(comment),
                false => others.push(comment),
            }
        }
        for (persona, comments) in of_personas {
            self.speak_as(snapshot, &persona, comments, PersonaMoment::UnderWay);
        }
        (!others.is_empty()).then_some(Post {
            token,
            content: PostContent::Inline {
                head,
                comments: others,
            },
            by,
        })
    }

    /// Has each persona with an account of its own say what it makes of this head, as far as it may and has not yet.
    pub(super) fn speak_as_personas(&mut self, snapshot: &Snapshot, moment: PersonaMoment) {
        let accounts = &self.state.run.configuration.policy.accounts;
        let names: Vec<String> = accounts.personas.keys().cloned().collect();
        for name in names {
            self.speak_as(snapshot, &name, Vec::new(), moment);
        }
    }

    fn speak_as(
        &mut self,
        snapshot: &Snapshot,
        persona: &str,
        comments: Vec<InlineComment>,
        moment: PersonaMoment,
    ) {
        let accounts = &self.state.run.configuration.policy.accounts;
        let Some(account) = accounts.personas.get(persona).cloned() else {
            return;
        };
        let by = account.login.clone();
        let seat = PersonaSeat {
            name: persona,
            is_impartial: is_impartial(snapshot, &by),
            account: &account,
        };
        let said = match self.word_of(snapshot, &seat, moment) {
            PersonaWord::Verdict(verdict) => {
                let token = self.verdict_token(snapshot, persona, verdict);
                // What was said of this head is not said again; comments go without it then.
                (!self.is_said_or_to_be(&token)).then_some((token, verdict))
            }
            PersonaWord::TakeBack(review) => {
                let token = self.token(&ActionSubject::DismissReview(review));
                let content = PostContent::DismissReview {
                    persona: persona.to_owned(),
                    review,
                    head: snapshot.head.clone(),
                };
                self.post_as(Some(by.clone()), token, content);
                None
            }
            PersonaWord::Nothing => None,
        };
        let (token, verdict) = match said {
            Some(said) => said,
            None if comments.is_empty() => return,
            None => {
                let (run, reports) = (self.state.run.id.clone(), self.state.run.review.reports);
                let subject = ActionSubject::PersonaComments(&run, reports, persona);
                (self.token(&subject), ReviewEvent::Comment)
            }
        };
        let content = PostContent::PersonaReview {
            persona: persona.to_owned(),
            head: snapshot.head.clone(),
            verdict,
            comments,
        };
        self.post_as(Some(by), token, content);
    }

    fn verdict_token(
        &self,
        snapshot: &Snapshot,
        persona: &str,
        verdict: ReviewEvent,
    ) -> ActionToken {
        let run = self.state.run.id.clone();
        let what = (persona, verdict.name());
        self.token(&ActionSubject::PersonaVerdict(&run, &snapshot.head, what))
    }

    /// What a persona has to say of this head beside its comments: by what it makes of it, and what its reviews say on GitHub.
    fn word_of(
        &self,
        snapshot: &Snapshot,
        seat: &PersonaSeat<'_>,
        moment: PersonaMoment,
    ) -> PersonaWord {
        let Some(stance) = self
            .stance(snapshot, seat.name)
            .filter(|_| seat.is_impartial)
        else {
            return PersonaWord::Nothing;
        };
        let standing = standing_review(snapshot, &seat.account.login);
        let verdict = standing.map(|review| review.verdict);
        let requests = verdict == Some(ReviewVerdict::ChangesRequested);
        let approves = verdict == Some(ReviewVerdict::Approved);
        let approves_head = standing
            .is_some_and(|review| approves && review.commit.as_ref() == Some(&snapshot.head));
        let is_time = requests || moment == PersonaMoment::PanelApproved;
        match (stance, standing) {
            (Stance::Objects, _) if seat.account.may_request_changes && !requests => {
                PersonaWord::Verdict(ReviewEvent::RequestChanges)
            }
            (Stance::Approves, _) if seat.account.may_approve && is_time && !approves_head => {
                PersonaWord::Verdict(ReviewEvent::Approve)
            }
            // It says what its persona does not hold any more.
            (Stance::Objects, Some(review)) if approves => PersonaWord::TakeBack(review.id),
            (Stance::Approves, Some(review)) if requests => PersonaWord::TakeBack(review.id),
            (Stance::Objects | Stance::Approves, _) => PersonaWord::Nothing,
        }
    }

    /// What a persona makes of this head; none where a seat of its has not looked at it.
    fn stance(&self, snapshot: &Snapshot, persona: &str) -> Option<Stance> {
        let mut stance = None;
        for seat in self.reviewers() {
            if seat.spec.kind != ReviewerKind::Agent || seat.spec.name != persona {
                continue;
            }
            if seat.head.as_ref() != Some(&snapshot.head) || seat.rereview_due {
                return None;
            }
            let objects = !self.has_no_blocking_findings(seat);
            stance = match (objects, stance) {
                (true, _) | (_, Some(Stance::Objects)) => Some(Stance::Objects),
                (false, _) => Some(Stance::Approves),
            };
        }
        stance
    }
}

/// Whether reviews of an account may approve or request changes here. Of one whose token is not kept, whoever posts finds out.
fn is_impartial(snapshot: &Snapshot, login: &Login) -> bool {
    let id = snapshot.own_account(login);
    let is = |other: Option<&crate::snapshot::Actor>| {
        other.is_some_and(|other| other.login == *login || Some(other.id) == id)
    };
    !is(Some(&snapshot.viewer)) && !is(snapshot.author.as_ref())
}

/// The latest approval or request for changes of an account, unless it was dismissed.
fn standing_review<'a>(snapshot: &'a Snapshot, login: &Login) -> Option<&'a Review> {
    let id = snapshot.own_account(login)?;
    let by = |review: &&Review| review.author.as_ref().is_some_and(|a| a.id == id);
    let mut standing = None;
    for review in snapshot.reviews.iter().filter(by) {
        match review.verdict {
            ReviewVerdict::Approved | ReviewVerdict::ChangesRequested => standing = Some(review),
            ReviewVerdict::Dismissed => standing = None,
            ReviewVerdict::Commented | ReviewVerdict::Pending => {}
        }
    }
    standing
}
