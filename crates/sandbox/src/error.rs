//! Why nothing was run.

/// Why a program could not be run behind the walls. It was not run at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// This system has none that is known.
    #[error("there is no sandbox for {0}")]
    UnsupportedSystem(&'static str),
    /// bubblewrap is not installed.
    #[error("there is no `bwrap` on PATH")]
    NoBubblewrap,
    /// It is installed, and the system does not let it put up its walls, as in many containers.
    #[error("bubblewrap cannot put up its walls: {message}")]
    Refused {
        /// The end of its error output.
        message: String,
    },
    /// The walls stood before, and this time they, or the program, did not start.
    #[error("`{program}` could not be started in the sandbox: {message}")]
    NotStarted {
        /// What was to run.
        program: String,
        /// The system's or bubblewrap's words.
        message: String,
    },
}
