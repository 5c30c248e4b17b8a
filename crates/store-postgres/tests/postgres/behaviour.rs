//! What every journal of loops elsewhere does, wherever it lies.

use crate::support::*;
use collie_core::ids::{AccountId, PullName, RepoName};
use collie_core::pause::Pause;
use collie_engine::ports::{
    BrowserSession, EndedSessions, LoopRequest, ProjectedChange, ProjectionJournal, RequestStatus,
};

/// What is told is written once, also after a restart.
pub async fn what_is_told_twice_or_late_changes_nothing(home: &Home) {
    let journal = home.open().await;
    let [begun, cancelled] = begun_and_cancelled(1);
    let both = [begun.clone(), cancelled.clone()];
    assert_eq!(journal.project(&both).await.unwrap(), 2);
    let shown = journal.loops().await.unwrap();
    assert_eq!(shown, std::slice::from_ref(&cancelled.applied.state));
    let (seq, spent) = (
        journal.last_journal_seq().await.unwrap(),
        journal.spending().await.unwrap(),
    );
    assert_eq!(events(&*journal, 1).await, ["created", "cancel"]);
    for again in [&both[..], &both[1..], &both[..1]] {
        assert_eq!(journal.project(again).await.unwrap(), 0);
    }
    // Also as it stood before, which is older than what is known.
    let older = step(1, ProjectedChange::Replaced, begun.applied.clone());
    assert_eq!(journal.project(&[older]).await.unwrap(), 0);
    assert_eq!(journal.loops().await.unwrap(), shown);
    assert_eq!(journal.find(&id(1)).await.unwrap().as_ref(), shown.first());
    assert_eq!(journal.find(&id(2)).await.unwrap(), None);
    assert_eq!(journal.last_journal_seq().await.unwrap(), seq);
    assert_eq!(journal.spending().await.unwrap(), spent);
    journal.set_projection_position(7).await.unwrap();
    journal.close().await;
    drop(journal);
    let journal = home.open().await;
    let progress = journal.projection_progress().await.unwrap();
    assert_eq!(progress.position, Some(7));
    assert_eq!(progress.versions, [(id(1), 2)].into());
    assert_eq!(journal.project(&both).await.unwrap(), 0);
    assert_eq!(journal.loops().await.unwrap(), shown);
}

/// A loop that is shown from here on says so, and goes on after what was missed.
pub async fn what_is_missing_is_said(journal: &dyn ProjectionJournal) {
    let [begun, cancelled] = begun_and_cancelled(1);
    let joined = step(5, ProjectedChange::Joined, begun.applied);
    assert_eq!(journal.project(&[joined]).await.unwrap(), 1);
    let replaced = step(9, ProjectedChange::Replaced, cancelled.applied);
    assert_eq!(journal.project(&[replaced]).await.unwrap(), 1);
    assert_eq!(events(journal, 1).await, ["joined", "engine"]);
    let progress = journal.projection_progress().await.unwrap();
    assert_eq!(progress.versions, [(id(1), 9)].into());
}

/// Of steps that cannot all be written none is.
pub async fn all_or_nothing_is_written(journal: &dyn ProjectionJournal) {
    let [begun, mut cancelled] = begun_and_cancelled(1);
    // No such number fits into the database.
    cancelled.version = u64::MAX;
    let both = [begun.clone(), cancelled];
    assert!(journal.project(&both).await.is_err());
    assert!(journal.loops().await.unwrap().is_empty());
    assert_eq!(journal.project(&[begun]).await.unwrap(), 1);
}

/// What a replay needs is kept until it is let go of, and nothing else is.
pub async fn recordings_can_be_let_go_of(journal: &dyn ProjectionJournal) {
    journal.project(&begun_and_cancelled(1)).await.unwrap();
    journal.project(&begun_and_cancelled(2)[..1]).await.unwrap();
    let kept = async |number| {
        let entries = journal.recorded(&id(number)).await.unwrap();
        entries.iter().filter(|it| it.recorded.is_some()).count()
    };
    assert_eq!(journal.forget_recordings(NOW).await.unwrap(), 0);
    assert_eq!((kept(1).await, kept(2).await), (2, 1));
    assert_eq!(journal.forget_recordings(NOW.plus(1)).await.unwrap(), 2);
    assert_eq!((kept(1).await, kept(2).await), (0, 1));
    assert_eq!(events(journal, 1).await, ["created", "cancel"]);
}

fn session(hash: &str, account: u64, expires_at: u64) -> BrowserSession {
    BrowserSession {
        id_hash: hash.into(),
        account: AccountId(account),
        login: login(),
        begun_at: NOW,
        expires_at: NOW.plus(expires_at),
        sealed: vec![0, 1, 255],
    }
}

/// Sessions of browsers are kept until they end.
pub async fn sessions_are_kept_until_they_end(journal: &dyn ProjectionJournal) {
    let all = [
        session("a", 1, 10),
        session("b", 1, 100),
        session("c", 2, 100),
        session("d", 3, 100),
    ];
    for one in &all {
        journal.keep_browser_session(one, NOW).await.unwrap();
    }
    let found = journal.browser_session("a").await.unwrap();
    assert_eq!(found.as_ref(), all.first());
    let late = session("e", 4, 100);
    journal
        .keep_browser_session(&late, NOW.plus(10))
        .await
        .unwrap();
    let ended = EndedSessions::OfAccount(AccountId(1));
    journal.end_browser_sessions(&ended).await.unwrap();
    let ended = EndedSessions::One("c".into());
    for _ in 0..2 {
        journal.end_browser_sessions(&ended).await.unwrap();
    }
    let mut left = Vec::new();
    for hash in ["a", "b", "c", "d", "e"] {
        left.extend(journal.browser_session(hash).await.unwrap());
    }
    assert_eq!(left, [all[3].clone(), late]);
}

/// Requests from outside are known for as long as they are to be.
pub async fn requests_from_outside_are_known_again(journal: &dyn ProjectionJournal) {
    let ids = ["x".to_owned(), "y".to_owned()];
    journal.remember_seen(&ids, NOW, NOW).await.unwrap();
    journal.remember_seen(&ids, NOW.plus(5), NOW).await.unwrap();
    assert!(journal.was_seen("x").await.unwrap() && journal.was_seen("y").await.unwrap());
    let later = ["z".to_owned()];
    let forgotten = journal.remember_seen(&later, NOW.plus(9), NOW.plus(1));
    forgotten.await.unwrap();
    assert!(
        !journal.was_seen("x").await.unwrap(),
        "its first time counts"
    );
    assert!(journal.was_seen("z").await.unwrap());
}

/// The pause, and requests that other processes leave in the folder.
pub async fn pause_and_requests_are_taken(journal: &dyn ProjectionJournal) {
    let pause = |since| Pause {
        by: login(),
        since: NOW.plus(since),
    };
    for pause in [Some(pause(0)), Some(pause(1)), None] {
        journal.set_pause(pause.as_ref()).await.unwrap();
        assert_eq!(journal.pause().await.unwrap(), pause);
    }
    let cancel = LoopRequest::Cancel {
        pull: PullName {
            repo: RepoName::parse("acme/web").unwrap(),
            number: 1,
        },
    };
    let number = journal.add_request(&cancel, &login(), NOW).await.unwrap();
    let open = journal.requests().await.unwrap();
    assert_eq!(open, [(number, cancel, login())]);
    journal.finish_request(number, None).await.unwrap();
    assert!(journal.requests().await.unwrap().is_empty());
    let status = journal.request_status(number).await.unwrap();
    assert_eq!(status, Some(RequestStatus::Done));
}
