//! How far Collie goes by itself, said and answered without a window (§13.7).

use crate::support::*;
use collie_app::demo::Scenario;
use serde_json::Value;

const PULL: &str = "demo/one#1";

/// How many comments there are on the pull request.
fn comments(forge: &ForgeServer) -> usize {
    let conversation = forge.list("/repos/demo/one/issues/1/comments");
    let inline = forge.list("/repos/demo/one/pulls/1/comments");
    conversation.len() + inline.len()
}

fn head(forge: &ForgeServer) -> Value {
    forge.call(COLLIE_LOGIN, "GET", "/repos/demo/one/pulls/1", None)["head"]["sha"].clone()
}

#[test]
fn what_nobody_has_set_up_is_observed_then_asked_about_and_pushed_when_approved() {
    let forge = ForgeServer::start();
    forge.import_scenario(Scenario::FixLoop, "demo/one");
    let home = TestHome::new(&forge);
    let config = std::fs::read_to_string(home.path().join("config.toml")).unwrap();
    home.configure(&config.replace("autonomy = \"push\"\n", ""));
    let (before, said) = (head(&forge), comments(&forge));

    let watch = ["watch", PULL, "--until-settled", "--json"];
    let watched = home.run(&watch);
    assert_eq!(watched.status, 3, "{watched:?}");
    let view = home.status(PULL);
    assert_eq!(
        (&view["autonomy"], &view["blocker"]["code"]),
        (&"observe".into(), &"observing".into())
    );
    assert_eq!(view["held_push"]["can_approve"], false);
    assert_eq!((head(&forge), comments(&forge)), (before.clone(), said));
    let shown = home.run(&["status", PULL]).stdout;
    assert!(
        shown.contains("Level observe") && shown.contains("It would push"),
        "{shown}"
    );
    let refused = home.run(&["approve", PULL, "--yes", "--json"]);
    assert_eq!(refused.json()[0]["code"], "no_push_waits", "{refused:?}");

    let ask = [&watch[..], &["--autonomy", "ask"]].concat();
    let watched = home.run(&ask);
    assert_eq!(watched.status, 3, "{watched:?}");
    let view = home.status(PULL);
    assert_eq!(view["blocker"]["code"], "awaiting_approval", "{view}");
    assert_eq!(head(&forge), before);
    // Shown alone: nothing is said.
    let shown = home.run(&["approve", PULL]);
    assert_eq!(shown.status, 0, "{shown:?}");

    let approved = home.run(&["approve", PULL, "--yes", "--json"]).json();
    assert_eq!(
        approved[0]["commit"], view["held_push"]["commit"],
        "{approved:?}"
    );
    assert_eq!(approved[1]["fate"], "queued", "{approved:?}");
    let watched = home.run(&watch);
    assert_ne!(head(&forge), before, "{watched:?}");
    let audit = home.audit();
    let of = |action: &str| audit.iter().filter(|line| line["action"] == action).count();
    assert!(
        of("push_approved") >= 1 && of("autonomy_changed") >= 1,
        "{audit:?}"
    );
}

#[test]
fn a_rejection_is_told_with_its_note_and_nothing_is_pushed() {
    let forge = ForgeServer::start();
    forge.import_scenario(Scenario::FixLoop, "demo/one");
    let home = TestHome::new(&forge);
    let before = head(&forge);
    let watch = [
        "watch",
        PULL,
        "--until-settled",
        "--json",
        "--autonomy",
        "ask",
    ];
    let watched = home.run(&watch);
    assert_eq!(watched.status, 3, "{watched:?}");
    let rejected = home.run(&["reject", PULL, "--note", "not like this", "--json"]);
    assert_eq!(rejected.json()[1]["fate"], "queued", "{rejected:?}");
    let watched = home.run(&watch[..4]);
    assert_eq!(watched.status, 3, "{watched:?}");
    let log = home.run(&["log", PULL]).stdout;
    assert!(log.contains("not like this"), "{log}");
    assert_eq!(head(&forge), before);
}
