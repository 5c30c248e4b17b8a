//! Verify commands, and what is prepared for them (§6.3 e).

use crate::fixture::{GitFixture, OopsSyntaxChecker, write_files};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::session::RefusedHosts;
use collie_core::user_error::{TextArg, UserError};
use collie_engine::ports::{
    CleanWorktree, GateRefusal, Git, GitError, PrepareStep, SessionMeter, VerifyPlan, VerifyRun,
};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// A registry on this machine that hands out one package, until the test is over. Its port.
async fn registry() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            // Who does not wait for the answer does not get it.
            let _ = stream.write_all(b"package\n").await;
        }
    });
    port
}

async fn checkout() -> (GitFixture, CleanWorktree) {
    let files = [
        ("a", "1\n"),
        (".gitignore", "deps\ncount\n"),
        ("yarn.lock", "1\n"),
    ];
    let fixture = GitFixture::new(&files);
    fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    let worktree = fixture.prepare().await;
    write_files(worktree.path(), &[("a", "3\n")]);
    (fixture, worktree)
}

fn plan(prepare: &str, hosts: &[String], command: &str) -> VerifyPlan {
    VerifyPlan {
        prepare: vec![PrepareStep {
            command: prepare.into(),
            hosts: hosts.to_vec(),
        }],
        commands: vec![command.into()],
        ..VerifyPlan::default()
    }
}

/// Whether the fix passed; the refusal, or the error as a person reads it.
async fn vet(
    fixture: &GitFixture,
    worktree: &CleanWorktree,
    plan: &VerifyPlan,
) -> Result<Option<GateRefusal>, UserError> {
    vet_metered(fixture, worktree, plan, &SessionMeter::default()).await
}

async fn vet_metered(
    fixture: &GitFixture,
    worktree: &CleanWorktree,
    plan: &VerifyPlan,
    meter: &SessionMeter,
) -> Result<Option<GateRefusal>, UserError> {
    let (verify, cancel) = (VerifyRun { plan, meter }, CancellationToken::new());
    let vetted = fixture
        .worktrees
        .vet(worktree, &OopsSyntaxChecker, verify, &cancel)
        .await;
    vetted.map(Result::err).map_err(GitError::into)
}

fn fetch(port: u16) -> String {
    format!("bash -c 'exec 3<>/dev/tcp/localhost/{port} && head -n 1 <&3 > deps && echo >> count'")
}

#[tokio::test]
async fn what_prepares_reaches_its_hosts_and_the_commands_after_it_find_what_it_fetched() {
    let (fixture, worktree) = checkout().await;
    let port = registry().await;
    let hosts = [format!("localhost:{port}")];
    let found = plan(&fetch(port), &hosts, "grep -q package deps");
    assert_eq!(vet(&fixture, &worktree, &found).await.unwrap(), None);
    // The command itself still has no network.
    let reaches = plan("true", &hosts, &fetch(port));
    let refused = vet(&fixture, &worktree, &reaches).await.unwrap();
    assert!(
        matches!(refused, Some(GateRefusal::Verify { .. })),
        "{refused:?}"
    );
    // Nor has a step for which nobody named the host.
    let error = vet(&fixture, &worktree, &plan(&fetch(port), &[], "true")).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::PrepareFailed);
}

#[tokio::test]
async fn it_is_prepared_again_when_a_lock_file_changes_and_in_a_new_checkout() {
    let (fixture, worktree) = checkout().await;
    let count = |times: u32| {
        plan(
            "echo >> count",
            &[],
            &format!("test $(wc -l < count) = {times}"),
        )
    };
    for _ in 0..2 {
        assert_eq!(vet(&fixture, &worktree, &count(1)).await.unwrap(), None);
    }
    fixture.commit_as_author(|tree| write_files(tree, &[("yarn.lock", "2\n")]));
    let again = fixture.prepare().await;
    write_files(again.path(), &[("a", "3\n")]);
    assert_eq!(vet(&fixture, &again, &count(1)).await.unwrap(), None);
    // The fix brings another.
    write_files(again.path(), &[("yarn.lock", "3\n")]);
    assert_eq!(vet(&fixture, &again, &count(2)).await.unwrap(), None);
}

/// Asks the proxy for a host that nobody named, then ends with `status`.
fn ask_for_evil(status: u8) -> String {
    format!(
        "bash -c 'exec 3<>/dev/tcp/127.0.0.1/${{HTTPS_PROXY##*:}} && printf \"CONNECT evil.example:443 HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n\" >&3 && head -n 1 <&3; exit {status}'"
    )
}

#[tokio::test]
async fn a_host_that_was_refused_to_a_preparation_that_succeeded_is_told_whatever_becomes_of_the_fix()
 {
    let (fixture, worktree) = checkout().await;
    let hosts = ["registry.example:443".to_owned()];
    let told = RefusedHosts {
        prepare: ["evil.example:443".to_owned()].into(),
        ..RefusedHosts::default()
    };
    for (command, passes) in [("true", true), ("false", false)] {
        let meter = SessionMeter::default();
        // A preparation of its own each time: nothing of an earlier one is remembered.
        let prepare = format!("{} # {command}", ask_for_evil(0));
        let plan = plan(&prepare, &hosts, command);
        let vetted = vet_metered(&fixture, &worktree, &plan, &meter).await;
        assert_eq!(vetted.unwrap().is_none(), passes, "{command}");
        assert_eq!(meter.refused_hosts(), told, "{command}");
    }
}

#[tokio::test]
async fn a_host_that_was_refused_while_it_was_prepared_is_named() {
    let (fixture, worktree) = checkout().await;
    let hosts = ["registry.example:443".to_owned()];
    let plan = plan(&ask_for_evil(1), &hosts, "true");
    let error = vet(&fixture, &worktree, &plan).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::PrepareHostsRefused);
    let named = TextArg::Names(vec!["evil.example:443".into()]);
    assert_eq!(error.args["hosts"], named);
    assert_eq!(error.hints, [ErrorHint::PrepareHosts]);
}

#[tokio::test]
async fn a_command_that_wants_the_network_is_no_fault_of_the_fix() {
    let (fixture, worktree) = checkout().await;
    let offline = "echo 'npm error code EAI_AGAIN' >&2; exit 1";
    let error = vet(&fixture, &worktree, &plan("true", &[], offline))
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::VerifyNeedsNetwork);
    assert_eq!(
        error.args["message"],
        TextArg::Text("npm error code EAI_AGAIN".into())
    );
    assert_eq!(error.hints, [ErrorHint::Prepare]);
    assert!(error.code.needs_person());
    // With the user's network it is what it is.
    let unsandboxed = VerifyPlan {
        unsandboxed: true,
        ..plan("true", &[], offline)
    };
    let refused = vet(&fixture, &worktree, &unsandboxed).await.unwrap();
    assert!(
        matches!(refused, Some(GateRefusal::Verify { .. })),
        "{refused:?}"
    );
}
