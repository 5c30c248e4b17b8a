//! `seen`: a person has looked at what no reviewer was shown.

use crate::support::*;
use collie_testkit::repository::PASSING_CHECK;

#[test]
fn what_nobody_was_shown_is_listed_and_a_persons_word_lets_the_loop_go_on() {
    let forge = ForgeServer::start();
    // More than the rules of structure read.
    let large = "x = 1\n".repeat(200_000);
    forge.import_files(
        "demo/one",
        &[(".forge.toml", PASSING_CHECK), ("app.py", "x = 1\n")],
        &[("app.py", &large)],
    );
    let home = TestHome::new(&forge);
    let none = home.run(&["seen", "demo/one#1", "--json"]);
    assert_eq!(
        (none.status, &none.json()[0]["code"]),
        (1, &"no_loop".into())
    );
    let watched = home.run(&["watch", "demo/one#1", "--until-settled", "--json"]);
    assert_eq!(watched.status, 3, "{watched:?}");
    let waiting = home.status("demo/one#1");
    assert_eq!(waiting["blocker"]["code"], "unseen");
    assert_eq!(waiting["coverage"]["needing_look"], 1);
    let told = home.run(&["status", "demo/one#1"]);
    assert!(told.stdout.contains("app.py: too large"), "{}", told.stdout);

    // Shown alone: nothing is said.
    let shown = home.run(&["seen", "demo/one#1"]);
    assert_eq!(shown.status, 0, "{shown:?}");
    assert!(
        shown.stdout.contains("app.py: too large"),
        "{}",
        shown.stdout
    );
    assert_eq!(home.status("demo/one#1")["blocker"]["code"], "unseen");

    let seen = home.run(&["seen", "demo/one#1", "--yes", "--json"]).json();
    assert_eq!(seen[0]["unseen"][0]["reason"], "too_large", "{seen:?}");
    assert_eq!(seen[1]["fate"], "queued", "{seen:?}");
    let watched = home.run(&["watch", "demo/one#1", "--until-settled", "--json"]);
    assert_eq!(watched.status, 0, "{watched:?}");
    let audit = home.audit();
    let audited = audit
        .iter()
        .filter(|line| line["action"] == "unseen_files_seen");
    assert_eq!(audited.count(), 1, "{audit:?}");
    let again = home.run(&["seen", "demo/one#1", "--yes", "--json"]);
    assert_eq!(again.json()[0]["code"], "nothing_unseen", "{again:?}");
}
