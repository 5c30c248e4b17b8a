//! The processes of this machine, as far as the system shows them.
//!
//! On Linux they are read from `/proc`. Elsewhere none are seen, and a process group is all that can be ended.

/// One process; the time of its start tells it from a later one with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProcessId {
    /// Its number.
    pub(super) pid: i32,
    /// When it started, in ticks since the machine did.
    pub(super) start_ticks: u64,
}

/// What is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProcessInfo {
    pub(super) process: ProcessId,
    pub(super) parent: i32,
    pub(super) group: i32,
    /// Whether it has ended and only waits to be noticed.
    pub(super) is_dead: bool,
}

/// All of them.
#[cfg(target_os = "linux")]
pub(super) fn list_processes() -> Vec<ProcessInfo> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(read_process).collect()
}

/// All of them: none are shown.
#[cfg(not(target_os = "linux"))]
pub(super) fn list_processes() -> Vec<ProcessInfo> {
    Vec::new()
}

/// One of them, if it is there.
#[cfg(target_os = "linux")]
pub(super) fn read_process(pid: i32) -> Option<ProcessInfo> {
    parse_stat_line(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// One of them: not shown.
#[cfg(not(target_os = "linux"))]
pub(super) fn read_process(_: i32) -> Option<ProcessInfo> {
    None
}

/// The value of a variable in the environment that a process was started with.
#[cfg(target_os = "linux")]
pub(super) fn read_env_variable(pid: i32, name: &str) -> Option<String> {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let values = environment.split(|byte| *byte == 0);
    let mut values =
        values.filter_map(|pair| pair.strip_prefix(name.as_bytes())?.strip_prefix(b"="));
    Some(String::from_utf8_lossy(values.next()?).into_owned())
}

/// The value of a variable: not shown.
#[cfg(not(target_os = "linux"))]
pub(super) fn read_env_variable(_: i32, _: &str) -> Option<String> {
    None
}

/// Reads a line of `/proc/PID/stat` (proc(5)). The name in parentheses may hold anything, so fields count from its end.
#[cfg(target_os = "linux")]
fn parse_stat_line(line: &str) -> Option<ProcessInfo> {
    let (pid, _) = line.split_once(' ')?;
    let (_, rest) = line.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(ProcessInfo {
        process: ProcessId {
            pid: pid.parse().ok()?,
            start_ticks: fields.get(19)?.parse().ok()?,
        },
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        is_dead: matches!(*fields.first()?, "Z" | "X"),
    })
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_it_is_called() {
        let line = "42 (a) b (c) Z 7 9 9 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 12345 0 0";
        let expect = ProcessInfo {
            process: ProcessId {
                pid: 42,
                start_ticks: 12345,
            },
            parent: 7,
            group: 9,
            is_dead: true,
        };
        assert_eq!(parse_stat_line(line), Some(expect));
        assert_eq!(parse_stat_line("42 (a"), None);
    }

    #[test]
    fn this_process_is_among_them_with_its_environment() {
        let pid = i32::try_from(std::process::id()).unwrap();
        let seen = read_process(pid).unwrap();
        assert!(list_processes().contains(&seen));
        assert_eq!(read_env_variable(pid, "PATH"), std::env::var("PATH").ok());
        assert_eq!(read_env_variable(pid, "PAT"), None);
    }
}
