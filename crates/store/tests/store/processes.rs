//! Other processes: a second engine, and one that is killed.

use crate::support::*;
use collie_engine::ports::{Journal, JournalReader, JournalUpkeep, LoopRequest, RequestStatus};
use collie_store::{OpenError, OpenMode, RunningEngine, Store, StorePaths, running_engine};
use collie_testkit::wait::wait_until;
use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Set in a child: it plays the other process, on this folder.
const CHILD_HOME_ENV: &str = "COLLIE_STORE_TEST_HOME";

/// Starts this very test in another process.
fn spawn_test_process(test: &str, home: &TempHome) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads", "1"])
        .env(CHILD_HOME_ENV, home.folder.root())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, lines)
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn a_second_engine_is_told_who_owns_the_folder() {
    if let Some(folder) = std::env::var_os(CHILD_HOME_ENV) {
        let _engine = Store::open(&StorePaths::below(folder), OpenMode::Engine)
            .await
            .unwrap();
        println!("\nowned");
        std::future::pending::<()>().await;
    }
    let home = temp_home();
    assert_eq!(running_engine(&home.folder).unwrap(), None);
    let (child, mut lines) = spawn_test_process(
        "processes::a_second_engine_is_told_who_owns_the_folder",
        &home,
    );
    assert!(lines.any(|line| line.unwrap() == "owned"));
    let pid = Some(child.id());
    assert_eq!(
        running_engine(&home.folder).unwrap(),
        Some(RunningEngine { pid })
    );
    let refused = Store::open(&home.folder, OpenMode::Engine)
        .await
        .err()
        .unwrap();
    assert!(
        matches!(&refused, OpenError::EngineRunning { pid: found, .. } if *found == pid),
        "{refused}"
    );
    assert!(
        refused
            .to_string()
            .contains(&format!("(process {})", child.id())),
        "{refused}"
    );
    let reader = home.reader().await;
    assert!(reader.loops().await.unwrap().is_empty());
    // The system frees the lock of a dead process.
    kill(child);
    assert_eq!(running_engine(&home.folder).unwrap(), None);
    home.engine().await;
}

/// Asks for a loop, tells its number, and tells what became of it.
async fn ask_and_learn(folder: &StorePaths) {
    let store = Store::open(folder, OpenMode::Reader).await.unwrap();
    let start = LoopRequest::Start {
        pull: pull_name(1),
        autonomy: None,
    };
    let asked = store.add_request(&start, &login(), NOW).await.unwrap();
    println!("\nasked {asked}");
    wait_until("an answer", async || {
        match store.request_status(asked).await.unwrap().unwrap() {
            RequestStatus::Pending => false,
            RequestStatus::Done => true,
            RequestStatus::Refused(why) => panic!("{why}"),
        }
    })
    .await;
    println!("done {}", store.loops().await.unwrap().len());
}

#[tokio::test]
async fn another_process_asks_and_learns_the_answer() {
    if let Some(folder) = std::env::var_os(CHILD_HOME_ENV) {
        return ask_and_learn(&StorePaths::below(folder)).await;
    }
    let home = temp_home();
    let engine = home.engine().await;
    let name = "processes::another_process_asks_and_learns_the_answer";
    let (mut child, lines) = spawn_test_process(name, &home);
    let mut lines = lines.map(Result::unwrap);
    let asked = lines.find_map(|line| line.strip_prefix("asked ")?.parse().ok());
    let asked = asked.expect("it asks");
    let start = LoopRequest::Start {
        pull: pull_name(1),
        autonomy: None,
    };
    assert_eq!(engine.requests().await.unwrap(), [(asked, start, login())]);
    engine.create(&new_loop(1), &login(), NOW).await.unwrap();
    engine.finish_request(asked, None).await.unwrap();
    assert!(lines.any(|line| line == "done 1"), "it learns the answer");
    assert!(lines.count() > 0, "it tells its end");
    assert!(child.wait().unwrap().success());
}

/// Makes a loop or goes on with it: receives events and applies them, telling each when it is done.
async fn apply_events_forever(folder: &StorePaths) {
    let store = Store::open(folder, OpenMode::Engine).await.unwrap();
    store.create(&new_loop(1), &login(), NOW).await.unwrap();
    let mut state = store.loops().await.unwrap().remove(0);
    let mut waiting: Vec<u64> = store
        .unapplied()
        .await
        .unwrap()
        .into_iter()
        .map(|(seq, _, _)| seq)
        .collect();
    println!("\nready");
    loop {
        waiting.extend(
            store
                .receive(&[(id(1), cancel()), (id(1), cancel())], NOW)
                .await
                .unwrap(),
        );
        println!("received {}", waiting.last().unwrap());
        for seq in waiting.drain(..) {
            let mut next = state.clone();
            next.run.fixing.turns += 1;
            store
                .apply(&[applied(&[seq], &state, next.clone())])
                .await
                .unwrap();
            state = next;
            println!("applied {}", state.run.fixing.turns);
        }
    }
}

#[tokio::test]
async fn a_killed_engine_loses_nothing_that_it_has_received() {
    if let Some(folder) = std::env::var_os(CHILD_HOME_ENV) {
        apply_events_forever(&StorePaths::below(folder)).await;
    }
    let home = temp_home();
    let (mut received, mut done) = (0, 0);
    for round in 0_usize..12 {
        let name = "processes::a_killed_engine_loses_nothing_that_it_has_received";
        let (child, lines) = spawn_test_process(name, &home);
        let messages = lines.map(Result::unwrap).skip_while(|line| line != "ready");
        for line in messages.skip(1).take(round * 7 % 30 + 1) {
            match line.split_once(' ') {
                Some(("received", seq)) => received = seq.parse().unwrap(),
                Some(("applied", turns)) => done = turns.parse().unwrap(),
                _ => panic!("the child said {line:?}"),
            }
        }
        kill(child);
        let store = home.engine().await;
        let turns = u64::from(store.loops().await.unwrap()[0].run.fixing.turns);
        let timeline = store.timeline(&id(1)).await.unwrap();
        let unapplied = store.unapplied().await.unwrap();
        assert!(turns >= done, "round {round}: {turns} of {done}");
        assert_eq!(
            timeline.len() as u64,
            turns + 1,
            "round {round}: one line an event"
        );
        let known = turns + unapplied.len() as u64;
        assert!(
            known >= received,
            "round {round}: {known} of {received} are there"
        );
        assert_eq!(store.wait_for_checkpoints().await, 0);
        assert_eq!(
            home.checkpoint("acme/web/pr_1.json")["state"]["run"]["fixing"]["turns"],
            turns
        );
        store.close().await;
    }
}
