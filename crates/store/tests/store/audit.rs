//! The audit log.

use crate::support::*;
use collie_core::ids::{RunId, Time};
use collie_engine::ports::{AuditAction, AuditEntry, JournalReader, StoreError};

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
