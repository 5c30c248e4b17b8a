//! Checkpoints: written after each visible change, never over something else.

use crate::support::*;
use collie_core::ids::{LoopId, RepoName};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_engine::ports::{Journal, JournalReader};

#[tokio::test]
async fn each_visible_change_is_in_the_checkpoint_and_others_write_none() {
    let home = temp_home();
    let store = home.engine().await;
    let first = new_loop(1);
    store.create(&first, &login(), NOW).await.unwrap();
    let second = with_state(&first, State::PrAwaitingChecks);
    receive_and_apply(&store, cancel(), &first, second.clone()).await;
    assert_eq!(store.wait_for_checkpoints().await, 0);
    let checkpoint = home.checkpoint("acme/web/pr_1.json");
    assert_eq!(checkpoint["journal_seq"], 2);
    assert_eq!(checkpoint["version"], 3);
    assert_eq!(checkpoint["pull"], "acme/web#1");
    let state: LoopState = serde_json::from_value(checkpoint["state"].clone()).unwrap();
    assert_eq!(state, second);

    let mut polled = second.clone();
    polled.run.polling.next_at = Some(NOW.plus(1));
    polled.run.updated_at = NOW.plus(1);
    receive_and_apply(&store, observed(1), &second, polled).await;
    store.wait_for_checkpoints().await;
    assert_eq!(home.checkpoint("acme/web/pr_1.json")["journal_seq"], 2);
    store.close().await;
    // Nothing half-written is left, and a start finds nothing that lags.
    insta::assert_debug_snapshot!(home.file_names());
    let before = modified_at(&home, "acme/web/pr_1.json");
    home.engine().await.wait_for_checkpoints().await;
    assert_eq!(modified_at(&home, "acme/web/pr_1.json"), before);
}

fn modified_at(home: &TempHome, path: &str) -> std::time::SystemTime {
    home.folder
        .checkpoints()
        .join(path)
        .metadata()
        .unwrap()
        .modified()
        .unwrap()
}

#[tokio::test]
async fn a_start_writes_what_lags_and_removes_what_is_half_written() {
    let home = temp_home();
    let place = home.folder.checkpoints().join("acme/web/pr_1.json");
    let store = home.engine().await;
    let first = new_loop(1);
    store.create(&first, &login(), NOW).await.unwrap();
    store.wait_for_checkpoints().await;
    let old = std::fs::read(&place).unwrap();
    receive_and_apply(
        &store,
        cancel(),
        &first,
        with_state(&first, State::Cancelled),
    )
    .await;
    store.close().await;
    let unfinished = place.with_file_name(".pr_xyz.unfinished");
    for earlier in [Some(old), None] {
        match &earlier {
            Some(old) => std::fs::write(&place, old).unwrap(),
            None => std::fs::remove_file(&place).unwrap(),
        }
        std::fs::write(&unfinished, "{").unwrap();
        let store = home.engine().await;
        assert_eq!(store.wait_for_checkpoints().await, 0);
        assert_eq!(
            home.checkpoint("acme/web/pr_1.json")["state"]["run"]["state"],
            "cancelled"
        );
        assert!(!unfinished.exists());
        store.close().await;
    }
}

#[tokio::test]
async fn what_is_not_the_loops_own_is_kept_aside() {
    let newer = r#"{"version": 4, "something": "else"}"#;
    for foreign in ["{ cut off", newer, ""] {
        let home = temp_home();
        let place = home.folder.checkpoints().join("acme/web/pr_1.json");
        let store = home.engine().await;
        store.create(&new_loop(1), &login(), NOW).await.unwrap();
        store.close().await;
        std::fs::write(&place, foreign).unwrap();
        let store = home.engine().await;
        assert_eq!(store.wait_for_checkpoints().await, 0);
        assert_eq!(home.checkpoint("acme/web/pr_1.json")["journal_seq"], 1);
        let kept = home
            .file_names()
            .into_iter()
            .find(|file| file.contains(".json.kept-"))
            .unwrap();
        assert_eq!(
            std::fs::read_to_string(home.folder.root().join(kept)).unwrap(),
            foreign
        );
    }
}

#[tokio::test]
async fn a_checkpoint_that_cannot_be_written_is_tried_again_with_the_next() {
    let home = temp_home();
    let store = home.engine().await;
    std::fs::create_dir_all(home.folder.checkpoints()).unwrap();
    let in_the_way = home.folder.checkpoints().join("acme");
    std::fs::write(&in_the_way, "").unwrap();
    store.create(&new_loop(1), &login(), NOW).await.unwrap();
    assert_eq!(store.wait_for_checkpoints().await, 1);
    assert_eq!(store.loops().await.unwrap().len(), 1, "the journal has it");
    std::fs::remove_file(&in_the_way).unwrap();
    store.create(&new_loop(2), &login(), NOW).await.unwrap();
    assert_eq!(store.wait_for_checkpoints().await, 0);
    for number in [1, 2] {
        assert_eq!(
            home.checkpoint(&format!("acme/web/pr_{number}.json"))["state"]["id"]["number"],
            number
        );
    }
}

#[tokio::test]
async fn renames_move_it_and_no_two_loops_share_one() {
    let home = temp_home();
    let store = home.engine().await;
    let first = new_loop(1);
    let twin = LoopState {
        id: LoopId {
            host: "127.0.0.1:4000".into(),
            ..id(1)
        },
        ..first.clone()
    };
    store.create(&first, &login(), NOW).await.unwrap();
    store.create(&twin, &login(), NOW).await.unwrap();
    let mut renamed = first.clone();
    renamed.pull.repo = RepoName::parse("acme/Con").unwrap();
    receive_and_apply(&store, cancel(), &first, renamed.clone()).await;
    store.wait_for_checkpoints().await;
    let files = || -> Vec<_> {
        home.file_names()
            .into_iter()
            .filter(|file| file.ends_with(".json"))
            .collect()
    };
    insta::assert_debug_snapshot!(files());
    let mut shouted = first;
    shouted.pull.repo = RepoName::parse("ACME/Con").unwrap();
    receive_and_apply(&store, cancel(), &renamed, shouted.clone()).await;
    store.close().await;
    let store = home.engine().await;
    assert_eq!(store.loops().await.unwrap(), vec![shouted, twin]);
}
