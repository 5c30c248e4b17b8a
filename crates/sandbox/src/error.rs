//! Why nothing was run.

use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;

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
    /// The kernel has no Landlock, or it is switched off: the wall beneath bubblewrap's.
    #[error("the kernel has no Landlock")]
    NoLandlock,
    /// The walls stood before, and this time they, or the program, did not start.
    #[error("`{program}` could not be started in the sandbox: {message}")]
    NotStarted {
        /// What was to run.
        program: String,
        /// The system's or bubblewrap's words.
        message: String,
    },
}

impl From<SandboxError> for UserError {
    fn from(error: SandboxError) -> Self {
        match error {
            SandboxError::UnsupportedSystem(system) => {
                UserError::new(ErrorCode::SandboxUnsupported)
                    .with("system", system)
                    .hint(ErrorHint::Unsandboxed)
            }
            SandboxError::NoBubblewrap => UserError::new(ErrorCode::SandboxMissing)
                .hint(ErrorHint::InstallBubblewrap)
                .hint(ErrorHint::Unsandboxed),
            SandboxError::Refused { message } => UserError::new(ErrorCode::SandboxRefused)
                .with("message", message)
                .hint(ErrorHint::UserNamespaces)
                .hint(ErrorHint::Unsandboxed),
            SandboxError::NoLandlock => UserError::new(ErrorCode::SandboxNoLandlock)
                .hint(ErrorHint::Landlock)
                .hint(ErrorHint::Unsandboxed),
            SandboxError::NotStarted { program, message } => {
                UserError::new(ErrorCode::SandboxNotStarted)
                    .with("program", program)
                    .with("message", message)
                    .hint(ErrorHint::Doctor)
            }
        }
    }
}
