//! `collie doctor` reads what people made of findings (§9.6).

use crate::support::*;
use serde_json::{Value, json};

fn memory_line(home: &TestHome) -> Value {
    let ended = home.run(&["doctor", "--json", "--lang", "en"]);
    let mut lines = ended.json();
    lines.retain(|line| line["name"] == "memory");
    assert_eq!(lines.len(), 1, "{ended:?}");
    lines.remove(0)
}

#[test]
fn doctor_names_a_memory_that_cannot_be_understood() {
    let forge = ForgeServer::start();
    let home = TestHome::new(&forge);
    assert_eq!(memory_line(&home)["text"], "Nothing remembered yet");
    let folder = home.path().join("memory/github.com/acme");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("one.toml"), "version = 1\n").unwrap();
    let line = memory_line(&home);
    assert_eq!(
        (&line["status"], &line["text"]),
        (&json!("ok"), &json!("1 repository"))
    );
    std::fs::write(
        folder.join("two.toml"),
        "version = 1\n[[entry]]\ntitle = 'x'\n",
    )
    .unwrap();
    let line = memory_line(&home);
    let text = line["text"].as_str().unwrap();
    assert_eq!(line["status"], "note", "{line}");
    let named = text.contains("two.toml") && text.contains("line 2") && text.contains("`verdict`");
    assert!(named && !text.contains('\n'), "{text}");
}
