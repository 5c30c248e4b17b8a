//! Damaged files: told clearly, kept aside, never overwritten; and the way back.

use crate::support::*;
use crate::versions::run_sql;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_engine::ports::{AppliedStep, Journal, JournalReader, OutboxEntry, StoreError};
use collie_store::{OpenError, OpenMode, RebuildReport, Store, rebuild};

/// Two loops, the first with posts in its outbox.
async fn sample_loops(home: &TempHome) -> Vec<LoopState> {
    let store = home.engine().await;
    let (first, second) = (new_loop(1), new_loop(2));
    store.create(&first, &login(), NOW).await.unwrap();
    store.create(&second, &login(), NOW).await.unwrap();
    let mut after = with_state(&first, State::PrReviewing);
    after.outbox.effects.extend([post(1, 9), post(1, 10)]);
    let inbox = store.receive(&[(id(1), cancel())], NOW).await.unwrap();
    let one = AppliedStep {
        effects: vec![post(1, 9), post(1, 10)],
        ..applied(&inbox, &first, after.clone())
    };
    store.apply(&[one]).await.unwrap();
    store.close().await;
    vec![after, second]
}

/// The same as they come back from their checkpoints: what they say may have been said before.
fn rebuilt(mut states: Vec<LoopState>) -> Vec<LoopState> {
    for state in &mut states {
        assert!(!state.memory.was_rebuilt);
        state.memory.was_rebuilt = true;
    }
    states
}

fn damaged_copies(home: &TempHome) -> Vec<String> {
    home.file_names()
        .into_iter()
        .filter(|file| file.starts_with("collie.db.damaged-"))
        .collect()
}

#[tokio::test]
async fn a_damaged_database_is_copied_once_and_left_as_it_is() {
    let cut = |bytes: &[u8]| bytes[..bytes.len() / 2].to_vec();
    let garbage =
        |_: &[u8]| b"this is no database at all, but it is long enough to look at".to_vec();
    let scribbled = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes[4096..].fill(0xEE);
        bytes
    };
    type Damage = fn(&[u8]) -> Vec<u8>;
    let damages: [Damage; 3] = [cut, garbage, scribbled];
    for (nth, damage) in damages.into_iter().enumerate() {
        let home = temp_home();
        let states = sample_loops(&home).await;
        let file = home.folder.database();
        let bytes = damage(&std::fs::read(&file).unwrap());
        std::fs::write(&file, &bytes).unwrap();
        for _ in 0..2 {
            let refused = Store::open(&home.folder, OpenMode::Engine)
                .await
                .err()
                .unwrap();
            assert!(
                matches!(refused, OpenError::Store(StoreError::Damaged { .. })),
                "{nth}: {refused}"
            );
            assert!(
                refused.to_string().contains("doctor --rebuild"),
                "{refused}"
            );
        }
        assert!(
            std::fs::read(&file).unwrap() == bytes,
            "{nth}: the original is untouched"
        );
        assert_eq!(damaged_copies(&home).len(), 1, "{nth}");
        assert!(
            std::fs::read(home.folder.root().join(&damaged_copies(&home)[0])).unwrap() == bytes
        );

        let report = rebuild(&home.folder).await.unwrap();
        assert_eq!(report.restored, ["acme/web#1", "acme/web#2"], "{nth}");
        let loops = home.engine().await.loops().await.unwrap();
        assert_eq!(loops, rebuilt(states), "{nth}");
    }
}

#[tokio::test]
async fn a_lost_database_is_not_taken_for_a_first_start() {
    for emptied in [false, true] {
        let home = temp_home();
        let states = sample_loops(&home).await;
        if emptied {
            std::fs::write(home.folder.database(), "").unwrap();
        } else {
            std::fs::remove_file(home.folder.database()).unwrap();
        }
        for mode in [OpenMode::Engine, OpenMode::Reader] {
            let refused = Store::open(&home.folder, mode).await.err().unwrap();
            assert!(
                matches!(refused, OpenError::Store(StoreError::Damaged { .. })),
                "{refused}"
            );
        }
        rebuild(&home.folder).await.unwrap();
        assert_eq!(home.engine().await.loops().await.unwrap(), rebuilt(states));
    }
}

#[tokio::test]
async fn a_state_that_cannot_be_read_is_damage_too() {
    let home = temp_home();
    let states = sample_loops(&home).await;
    run_sql(
        &home,
        "UPDATE loops SET state_json = '{\"id\":' WHERE number = 1",
    )
    .await;
    let store = home.engine().await;
    let refused = store.loops().await.unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
    assert_eq!(damaged_copies(&home).len(), 1);
    store.close().await;
    let report = rebuild(&home.folder).await.unwrap();
    assert!(report.kept_aside.is_some_and(|aside| aside.exists()));
    assert_eq!(home.engine().await.loops().await.unwrap(), rebuilt(states));
}

#[tokio::test]
async fn a_rebuilt_loop_asks_github_first_and_counts_on() {
    let home = temp_home();
    sample_loops(&home).await;
    std::fs::remove_file(home.folder.database()).unwrap();
    rebuild(&home.folder).await.unwrap();
    let store = home.engine().await;
    let in_doubt = |nth| OutboxEntry {
        loop_id: id(1),
        id: post(1, nth).0,
        effect: post(1, nth).1,
        sending: None,
        in_doubt: true,
    };
    assert_eq!(store.outbox().await.unwrap(), [in_doubt(9), in_doubt(10)]);
    let timeline = store.timeline(&id(1)).await.unwrap();
    assert_eq!(
        (timeline[0].event.as_str(), timeline[0].seq),
        ("rebuilt", 4)
    );
    assert_eq!(store.wait_for_checkpoints().await, 0);
    assert_eq!(home.checkpoint("acme/web/pr_1.json")["journal_seq"], 4);
}

#[tokio::test]
async fn bad_checkpoints_are_reported_and_left_as_they_are() {
    let home = temp_home();
    let states = sample_loops(&home).await;
    std::fs::remove_file(home.folder.database()).unwrap();
    let folder = home.folder.checkpoints().join("acme/web");
    let bad = [
        ("pr_2.json", "{\"version\": 1, \"jour"),
        ("pr_3.json", "{\"version\": 7}"),
    ];
    for (name, text) in bad {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let older = std::fs::read_to_string(folder.join("pr_1.json"))
        .unwrap()
        .replace("\"journal_seq\": 3", "\"journal_seq\": 1");
    std::fs::create_dir_all(home.folder.checkpoints().join("old/name")).unwrap();
    std::fs::write(home.folder.checkpoints().join("old/name/pr_1.json"), older).unwrap();
    let report = rebuild(&home.folder).await.unwrap();
    insta::assert_debug_snapshot!(report);
    for (name, text) in bad {
        assert_eq!(std::fs::read_to_string(folder.join(name)).unwrap(), text);
    }
    let store = home.engine().await;
    assert_eq!(store.loops().await.unwrap(), rebuilt(states)[..1]);
    // A new loop at the place of a bad checkpoint does not overwrite it.
    store.create(&new_loop(2), &login(), NOW).await.unwrap();
    store.wait_for_checkpoints().await;
    let aside = home
        .file_names()
        .into_iter()
        .find(|file| file.contains("pr_2.json.kept-"))
        .unwrap();
    assert_eq!(
        std::fs::read_to_string(home.folder.root().join(aside)).unwrap(),
        bad[0].1
    );
}

#[tokio::test]
async fn a_sound_journal_is_not_rebuilt() {
    let home = temp_home();
    let states = sample_loops(&home).await;
    let healthy = RebuildReport {
        healthy: true,
        ..RebuildReport::default()
    };
    assert_eq!(rebuild(&home.folder).await.unwrap(), healthy);
    let store = home.engine().await;
    assert_eq!(store.loops().await.unwrap(), states);
    let refused = rebuild(&home.folder).await.unwrap_err();
    assert!(
        matches!(refused, OpenError::EngineRunning { .. }),
        "{refused}"
    );
}
