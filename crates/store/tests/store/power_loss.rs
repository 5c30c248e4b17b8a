//! The machine loses its power: of what SQLite had not synced, any part may be missing, and its last part may be torn. What a call has
//! returned for stays.
//!
//! A commit appends to the write-ahead log and syncs it before it returns (`synchronous=FULL`). So the log as long as it was when a call
//! returned is what the disk has for sure, and whatever comes after that may be there in part, or as rubbish. Each such disk is made here,
//! and opened.

use crate::support::*;
use collie_engine::ports::{Journal, JournalReader};
use collie_store::Store;
use std::fs;
use std::path::{Path, PathBuf};

const STEPS: u32 = 12;

fn log_of(home: &TempHome) -> PathBuf {
    let mut name = home.folder.database().into_os_string();
    name.push("-wal");
    name.into()
}

/// A small generator of numbers without a pattern (xorshift), so that a run is the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// How the part of the log that was not synced looks afterwards.
#[derive(Clone, Copy, Debug)]
enum Lost {
    /// Cut off.
    Cut,
    /// The file has its length, and zeros.
    Zeroed,
    /// Some of its blocks arrived, others did not.
    Scattered,
}

fn lose(log: &[u8], synced: usize, how: Lost, numbers: &mut Numbers) -> Vec<u8> {
    const BLOCK: usize = 512;
    let mut left = log.to_vec();
    match how {
        Lost::Cut => {
            let more = numbers.below((log.len() - synced) as u64 + 1);
            left.truncate(synced + usize::try_from(more).unwrap());
        }
        Lost::Zeroed => left[synced..].fill(0),
        Lost::Scattered => {
            for block in left[synced..].chunks_mut(BLOCK) {
                if numbers.below(2) == 0 {
                    block.fill(0);
                }
            }
        }
    }
    left
}

/// A data folder as it is after the power came back.
fn disk_after(database: &[u8], log: &[u8], into: &Path) {
    fs::create_dir_all(into).unwrap();
    fs::write(into.join("collie.db"), database).unwrap();
    fs::write(into.join("collie.db-wal"), log).unwrap();
}

/// The turns that a journal knows, and how many events wait.
async fn known(home: &TempHome) -> (u32, usize, usize) {
    let store = home.engine().await;
    let state = store.loops().await.unwrap().remove(0);
    let timeline = store.timeline(&id(1)).await.unwrap();
    let recorded = store.recorded(&id(1)).await.unwrap();
    assert_eq!(recorded.len(), timeline.len());
    assert!(recorded.iter().all(|entry| entry.recorded.is_some()));
    let unapplied = store.unapplied().await.unwrap().len();
    store.close().await;
    (state.run.fixing.turns, timeline.len(), unapplied)
}

async fn next_turn(store: &Store, turns: u32) {
    let mut before = new_loop(1);
    before.run.fixing.turns = turns;
    let mut after = before.clone();
    after.run.fixing.turns += 1;
    receive_and_apply(store, observed(1), &before, after).await;
}

#[tokio::test]
async fn what_a_call_has_returned_for_is_there_whatever_was_lost_after_it() {
    let home = temp_home();
    let store = home.engine().await;
    store.create(&new_loop(1), &login(), NOW).await.unwrap();
    // What the disk has for sure after each step: the log is synced when the call returns.
    let mut synced = vec![log_of(&home).metadata().unwrap().len()];
    for turn in 0..STEPS {
        next_turn(&store, turn).await;
        synced.push(log_of(&home).metadata().unwrap().len());
    }
    // As a process that dies leaves them: the log is not brought into the database.
    let database = fs::read(home.folder.database()).unwrap();
    let log = fs::read(log_of(&home)).unwrap();
    assert!(synced.is_sorted_by(|one, next| one < next), "{synced:?}");
    drop(store);

    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut torn = 0;
    for (done, synced) in synced.iter().enumerate() {
        for how in [Lost::Cut, Lost::Zeroed, Lost::Scattered] {
            let left = temp_home();
            let synced = usize::try_from(*synced).unwrap();
            let log = lose(&log, synced, how, &mut numbers);
            disk_after(&database, &log, left.folder.root());
            let (turns, entries, unapplied) = known(&left).await;
            let least = u32::try_from(done).unwrap();
            assert!(turns >= least, "{how:?} after {done}: {turns} turns");
            // Whole steps only: no entry without its state, no event that is neither waiting nor applied.
            assert_eq!(entries as u32, turns + 1, "{how:?} after {done}");
            assert!(unapplied <= 1, "{how:?} after {done}: {unapplied}");
            torn += usize::from(turns > least || unapplied > 0);
        }
    }
    assert!(
        torn > 0,
        "something of what was not synced arrived somewhere"
    );
}
