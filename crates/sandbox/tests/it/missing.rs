//! Machines that lack a wall: each is told from the others, and nothing is run.

use crate::support::supervisor;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use collie_sandbox::{Sandbox, SandboxError};
use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};
use std::collections::BTreeMap;

/// Calls that are refused with an error number; those with a mask, where their first argument has all of its bits.
type Refusals = (i32, &'static [(i64, Option<u64>)]);

/// What is said of a machine whose kernel refuses some calls. They are refused to a thread that ends, and to what it starts.
fn detect_where_refused((errno, calls): Refusals) -> Result<(), SandboxError> {
    let rules: BTreeMap<i64, Vec<SeccompRule>> = calls
        .iter()
        .map(|(call, mask)| {
            let masked = mask.map(|mask| {
                let is_set = SeccompCmpOp::MaskedEq(mask);
                let of = SeccompCondition::new(0, SeccompCmpArgLen::Qword, is_set, mask).unwrap();
                SeccompRule::new(vec![of]).unwrap()
            });
            (*call, masked.into_iter().collect())
        })
        .collect();
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).unwrap();
    let filter: BpfProgram = filter.try_into().unwrap();
    let detect = move || {
        seccompiler::apply_filter(&filter).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(Sandbox::detect(supervisor())).map(|_| ())
    };
    std::thread::spawn(detect).join().unwrap()
}

#[test]
fn a_kernel_without_landlock_is_named_and_nothing_runs() {
    let landlock: &[(i64, Option<u64>)] = &[(libc::SYS_landlock_create_ruleset, None)];
    // It was not built in, or is switched off.
    for errno in [libc::ENOSYS, libc::EOPNOTSUPP] {
        let error = detect_where_refused((errno, landlock)).unwrap_err();
        assert_eq!(error, SandboxError::NoLandlock);
        let told = UserError::from(error);
        assert_eq!(told.code, ErrorCode::SandboxNoLandlock);
        assert_eq!(told.hints, [ErrorHint::Landlock, ErrorHint::Unsandboxed]);
    }
    // The control: the same machine, with all of its calls.
    let other = &[(libc::SYS_acct, None)];
    assert_eq!(detect_where_refused((libc::ENOSYS, other)), Ok(()));
}

#[test]
fn a_machine_that_lets_nobody_make_namespaces_is_named_with_the_words_of_bubblewrap() {
    let user = u64::from(libc::CLONE_NEWUSER.unsigned_abs());
    let namespaces: &'static [(i64, Option<u64>)] = Box::leak(Box::new([
        (libc::SYS_clone, Some(user)),
        (libc::SYS_unshare, Some(user)),
    ]));
    let error = detect_where_refused((libc::EPERM, namespaces)).unwrap_err();
    let SandboxError::Refused { message } = &error else {
        panic!("{error:?}");
    };
    assert!(message.contains("bwrap: "), "{message}");
    let told = UserError::from(error);
    assert_eq!(told.code, ErrorCode::SandboxRefused);
    assert_eq!(
        told.hints,
        [ErrorHint::UserNamespaces, ErrorHint::Unsandboxed]
    );
}
