//! The audit log.

use crate::support::*;
use collie_core::ids::{RunId, Time};
use collie_engine::ports::{AuditAction, AuditEntry, JournalReader, StoreError};
use collie_store::{AuditFaultKind, AuditReport, OpenMode, Store, verify_audit};
use std::path::{Path, PathBuf};
use std::sync::Barrier;

fn audit_entry(at: i64, action: AuditAction, run: Option<&str>) -> AuditEntry {
    let details = [
        ("action_token", "t-1"),
        ("action", "forged"),
        ("text", "two\nlines \"quoted\""),
    ];
    AuditEntry {
        at: Time(at),
        action,
        correlation_id: run.map(RunId::new),
        subject: pull_name(7).into(),
        details: details
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .into(),
    }
}

#[tokio::test]
async fn each_day_in_utc_has_its_file_with_one_object_a_line() {
    let home = temp_home();
    let (engine, other) = (home.engine().await, home.reader().await);
    let last_second = 1_767_225_599_000; // 2025-12-31T23:59:59Z
    engine
        .audit(&audit_entry(
            last_second,
            AuditAction::PrReviewLoopStarted,
            Some("run-7"),
        ))
        .await
        .unwrap();
    let denied = audit_entry(last_second + 500, AuditAction::PermissionCheckDenied, None);
    other.audit(&denied).await.unwrap();
    let next_day = audit_entry(
        last_second + 1_000,
        AuditAction::CommentPosted,
        Some("run-7"),
    );
    engine.audit(&next_day).await.unwrap();
    let read =
        |day| std::fs::read_to_string(home.folder.audit().join(format!("audit_{day}.jsonl")));
    insta::assert_snapshot!(format!(
        "{}---\n{}",
        read("2025-12-31").unwrap(),
        read("2026-01-01").unwrap()
    ));
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_audited_can_be_read_by_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = temp_home();
    let store = home.engine().await;
    let entry = audit_entry(0, AuditAction::CommentPosted, None);
    store.audit(&entry).await.unwrap();
    let mut seen = 0;
    for file in std::fs::read_dir(home.folder.audit()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{:?}: {mode:o}", file.path());
        seen += 1;
    }
    assert_eq!(seen, 2, "the lines, and where they end");
}

#[tokio::test]
async fn what_others_wrote_is_escaped_and_read_back_as_it_was() {
    let home = temp_home();
    let store = home.engine().await;
    let hostile = "a\u{1b}[2J\u{7}\u{7f}\u{9b}2J\u{202e}\u{200b}é\r";
    let mut entry = audit_entry(0, AuditAction::ExternalBotCommentRejected, None);
    entry
        .details
        .insert("claims".to_owned(), hostile.to_owned());
    store.audit(&entry).await.unwrap();
    let file = home.folder.audit().join("audit_1970-01-01.jsonl");
    let line = std::fs::read_to_string(file).unwrap();
    let line = line.strip_suffix('\n').unwrap();
    assert!(!line.contains(char::is_control), "{line:?}");
    assert!(!line.contains(['\u{202e}', '\u{200b}']), "{line:?}");
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(value["claims"], hostile);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_distinguished_from_other_failures() {
    let home = temp_home();
    let store = home.engine().await;
    std::fs::create_dir_all(home.folder.audit()).unwrap();
    let line = audit_entry(0, AuditAction::CommentPosted, None);
    let file = home.folder.audit().join("audit_1970-01-01.jsonl");
    std::os::unix::fs::symlink("/dev/full", &file).unwrap();
    let full = store.audit(&line).await.unwrap_err();
    assert!(matches!(full, StoreError::DiskFull), "{full}");

    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let other = store.audit(&line).await.unwrap_err();
    assert!(matches!(other, StoreError::Failed { .. }), "{other}");
    std::fs::remove_dir(&file).unwrap();
    store.audit(&line).await.unwrap();
}

/// A log of two days, three lines each, that two handles wrote by turns; its files.
async fn two_days(home: &TempHome) -> [PathBuf; 2] {
    let (engine, other) = (home.engine().await, home.reader().await);
    for (nth, at) in [0, 1_000, 2_000, DAY, DAY + 1_000, DAY + 2_000]
        .into_iter()
        .enumerate()
    {
        let by: &dyn JournalReader = if nth % 2 == 0 { &engine } else { &other };
        by.audit(&audit_entry(at, AuditAction::CommentPosted, None))
            .await
            .unwrap();
    }
    ["1970-01-01", "1970-01-02"].map(|day| home.folder.audit().join(format!("audit_{day}.jsonl")))
}

/// Milliseconds.
const DAY: i64 = 86_400_000;

fn lines_of(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn write_lines(file: &Path, lines: &[String]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(file, text).unwrap();
}

/// What is wrong with it: day of the month, line, fault.
fn faults(home: &TempHome) -> Vec<(String, u64, AuditFaultKind)> {
    let report = verify_audit(&home.folder).unwrap();
    let found = report.faults.into_iter();
    found
        .map(|fault| (fault.file[14..16].to_owned(), fault.line, fault.kind))
        .collect()
}

#[tokio::test]
async fn an_audit_log_of_several_days_and_processes_is_one_chain() {
    let home = temp_home();
    assert_eq!(verify_audit(&home.folder).unwrap(), AuditReport::default());
    let [_, second] = two_days(&home).await;
    // A new start goes on where the last one ended, even where the clock was set back.
    let again = home.reader().await;
    again
        .audit(&audit_entry(5_000, AuditAction::CommentPosted, None))
        .await
        .unwrap();
    assert_eq!(lines_of(&second).len(), 4);
    let expect = AuditReport {
        chained: 7,
        ..AuditReport::default()
    };
    assert_eq!(verify_audit(&home.folder).unwrap(), expect);
}

#[tokio::test]
async fn what_was_changed_in_the_audit_log_is_found_with_file_and_line() {
    use AuditFaultKind::{Edited, Gap, Truncated, Unchained};
    type Change = fn(&[PathBuf; 2], &mut Vec<String>, &mut Vec<String>);
    type Fault = (&'static str, u64, AuditFaultKind);
    let cases: &[(&str, Change, &[Fault])] = &[
        ("nothing", |_, _, _| {}, &[]),
        (
            "a value",
            |_, first, _| first[1] = first[1].replace("t-1", "t-2"),
            &[("01", 2, Edited)],
        ),
        (
            "a blank",
            |_, first, _| first[1].insert(1, ' '),
            &[("01", 2, Edited)],
        ),
        (
            "a second value",
            |_, first, _| first[1].insert_str(1, "\"pull\":\"x\","),
            &[("01", 2, Edited)],
        ),
        (
            "no JSON",
            |_, first, _| first[1] = "gone".into(),
            &[("01", 2, Edited)],
        ),
        (
            "a line removed",
            |_, first, _| drop(first.remove(1)),
            &[("01", 2, Gap)],
        ),
        (
            "the first removed",
            |_, first, _| drop(first.remove(0)),
            &[("01", 1, Gap)],
        ),
        (
            "the last of a day removed",
            |_, first, _| drop(first.pop()),
            &[("02", 1, Gap)],
        ),
        (
            "a line twice",
            |_, first, _| first.insert(1, first[0].clone()),
            &[("01", 2, Gap)],
        ),
        (
            "two swapped",
            |_, _, second| second.swap(0, 1),
            &[("02", 1, Gap), ("02", 2, Gap), ("02", 3, Gap)],
        ),
        (
            "moved to another day",
            |_, first, second| first.push(second.remove(1)),
            &[("01", 4, Gap), ("02", 1, Gap), ("02", 2, Gap)],
        ),
        (
            "the end cut off",
            |_, _, second| second.truncate(1),
            &[("02", 3, Truncated)],
        ),
        (
            "the last line cut off",
            |_, _, second| drop(second.pop()),
            &[("02", 3, Truncated)],
        ),
        (
            "the last line cut",
            |_, _, second| second[2].truncate(40),
            &[("02", 3, Edited), ("02", 3, Truncated)],
        ),
        (
            "a line of one's own",
            |_, first, _| first.insert(1, "{\"action\":\"x\"}".into()),
            &[("01", 2, Unchained)],
        ),
        (
            "a day removed",
            |files, _, _| std::fs::remove_file(&files[0]).unwrap(),
            &[("02", 1, Gap)],
        ),
    ];
    for (name, change, expect) in cases {
        let home = temp_home();
        let files = two_days(&home).await;
        let [mut first, mut second] = [lines_of(&files[0]), lines_of(&files[1])];
        change(&files, &mut first, &mut second);
        for (file, lines) in files.iter().zip([&first, &second]) {
            if file.exists() {
                write_lines(file, lines);
            }
        }
        let expect: Vec<_> = expect
            .iter()
            .map(|(day, line, kind)| ((*day).to_owned(), *line, *kind))
            .collect();
        assert_eq!(faults(&home), expect, "{name}");
    }
}

#[tokio::test]
async fn the_log_goes_on_after_damage_and_the_damage_stays_visible() {
    use AuditFaultKind::{Edited, Gap};
    let home = temp_home();
    let [_, second] = two_days(&home).await;
    let lines = lines_of(&second);
    let go_on = async || {
        let again = home.reader().await;
        let entry = audit_entry(DAY + 9_000, AuditAction::CommentPosted, None);
        again.audit(&entry).await.unwrap();
        faults(&home)
    };
    // A process died within a line.
    std::fs::write(&second, format!("{}\n{{\"action\":\"com", lines.join("\n"))).unwrap();
    assert_eq!(go_on().await, [("02".to_owned(), 4, Edited)]);
    assert_eq!(lines_of(&second).len(), 5);
    // The end was cut off: what comes next does not close the gap.
    write_lines(&second, &lines[..1]);
    assert_eq!(go_on().await, [("02".to_owned(), 2, Gap)]);
}

#[tokio::test]
async fn lines_of_older_versions_are_read_and_said_to_be_unchained() {
    let home = temp_home();
    std::fs::create_dir_all(home.folder.audit()).unwrap();
    let old = [
        "{\"action\":\"comment_posted\"}".to_owned(),
        "{\"action\":\"x\"}".to_owned(),
    ];
    let first = home.folder.audit().join("audit_1970-01-01.jsonl");
    write_lines(&first, &old);
    let written = two_days(&home).await;
    assert_eq!(lines_of(&written[0])[..2], old);
    let expect = AuditReport {
        chained: 6,
        unchained: 2,
        faults: Vec::new(),
    };
    assert_eq!(verify_audit(&home.folder).unwrap(), expect);
    // Who takes the hashes out of the first lines does not make them older.
    let mut lines = lines_of(&first);
    lines[2] = old[0].clone();
    write_lines(&first, &lines);
    assert_eq!(faults(&home), [("01".to_owned(), 4, AuditFaultKind::Gap)]);
}

#[tokio::test]
async fn lines_of_several_writers_at_once_are_one_chain() {
    const WRITERS: i64 = 4;
    const LINES: i64 = 40;
    let home = temp_home();
    drop(home.engine().await);
    let start = Barrier::new(WRITERS as usize);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            // A handle of its own has a lock of its own, as another process would.
            let (start, folder) = (&start, &home.folder);
            scope.spawn(move || {
                let runtime = tokio::runtime::Runtime::new().unwrap();
                runtime.block_on(async {
                    let store = Store::open(folder, OpenMode::Reader).await.unwrap();
                    start.wait();
                    for nth in 0..LINES {
                        let at = nth * DAY / LINES * 2 + writer;
                        let entry = audit_entry(at, AuditAction::CommentPosted, None);
                        store.audit(&entry).await.unwrap();
                    }
                });
            });
        }
    });
    let expect = AuditReport {
        chained: (WRITERS * LINES) as u64,
        ..AuditReport::default()
    };
    assert_eq!(verify_audit(&home.folder).unwrap(), expect);
}
