//! `collie doctor` looks at the audit log (§9.6).

use crate::support::*;
use serde_json::{Value, json};

pub(crate) fn audit_line(home: &TestHome, language: &str) -> Value {
    let ended = home.run(&["doctor", "--json", "--lang", language]);
    let mut lines = ended.json();
    lines.retain(|line| line["name"] == "audit");
    assert_eq!(lines.len(), 1, "{ended:?}");
    lines.remove(0)
}

#[test]
fn doctor_names_file_and_line_of_what_was_changed_in_the_audit_log() {
    let forge = ForgeServer::start();
    forge.import_acme_one();
    let home = TestHome::new(&forge);
    assert_eq!(audit_line(&home, "en")["text"], "Nothing written yet");
    let watch = ["watch", "acme/one#1", "--until-settled", "--json"];
    assert_eq!(home.run(&watch).status, 0);
    let line = audit_line(&home, "en");
    assert_eq!(line["status"], "ok", "{line}");

    let folder = std::fs::read_dir(home.path().join("audit")).unwrap();
    let mut files = folder.map(|entry| entry.unwrap().path());
    let file = files.find(|file| file.extension().is_some_and(|end| end == "jsonl"));
    let file = file.unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let name = file.file_name().unwrap().to_str().unwrap();
    std::fs::write(
        &file,
        text.replacen("permission_check_passed", "permission_check_denied", 1),
    )
    .unwrap();
    for (language, expect) in [
        ("en", format!("{name}, line 1: not as it was written.")),
        (
            "fr",
            format!("{name}, ligne 1\u{202f}: différente de ce qui a été écrit."),
        ),
    ] {
        let line = audit_line(&home, language);
        assert_eq!(
            (&line["status"], &line["text"]),
            (&json!("missing"), &json!(expect))
        );
    }
}
