//! The walls that a process puts up around itself: Landlock, and a list of system calls that are refused.

#[cfg(target_os = "linux")]
use ::landlock::RulesetStatus;
use std::path::PathBuf;

/// Why they do not stand.
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "there is no inner wall that could fail")
)]
pub(crate) enum InnerWallError {
    /// The kernel has no Landlock.
    NoLandlock,
    /// What a wall said.
    Other(String),
}

/// Puts them up; what starts afterwards stands behind them too.
#[cfg(target_os = "linux")]
pub(crate) fn put_up(writable: &[PathBuf]) -> Result<(), InnerWallError> {
    let restricted = landlock::restrict(writable);
    let landlock =
        restricted.map_err(|error| InnerWallError::Other(format!("Landlock refuses: {error}")))?;
    if landlock == RulesetStatus::NotEnforced {
        return Err(InnerWallError::NoLandlock);
    }
    seccomp::restrict()
        .map_err(|error| InnerWallError::Other(format!("system calls cannot be filtered: {error}")))
}

/// Seatbelt does all of it from outside.
#[cfg(not(target_os = "linux"))]
pub(crate) fn put_up(_writable: &[PathBuf]) -> Result<(), InnerWallError> {
    Ok(())
}

#[cfg(target_os = "linux")]
mod landlock {
    use landlock::{
        ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    };
    use std::path::PathBuf;

    /// The newest that is asked for; an older kernel gives what it has, and one without gives nothing.
    const NEWEST: ABI = ABI::V6;

    /// Only these folders can be written to, and no process outside can be signalled. Tells how much of that holds.
    pub(super) fn restrict(writable: &[PathBuf]) -> Result<RulesetStatus, RulesetError> {
        let everything = AccessFs::from_all(NEWEST);
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(everything)?
            .scope(Scope::from_all(NEWEST))?
            .create()?;
        rules = add(rules, "/".as_ref(), AccessFs::from_read(NEWEST))?;
        let memory = ["/dev", "/tmp", "/var/tmp", "/run", "/proc"].map(PathBuf::from);
        for folder in writable.iter().chain(&memory) {
            rules = add(rules, folder, everything)?;
        }
        Ok(rules.restrict_self()?.ruleset)
    }

    fn add(
        rules: landlock::RulesetCreated,
        folder: &std::path::Path,
        access: landlock::BitFlags<AccessFs>,
    ) -> Result<landlock::RulesetCreated, RulesetError> {
        match PathFd::new(folder) {
            Ok(folder) => rules.add_rule(PathBeneath::new(folder, access)),
            // What is not there needs no rule.
            Err(_) => Ok(rules),
        }
    }
}

#[cfg(target_os = "linux")]
mod seccomp {
    use nix::libc;
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
    use std::collections::BTreeMap;

    /// Calls that no build, test or agent makes, and that kernels have been broken into with.
    const REFUSED: &[i64] = &[
        libc::SYS_acct,
        libc::SYS_add_key,
        libc::SYS_bpf,
        libc::SYS_clock_settime,
        libc::SYS_delete_module,
        libc::SYS_finit_module,
        libc::SYS_init_module,
        libc::SYS_kexec_load,
        libc::SYS_keyctl,
        libc::SYS_open_by_handle_at,
        libc::SYS_perf_event_open,
        libc::SYS_quotactl,
        libc::SYS_reboot,
        libc::SYS_request_key,
        libc::SYS_setns,
        libc::SYS_settimeofday,
        libc::SYS_swapoff,
        libc::SYS_swapon,
        libc::SYS_userfaultfd,
    ];

    pub(super) fn restrict() -> Result<(), String> {
        let refused: BTreeMap<i64, Vec<_>> =
            REFUSED.iter().map(|call| (*call, Vec::new())).collect();
        let arch = std::env::consts::ARCH
            .try_into()
            .map_err(|error| format!("{error}"))?;
        let filter = SeccompFilter::new(
            refused,
            SeccompAction::Allow,
            SeccompAction::Errno(libc::EPERM.unsigned_abs()),
            arch,
        )
        .map_err(|error| error.to_string())?;
        let program: BpfProgram = filter
            .try_into()
            .map_err(|error: seccompiler::BackendError| error.to_string())?;
        seccompiler::apply_filter(&program).map_err(|error| error.to_string())
    }
}
