//! Pull requests that mean harm, on the forge, through the whole loop.
//!
//! Each attack is a shell condition that holds where the harm is done. What does it is what a stranger brings: a script that the verify
//! command runs, or an agent that obeys them. Then the script fails, or the agent goes, and the loop ends elsewhere than at ready: so each
//! attack stands beside its control, the same pull request in a repository that the user runs without walls.

#![allow(
    clippy::unwrap_used,
    reason = "all of this is test code; clippy sees only the test functions as such"
)]

mod attacker;
mod blindness;

use attacker::{Attacker, Outcome};

/// A test for each attack by each attacker.
macro_rules! attacks {
    ($($name:ident: $harm:expr;)*) => {
        mod verify_script {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::check(super::Attacker::VerifyScript, $harm).await;
            })*
        }

        mod agent {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::check(super::Attacker::Agent, $harm).await;
            })*
        }
    };
}

attacks! {
    reads_a_key: "grep -q canary VICTIM/.ssh/id_ed25519";
    writes_the_users_profile: "echo harm >> VICTIM/.profile";
    replaces_a_program_of_the_user: "echo harm > VICTIM/bin/git";
    opens_the_journal: "test -s ../../../../../collie.db";
    lists_the_data_folder: "ls ../../../../../audit";
    changes_how_git_is_run: "git config --file \"$(git rev-parse --git-common-dir)/config\" core.fsmonitor harm";
    plants_a_hook: "hooks=$(git rev-parse --git-common-dir)/hooks && mkdir -p \"$hooks\" && echo harm > \"$hooks/pre-push\"";
    reads_collies_environment: "grep -q PATH= /proc/COLLIE/environ";
    signals_collie: "kill -0 COLLIE";
    calls_a_service_of_this_machine: "bash -c 'exec 3<>/dev/tcp/127.0.0.1/PORT'";
    leaves_a_message_for_others: "{ test -p VICTIM/fifo || mkfifo -m 666 VICTIM/fifo; }";
}

/// The attack comes to nothing in the sandbox, and to its mark without.
async fn check(attacker: Attacker, harm: &str) {
    let (inside, outside) = tokio::join!(attacker.run(harm, false), attacker.run(harm, true));
    assert_eq!(outside, Outcome::Harmed, "the control: {harm}");
    assert_eq!(inside, Outcome::Harmless, "{harm}");
}
