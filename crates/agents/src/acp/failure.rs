//! Why a turn has no result.

use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_sandbox::{DiskStop, SandboxError};
use std::time::Duration;

/// A turn, a look or a self-test that came to nothing. Each says what was tried, on what, and what to do.
///
/// `message` and `stderr` are the agent's own words: untrusted text (§9.2).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentFailure {
    /// Its program is not there.
    #[error(
        "{agent}: there is no program `{program}` that can be run; install it where PATH finds it, or name its command in the settings"
    )]
    ProgramNotFound {
        /// The agent.
        agent: String,
        /// What was looked for.
        program: String,
    },
    /// The system did not start it.
    #[error("{agent}: `{program}` could not be started: {reason}")]
    NotStarted {
        /// The agent.
        agent: String,
        /// What was started.
        program: String,
        /// The system's words.
        reason: String,
    },
    /// There is no sandbox to start it in (§9.5).
    #[error("{agent} was not started: {error}")]
    NoSandbox {
        /// The agent.
        agent: String,
        /// Which wall is missing, or in the way.
        error: SandboxError,
    },
    /// It was ended for what it wrote to the disk.
    #[error("{agent} was ended: {stop}")]
    DiskFilled {
        /// The agent.
        agent: String,
        /// The limit.
        stop: DiskStop,
    },
    /// It speaks another version of the protocol.
    #[error(
        "{agent} speaks version {offered} of the Agent Client Protocol, and Collie version 1; install a version of it that speaks 1"
    )]
    UnsupportedProtocol {
        /// The agent.
        agent: String,
        /// What it answered.
        offered: u16,
    },
    /// It is not logged in.
    #[error("{agent} asks to log in first ({}): {message}; log in with its own command, or set its API key", ways(.methods))]
    LoginRequired {
        /// The agent.
        agent: String,
        /// Names of the ways it offers.
        methods: Vec<String>,
        /// Its words.
        message: String,
    },
    /// What it sent does not fit the protocol.
    #[error(
        "{agent} gave an answer to {step} that does not fit the protocol: {reason}; update it, and report it to its makers if that does not help"
    )]
    InvalidResponse {
        /// The agent.
        agent: String,
        /// The call that was open.
        step: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It sent nothing for too long.
    #[error("{agent} said nothing for {} during {step}; it was ended, and may do better next time{}", seconds(.after), tail(.stderr))]
    IdleTimeout {
        /// The agent.
        agent: String,
        /// The call that was open.
        step: String,
        /// For how long.
        after: Duration,
        /// The end of its error output.
        stderr: String,
    },
    /// The whole turn took too long.
    #[error("{agent} was not done after {}, during {step}; it was ended; give it less to do, or more time in the settings{}", seconds(.after), tail(.stderr))]
    DeadlineExceeded {
        /// The agent.
        agent: String,
        /// The call that was open.
        step: String,
        /// The limit.
        after: Duration,
        /// The end of its error output.
        stderr: String,
    },
    /// It sent more than is taken.
    #[error(
        "{agent} sent more than {bound} bytes in one {what}; it was ended, and may do better with less to do"
    )]
    TooMuchOutput {
        /// The agent.
        agent: String,
        /// `message` or `turn`.
        what: String,
        /// The limit, in bytes.
        bound: u64,
    },
    /// It ended, or closed its output, before it had answered.
    #[error("{agent} ended during {step} ({status}); start it in a terminal to see why{}", tail(.stderr))]
    ProcessExited {
        /// The agent.
        agent: String,
        /// The call that was open.
        step: String,
        /// How it ended.
        status: String,
        /// The end of its error output.
        stderr: String,
    },
    /// It answered with an error.
    #[error("{agent} refused {step} with error {code}: {message}; start it in a terminal to see more{}", tail(.stderr))]
    Refused {
        /// The agent.
        agent: String,
        /// The call.
        step: String,
        /// The code of JSON-RPC.
        code: i32,
        /// Its words.
        message: String,
        /// The end of its error output.
        stderr: String,
    },
    /// Somebody cancelled.
    #[error("{agent} was cancelled")]
    Cancelled {
        /// The agent.
        agent: String,
    },
}

/// JSON-RPC's code for "something went wrong inside", which agents also use for an overloaded model.
const INTERNAL_ERROR: i32 = -32603;

impl AgentFailure {
    /// Whether another attempt with nothing changed may go better (§2: three attempts).
    pub fn is_transient(&self) -> bool {
        match self {
            Self::InvalidResponse { .. }
            | Self::IdleTimeout { .. }
            | Self::DeadlineExceeded { .. }
            | Self::TooMuchOutput { .. }
            | Self::ProcessExited { .. } => true,
            Self::Refused { code, .. } => *code == INTERNAL_ERROR,
            // Somebody may free the disk; what passes a limit once passes it again.
            Self::DiskFilled { stop, .. } => *stop == DiskStop::DiskFull,
            Self::ProgramNotFound { .. }
            | Self::NotStarted { .. }
            | Self::UnsupportedProtocol { .. }
            | Self::LoginRequired { .. }
            | Self::NoSandbox { .. }
            | Self::Cancelled { .. } => false,
        }
    }
}

impl From<AgentFailure> for UserError {
    fn from(failure: AgentFailure) -> Self {
        let of = |code, agent: String| UserError::new(code).with("agent", agent);
        match failure {
            AgentFailure::ProgramNotFound { agent, program } => {
                of(ErrorCode::AgentProgramNotFound, agent).with("program", program)
            }
            AgentFailure::NotStarted {
                agent,
                program,
                reason,
            } => of(ErrorCode::AgentNotStarted, agent)
                .with("program", program)
                .with_aside("message", reason),
            AgentFailure::NoSandbox { error, .. } => error.into(),
            AgentFailure::DiskFilled { stop, .. } => stop.into(),
            AgentFailure::UnsupportedProtocol { agent, offered } => {
                of(ErrorCode::AgentUnsupportedProtocol, agent).with("offered", offered)
            }
            AgentFailure::LoginRequired {
                agent,
                methods,
                message,
            } => of(ErrorCode::AgentLoginRequired, agent)
                .with_aside("methods", methods.join(", "))
                .with_aside("message", message),
            AgentFailure::InvalidResponse {
                agent,
                step,
                reason,
            } => of(ErrorCode::AgentInvalidResponse, agent)
                .with("step", step)
                .with_aside("message", reason),
            AgentFailure::IdleTimeout {
                agent,
                step,
                after,
                stderr,
            } => of(ErrorCode::AgentIdleTimeout, agent)
                .with("step", step)
                .with_arg("after", after)
                .with_aside("message", stderr),
            AgentFailure::DeadlineExceeded {
                agent,
                step,
                after,
                stderr,
            } => of(ErrorCode::AgentDeadlineExceeded, agent)
                .with("step", step)
                .with_arg("after", after)
                .with_aside("message", stderr),
            AgentFailure::TooMuchOutput { agent, bound, .. } => {
                of(ErrorCode::AgentTooMuchOutput, agent).with_arg("bound", bound)
            }
            AgentFailure::ProcessExited {
                agent,
                step,
                status,
                stderr,
            } => of(ErrorCode::AgentProcessExited, agent)
                .with("step", step)
                .with("status", status)
                .with_aside("message", stderr),
            AgentFailure::Refused {
                agent,
                step,
                code,
                message,
                stderr,
            } => of(ErrorCode::AgentRefused, agent)
                .with("step", step)
                .with("error", code)
                .with("message", message)
                .with_aside("stderr", stderr),
            AgentFailure::Cancelled { agent } => of(ErrorCode::AgentCancelled, agent),
        }
    }
}

fn ways(methods: &[String]) -> String {
    if methods.is_empty() {
        "it does not say how".into()
    } else {
        methods.join(", ")
    }
}

fn seconds(time: &Duration) -> String {
    format!("{} s", time.as_secs_f32())
}

fn tail(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!("; its last words: {stderr}")
    }
}
