//! Posts of Collie's that are there twice, or that somebody changed (§8.2).

use crate::ids::ActionToken;
use crate::note::Note;
use crate::snapshot::{Comment, ReviewVerdict};
use crate::test_support::{LoopFixture, actor, comment, review, thread};
use crate::text::append_token;

const MINUTE: u64 = 60_000;

fn token(digit: char) -> ActionToken {
    ActionToken::new(digit.to_string().repeat(64))
}

/// A comment of the account that Collie acts as, with a token at its end.
fn own(w: &LoopFixture, id: u64, digit: char) -> Comment {
    let body = append_token(&format!("Report {digit}"), &token(digit));
    comment(id, w.snapshot.viewer.clone(), &body)
}

/// Reads the pull request; what is told of posts.
fn told(w: &mut LoopFixture) -> Vec<Note> {
    let before = w.remarks.len();
    w.advance(MINUTE).poll();
    let of_posts = |note: &&Note| {
        matches!(
            note,
            Note::PostDuplicated { .. } | Note::PostEdited { .. } | Note::PostDeleted { .. }
        )
    };
    w.remarks[before..]
        .iter()
        .filter(of_posts)
        .cloned()
        .collect()
}

#[test]
fn an_act_that_is_shown_twice_raises_an_alarm_once() {
    let mut w = LoopFixture::new();
    let first = own(&w, 40, 'a');
    w.snapshot.comments.push(first);
    assert_eq!(told(&mut w), []);
    let second = own(&w, 41, 'a');
    w.snapshot.comments.push(second);
    let duplicated = Note::PostDuplicated {
        token: token('a'),
        ids: vec![40, 41],
    };
    assert_eq!(told(&mut w), [duplicated]);
    assert_eq!(told(&mut w), []);
}

#[test]
fn the_same_number_in_another_place_and_the_words_of_others_are_no_duplicates() {
    let mut w = LoopFixture::new();
    let own_one = own(&w, 40, 'a');
    let mut quoted = own(&w, 41, 'a');
    quoted.author = Some(actor(20, "ana", false));
    let of_thread = own(&w, 40, 'b');
    let mut of_review = review(40, "collie", ReviewVerdict::Commented);
    of_review.author = Some(w.snapshot.viewer.clone());
    of_review.body = append_token("Findings", &token('c'));
    w.snapshot.comments.extend([own_one, quoted]);
    w.snapshot.threads.push(thread("T_1", of_thread));
    w.snapshot.reviews.push(of_review);
    assert_eq!(told(&mut w), []);
    let places: Vec<&String> = w.state.memory.shown_posts.keys().collect();
    assert_eq!(places, ["comment:40", "review:40", "thread:40"]);
}

#[test]
fn an_edit_is_told_of_also_where_it_took_the_token() {
    let mut w = LoopFixture::new();
    let posted = own(&w, 40, 'a');
    w.snapshot.comments.push(posted);
    assert_eq!(told(&mut w), []);
    w.snapshot.comments[0].body = "Nothing to see here".into();
    let place = "comment:40".to_owned();
    assert_eq!(told(&mut w), [Note::PostEdited { place }]);
    assert_eq!(told(&mut w), []);
}

#[test]
fn what_two_readings_lack_was_deleted() {
    let mut w = LoopFixture::new();
    let posted = own(&w, 40, 'a');
    w.snapshot.comments.push(posted.clone());
    assert_eq!(told(&mut w), []);
    w.snapshot.comments.clear();
    assert_eq!(told(&mut w), [], "the reading may be an old one");
    w.snapshot.comments.push(posted);
    assert_eq!(told(&mut w), []);
    w.snapshot.comments.clear();
    assert_eq!(told(&mut w), []);
    let place = "comment:40".to_owned();
    assert_eq!(told(&mut w), [Note::PostDeleted { place }]);
    assert_eq!(told(&mut w), []);
}
