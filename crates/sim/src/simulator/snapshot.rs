//! What a reading shows of the remote at a time.

use super::remote::{AUTHOR, COLLIE, FAULTS, FILE, FIRST_LINE, PERSON, Remote, View, actor, sha};
use super::remote::{Comment, ReviewRow, Talk};
use crate::blank_snapshot::blank_snapshot;
use collie_core::ids::{AccountId, Sha, ThreadId, Time};
use collie_core::review::Association;
use collie_core::snapshot as shown;
use collie_core::snapshot::{CheckConclusion, CheckStatus, Snapshot};

/// How GitHub writes a time.
fn written(at: Time) -> String {
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A reading, begun at a time of Collie's, of what was so at a time of the world's.
pub fn snapshot(remote: &Remote, place: usize, view: &View, at: Time, read_at: Time) -> Snapshot {
    let head = sha(view.head());
    let talks = view.talks.iter();
    let remarks = view.remarks.iter();
    let checks = (0..remote.setting.checks).filter_map(|nth| check(remote, place, view, nth, at));
    Snapshot {
        author: Some(actor(Remote::author(place))),
        state: view.state,
        draft: view.draft,
        locked: view.locked,
        head_ref: format!("topic-{place}"),
        auto_merge: view.auto_merge.map(|_| actor(PERSON).login),
        known_checks: (0..remote.setting.checks).map(check_name).collect(),
        checks: checks.collect(),
        reviews: view.reviews.iter().map(review).collect(),
        threads: talks.map(|(id, talk)| thread(*id, talk, &head)).collect(),
        comments: remarks.map(|remark| comment(remark, &head)).collect(),
        writers: [COLLIE, PERSON, AUTHOR].map(AccountId).into(),
        ..blank_snapshot(
            (place as u64 + 1, read_at),
            actor(COLLIE),
            (head.clone(), sha(remote.base)),
            FILE,
        )
    }
}

fn comment(comment: &Comment, head: &Sha) -> shown::Comment {
    shown::Comment {
        id: comment.id,
        author: Some(actor(comment.author)),
        body: comment.body.clone(),
        created_at: comment.at,
        updated_at: written(comment.edited.unwrap_or(comment.at)),
        commit: Some(head.clone()),
    }
}

fn thread(id: u64, talk: &Talk, head: &Sha) -> shown::Thread {
    let comments = talk.comments.iter();
    shown::Thread {
        id: ThreadId::new(format!("T{id}")),
        path: FILE.into(),
        line: Some(talk.line),
        resolved: talk.resolved,
        resolved_by: None,
        outdated: false,
        comments: comments.map(|said| comment(said, head)).collect(),
    }
}

fn review(row: &ReviewRow) -> shown::Review {
    let association = match row.author {
        COLLIE | PERSON | AUTHOR => Association::Collaborator,
        _ => Association::None,
    };
    shown::Review {
        id: row.id,
        author: Some(actor(row.author)),
        association,
        verdict: row.verdict,
        commit: Some(sha(row.head)),
        body: row.body.clone(),
        submitted_at: Some(row.at),
        updated_at: written(row.at),
    }
}

fn check_name(nth: u64) -> String {
    format!("check-{nth}")
}

fn check(remote: &Remote, place: usize, view: &View, nth: u64, at: Time) -> Option<shown::Check> {
    let state = remote.check(place, view, nth, at)?;
    let conclusion = state.passed.map(|passed| match passed {
        true => CheckConclusion::Success,
        false => CheckConclusion::Failure,
    });
    let red = remote.faults(view.head());
    let red = red.iter().filter(|fault| **fault < FAULTS);
    let lines: Vec<String> = red
        .map(|fault| format!("error: {FILE}:{}: wrong sum", FIRST_LINE + fault))
        .collect();
    Some(shown::Check {
        id: state.id,
        name: check_name(nth),
        status: match conclusion {
            Some(_) => CheckStatus::Completed,
            None => CheckStatus::InProgress,
        },
        conclusion,
        url: None,
        completed_at: state.ended,
        reporter: None,
        summary: None,
        annotations: Vec::new(),
        log_tail: (state.passed == Some(false)).then(|| lines.join("\n") + "\nerror: it failed"),
        app_id: None,
        workflow: None,
    })
}
