//! The engine knows no time but its clock's: else no test, and no simulation, could say what it does when.

use super::{files_below, workspace_root};

/// What goes by the machine's own time.
const REAL_TIME: [&str; 4] = [
    "tokio::time",
    "Instant::now",
    "SystemTime",
    "Timestamp::now",
];

#[test]
fn the_engine_waits_and_measures_by_its_clock_alone() {
    let sources = files_below(&workspace_root().join("crates/engine/src"));
    let mut looked_at = 0;
    for path in sources {
        let text = std::fs::read_to_string(&path).expect("a source");
        looked_at += 1;
        for word in REAL_TIME {
            assert!(!text.contains(word), "{} names {word}", path.display());
        }
    }
    assert!(looked_at > 10, "{looked_at}");
}
