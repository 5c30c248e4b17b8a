//! What is remembered of people's judgements, as files that people edit.

use collie_core::ids::{Login, RepoName, RepositoryId, Time};
use collie_core::review_memory::{MAX_ENTRIES, MemoryEntry, MemoryVerdict};
use collie_engine::ports::{MemoryKey, StoreError};
use collie_store::MemoryFiles;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

fn key(id: &str, name: &str) -> MemoryKey {
    MemoryKey {
        id: RepositoryId {
            host: "github.com".into(),
            repo_id: id.into(),
        },
        name: RepoName::parse(name).unwrap(),
    }
}

fn entry(id: &str) -> MemoryEntry {
    MemoryEntry {
        id: id.into(),
        verdict: MemoryVerdict::Dismissed,
        title: format!("The retry loop {id} has no bound"),
        category: "correctness".into(),
        file: "src/a.py".into(),
        description: "It runs \"for ever\".\nTwice.".into(),
        evidence: Some("while True:".into()),
        reason: Some("the caller has a deadline".into()),
        by: Some(Login::new("ana")),
        pull: Some(12),
        at: Time(1_700_000_000_000),
        expires_at: Some(Time(1_800_000_000_000)),
    }
}

fn files() -> (TempDir, MemoryFiles) {
    let folder = tempfile::tempdir().unwrap();
    let files = MemoryFiles::below(folder.path());
    (folder, files)
}

fn file(files: &MemoryFiles, key: &MemoryKey) -> PathBuf {
    files.file(key).unwrap().expect("there is a file")
}

#[test]
fn what_is_added_is_read_again_and_the_same_twice_is_one() {
    let (_folder, files) = files();
    let key = key("R_1", "acme/web");
    assert!(files.load(&key).unwrap().entries.is_empty());
    assert_eq!(files.file(&key).unwrap(), None, "reading makes no file");
    files.add(&key, &entry("a")).unwrap();
    files.add(&key, &entry("b")).unwrap();
    files.add(&key, &entry("a")).unwrap();
    assert_eq!(files.load(&key).unwrap().entries, [entry("a"), entry("b")]);
    assert!(files.forget(&key, "a").unwrap());
    assert!(!files.forget(&key, "a").unwrap());
    assert_eq!(files.load(&key).unwrap().entries, [entry("b")]);
}

#[test]
fn what_people_write_into_the_file_stays_and_counts() {
    let (_folder, files) = files();
    let key = key("R_1", "acme/web");
    files.add(&key, &entry("a")).unwrap();
    let path = file(&files, &key);
    let by_hand =
        "\n# We like it so.\n[[entry]]\nverdict = \"dismissed\"\ntitle = \"Missing docstring\"\n";
    let text = fs::read_to_string(&path).unwrap() + by_hand;
    fs::write(&path, text).unwrap();
    files.add(&key, &entry("b")).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("# We like it so."), "{text}");
    let entries = files.load(&key).unwrap().entries;
    let titles: Vec<&str> = entries.iter().map(|entry| entry.title.as_str()).collect();
    assert_eq!(titles[1], "Missing docstring");
    assert_eq!(entries[1].expires_at, None);
    assert_eq!(entries.len(), 3);
}

#[test]
fn a_file_that_cannot_be_understood_is_named_with_line_and_left_alone() {
    let (_folder, files) = files();
    let key = key("R_1", "acme/web");
    files.add(&key, &entry("a")).unwrap();
    let path = file(&files, &key);
    for (broken, named) in [
        (
            "version = 1\nrepository = \"R_1\"\n[[entry]]\ntitel = \"x\"\n",
            "titel",
        ),
        ("version = 1\nrepository = \"R_1\"\n[[entry]\n", "line 3"),
        ("version = 9\nrepository = \"R_1\"\n", "version 9"),
    ] {
        fs::write(&path, broken).unwrap();
        let error = files.add(&key, &entry("b")).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
        assert!(error.to_string().contains("web.toml"), "{error}");
        assert!(files.load(&key).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), broken);
    }
    fs::write(&path, "version = 9\n").unwrap();
    let newer = files.load(&key).unwrap_err();
    assert!(matches!(newer, StoreError::NewerVersion { .. }), "{newer}");
}

#[test]
fn a_renamed_repository_keeps_its_memory_and_a_new_one_of_its_old_name_has_none() {
    let (_folder, files) = files();
    files.add(&key("R_1", "acme/web"), &entry("a")).unwrap();
    let renamed = key("R_1", "acme/site");
    assert_eq!(files.load(&renamed).unwrap().entries, [entry("a")]);
    files.add(&renamed, &entry("b")).unwrap();
    assert!(file(&files, &renamed).ends_with("acme/site.toml"));
    let other = key("R_2", "acme/site");
    assert!(files.load(&other).unwrap().entries.is_empty());
    files.add(&other, &entry("c")).unwrap();
    assert_eq!(files.load(&other).unwrap().entries, [entry("c")]);
    assert_eq!(files.load(&renamed).unwrap().entries.len(), 2);
}

#[test]
fn the_oldest_entries_go_when_there_are_too_many() {
    let (_folder, files) = files();
    let key = key("R_1", "acme/web");
    files.add(&key, &entry("first")).unwrap();
    let path = file(&files, &key);
    let more: String = (1..MAX_ENTRIES)
        .map(|id| format!("[[entry]]\nid = \"{id}\"\nverdict = \"accepted\"\ntitle = \"x\"\n"))
        .collect();
    fs::write(&path, fs::read_to_string(&path).unwrap() + &more).unwrap();
    files.add(&key, &entry("last")).unwrap();
    let entries = files.load(&key).unwrap().entries;
    assert_eq!(entries.len(), MAX_ENTRIES);
    assert_eq!(entries[0].id, "1");
    assert_eq!(entries[MAX_ENTRIES - 1].id, "last");
}

#[test]
fn each_file_that_cannot_be_understood_is_named() {
    let (_folder, files) = files();
    assert!(matches!(files.check(), Ok((0, errors)) if errors.is_empty()));
    for (id, name) in [
        ("R_1", "acme/web"),
        ("R_2", "acme/api"),
        ("R_3", "other/web"),
    ] {
        files.add(&key(id, name), &entry("a")).unwrap();
    }
    assert!(matches!(files.check(), Ok((3, errors)) if errors.is_empty()));
    let broken = file(&files, &key("R_2", "acme/api"));
    fs::write(&broken, "version = 1\nentry = 3\n").unwrap();
    let (count, errors) = files.check().unwrap();
    assert_eq!((count, errors.len()), (3, 1));
    assert!(errors[0].to_string().contains("api.toml"), "{}", errors[0]);
}
