//! Starting the program once more without its secrets, which come along through a pipe.

use crate::secret_names;
use crate::variables::HeldSecrets;
use nix::unistd::{close, pipe};
use secrecy::zeroize::Zeroizing;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Names process and descriptor: `PID:FD`. With another process's number it says nothing, so that children may inherit it.
const PIPE_VARIABLE: &str = "COLLIE_START_PIPE";
/// What a pipe takes before anybody reads it, on every system.
const MAX_HANDOVER_BYTES: usize = 16 << 10;

/// Where a process finds its own descriptors.
#[cfg(target_os = "linux")]
const DESCRIPTORS: &str = "/proc/self/fd";
#[cfg(not(target_os = "linux"))]
const DESCRIPTORS: &str = "/dev/fd";

/// What the start before this one handed over; none when this is the first.
pub(crate) fn receive() -> Option<HeldSecrets> {
    let fd = parse_pipe_variable(&std::env::var(PIPE_VARIABLE).ok()?, std::process::id())?;
    // A pipe that cannot be read leaves this process without its secrets, as if they had not been set: starting again could go on for ever.
    let bytes = read_to_end(fd).unwrap_or_default();
    Some(decode(&bytes))
}

/// Starts the program once more, where it has secrets in its environment or lacks a default. Returns when there is no need, or it fails.
pub(crate) fn restart_without_secrets(defaults: &[(&str, &str)]) {
    let secrets = secret_names::in_environment();
    let missing = defaults
        .iter()
        .filter(|(name, _)| std::env::var_os(name).is_none());
    let missing: Vec<&(&str, &str)> = missing.collect();
    if secrets.is_empty() && missing.is_empty() {
        return;
    }
    // What stays visible then, `exposure` tells.
    drop(restart(&secrets, &missing));
}

/// Comes back only with an error.
fn restart(secrets: &[(String, String)], defaults: &[&(&str, &str)]) -> io::Result<()> {
    let bytes = encode(secrets);
    if bytes.len() > MAX_HANDOVER_BYTES {
        return Err(io::Error::other("the secrets are too long for a pipe"));
    }
    let program = std::env::current_exe()?;
    // Both ends are inherited; there is no thread yet that could start another program meanwhile.
    let (read, write) = pipe()?;
    File::from(write).write_all(&bytes)?;
    let mut args = std::env::args_os();
    let mut command = Command::new(program);
    if let Some(name) = args.next() {
        command.arg0(name);
    }
    command
        .args(args)
        .envs(defaults.iter().map(|(name, value)| (*name, *value)))
        .env(
            PIPE_VARIABLE,
            pipe_variable(std::process::id(), read.as_raw_fd()),
        );
    for (name, _) in secrets {
        command.env_remove(name);
    }
    Err(command.exec())
}

fn pipe_variable(pid: u32, fd: i32) -> OsString {
    format!("{pid}:{fd}").into()
}

fn parse_pipe_variable(text: &str, own_pid: u32) -> Option<i32> {
    let (pid, fd) = text.split_once(':')?;
    (pid.parse() == Ok(own_pid)).then(|| fd.parse().ok())?
}

fn read_to_end(fd: i32) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_HANDOVER_BYTES));
    let opened = File::open(format!("{DESCRIPTORS}/{fd}"))?;
    // Programs that this one starts must not inherit it.
    close(fd)?;
    opened
        .take(MAX_HANDOVER_BYTES as u64)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// `NAME=value`, each with a NUL after it, which neither can hold.
fn encode(secrets: &[(String, String)]) -> Zeroizing<Vec<u8>> {
    let length = |(name, value): &(String, String)| name.len() + value.len() + 2;
    let mut bytes = Zeroizing::new(Vec::with_capacity(secrets.iter().map(length).sum()));
    for (name, value) in secrets {
        for part in [name, "=", value, "\0"] {
            bytes.extend_from_slice(part.as_bytes());
        }
    }
    bytes
}

fn decode(bytes: &[u8]) -> HeldSecrets {
    bytes
        .split(|byte| *byte == 0)
        .filter_map(|entry| std::str::from_utf8(entry).ok()?.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    #[test]
    fn secrets_come_out_of_the_pipe_as_they_went_in() {
        let secrets = [
            ("A_TOKEN", "with=equals\nand lines"),
            ("B_KEY", "ü"),
            ("C_PASS", "x"),
        ];
        let given = secrets.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let held = decode(&encode(&given));
        let held: Vec<_> = held
            .iter()
            .map(|(name, value)| (name.as_str(), value.expose_secret()))
            .collect();
        assert_eq!(held, secrets);
        assert!(decode(b"").is_empty() && decode(b"\0\0no sign\0\xff=x\0").is_empty());
    }

    #[test]
    fn only_the_very_process_takes_what_was_handed_over() {
        assert_eq!(parse_pipe_variable("12:5", 12), Some(5));
        for other in ["12:5", "13:", "13", ":5", "", "13:x", "x:13"] {
            assert_eq!(parse_pipe_variable(other, 13), None, "{other}");
        }
    }
}
