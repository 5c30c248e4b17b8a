//! The walls that a process puts up around itself: Landlock, and a list of system calls that are refused.

use std::path::PathBuf;

/// Puts them up; what starts afterwards stands behind them too.
#[cfg(target_os = "linux")]
pub(crate) fn put_up(writable: &[PathBuf]) -> Result<(), String> {
    landlock::restrict(writable).map_err(|error| format!("Landlock refuses: {error}"))?;
    seccomp::restrict().map_err(|error| format!("system calls cannot be filtered: {error}"))
}

/// Seatbelt does all of it from outside.
#[cfg(not(target_os = "linux"))]
pub(crate) fn put_up(_writable: &[PathBuf]) -> Result<(), String> {
    Ok(())
}

#[cfg(target_os = "linux")]
mod landlock {
    use landlock::{
        ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetError, Scope,
    };
    use std::path::PathBuf;

    /// The newest that is asked for; an older kernel gives what it has, and one without gives nothing: the mounts stand without it.
    const NEWEST: ABI = ABI::V6;

    /// Only these folders can be written to, and no process outside can be signalled.
    pub(super) fn restrict(writable: &[PathBuf]) -> Result<(), RulesetError> {
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
        rules.restrict_self()?;
        Ok(())
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
