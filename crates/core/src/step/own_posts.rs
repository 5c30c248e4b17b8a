//! What became of Collie's posts on GitHub (§8.2): one that is there twice raises an alarm; one that somebody edited or deleted is told of
//! once, and never posted again.

use super::Transition;
use crate::ids::ActionToken;
use crate::loop_state::ShownPost;
use crate::note::Note;
use crate::snapshot::{Actor, Review, Snapshot};
use crate::text::trailing_token;
use crate::token::digest;
use std::collections::BTreeMap;

/// Digits of a body's hash that are kept: enough to tell one text from its edit.
const DIGITS: usize = 16;

/// A body of an account that Collie posts by.
struct Body<'a> {
    id: u64,
    text: &'a str,
}

impl Transition {
    /// Compares what GitHub shows of Collie's posts with what it showed before.
    pub(super) fn note_own_posts(&mut self, snapshot: &Snapshot) {
        let bodies = bodies_of_own_accounts(snapshot);
        self.note_duplicates(&bodies);
        let known = std::mem::take(&mut self.state.memory.shown_posts);
        for (place, shown) in known {
            let kept = self.note_change(&place, shown, bodies.get(&place));
            let kept = kept.map(|shown| (place, shown));
            self.state.memory.shown_posts.extend(kept);
        }
        for (place, body) in bodies {
            if trailing_token(body.text).is_some() {
                let known = self.state.memory.shown_posts.entry(place);
                known.or_insert_with(|| shown(&body));
            }
        }
    }

    /// A post as it is known from now on; none where it is gone. One reading that lacks it may be an old one, the second tells.
    fn note_change(
        &mut self,
        place: &str,
        known: ShownPost,
        body: Option<&Body<'_>>,
    ) -> Option<ShownPost> {
        let place = place.to_owned();
        let Some(body) = body else {
            if known.is_missing {
                self.notes.push(Note::PostDeleted { place });
                return None;
            }
            let is_missing = true;
            return Some(ShownPost {
                is_missing,
                ..known
            });
        };
        let now = shown(body);
        if now.digest != known.digest {
            self.notes.push(Note::PostEdited { place });
        }
        Some(now)
    }

    /// Tells of each act that GitHub shows more than once, once.
    fn note_duplicates(&mut self, bodies: &BTreeMap<String, Body<'_>>) {
        let mut ids: BTreeMap<ActionToken, Vec<u64>> = BTreeMap::new();
        for body in bodies.values() {
            if let Some(token) = trailing_token(body.text) {
                ids.entry(token).or_default().push(body.id);
            }
        }
        for (token, ids) in ids {
            if ids.len() > 1 && self.state.memory.duplicated.insert(token.clone()) {
                self.notes.push(Note::PostDuplicated { token, ids });
            }
        }
    }
}

fn shown(body: &Body<'_>) -> ShownPost {
    let mut digest = digest([body.text]);
    digest.truncate(DIGITS);
    ShownPost {
        digest,
        is_missing: false,
    }
}

/// By where it stands: numbers of comments, comments in threads and reviews are each counted by themselves.
fn bodies_of_own_accounts(snapshot: &Snapshot) -> BTreeMap<String, Body<'_>> {
    let is_own = |author: &Option<Actor>| {
        let author = author.as_ref();
        author.is_some_and(|author| snapshot.may_be_own(author.id))
    };
    let comments = snapshot.comments.iter().map(|it| ("comment", it));
    let threads = snapshot.threads.iter().flat_map(|thread| &thread.comments);
    let comments = comments.chain(threads.map(|it| ("thread", it)));
    let comments = comments.filter(|(_, comment)| is_own(&comment.author));
    let comments = comments.map(|(kind, comment)| {
        let (id, text) = (comment.id, comment.body.as_str());
        (format!("{kind}:{id}"), Body { id, text })
    });
    let submitted = |review: &&Review| review.submitted_at.is_some() && is_own(&review.author);
    let reviews = snapshot.reviews.iter().filter(submitted);
    let reviews = reviews.map(|review| {
        let (id, text) = (review.id, review.body.as_str());
        (format!("review:{id}"), Body { id, text })
    });
    comments.chain(reviews).collect()
}
