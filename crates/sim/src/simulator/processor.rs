//! On which processor a play runs.

/// Keeps the calling thread, and all that it starts from now on, on one of the processors that it may run on.
///
/// The threads of a play hand their work to one another and wait: none runs beside another one. To wake a thread on another processor takes
/// longer than most of what it then does. Does nothing where the system has no such wish.
pub fn stay_on_one(nth: usize) {
    #[cfg(target_os = "linux")]
    {
        use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
        use nix::unistd::Pid;
        let this = Pid::from_raw(0);
        let Ok(allowed) = sched_getaffinity(this) else {
            return;
        };
        let allowed: Vec<usize> = (0..CpuSet::count())
            .filter(|at| allowed.is_set(*at) == Ok(true))
            .collect();
        let mut one = CpuSet::new();
        let chosen = allowed.get(nth % allowed.len().max(1));
        if chosen.is_some_and(|at| one.set(*at).is_ok()) {
            // Where it is not granted the play is slower, and the same.
            let _granted = sched_setaffinity(this, &one);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = nth;
}
