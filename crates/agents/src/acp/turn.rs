//! One turn of an agent: what goes in, what is heard meanwhile, what comes out.

use super::agent_sandbox::AgentSandbox;
use super::environment::EnvVars;
use super::policy::{AgentRole, Tool, ToolRefusal};
use super::spec::AgentSpec;
use collie_core::session::UntakenSetting;
use std::path::PathBuf;
use std::time::Duration;

/// What an agent is to do.
#[derive(Clone, Debug)]
pub struct TurnRequest {
    /// The agent.
    pub spec: AgentSpec,
    /// The variables that it may take from.
    pub env: EnvVars,
    /// The folder it works in: a worktree, or a reviewer's checkout.
    pub cwd: PathBuf,
    /// The prompt, part by part; the protocol knows no system prompt, so the role's comes first.
    pub prompt: Vec<String>,
    /// The id of an earlier session to go on with.
    pub resume_session_id: Option<String>,
    /// Where it is run.
    pub sandbox: AgentSandbox,
    /// What it may do.
    pub role: AgentRole,
    /// How long and how much.
    pub limits: TurnLimits,
}

/// How long a turn may take and how much an agent may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimits {
    /// From one message to the next.
    pub idle_timeout: Duration,
    /// The whole turn.
    pub total_timeout: Duration,
    /// From `session/cancel` to the agent's answer; at most 5 s are given (§10.5).
    pub cancel_grace: Duration,
    /// Bytes of one message.
    pub max_message_bytes: usize,
    /// Bytes of all messages.
    pub max_turn_bytes: u64,
}

impl Default for TurnLimits {
    /// A fixer's (§2): 3 min idle, 30 min in all; 8 MiB a message, 512 MiB in all.
    fn default() -> Self {
        Self {
            idle_timeout: Duration::from_secs(3 * 60),
            total_timeout: Duration::from_secs(30 * 60),
            cancel_grace: Duration::from_secs(5),
            max_message_bytes: 8 << 20,
            max_turn_bytes: 512 << 20,
        }
    }
}

/// Something that a turn's timeline can show. All texts are the agent's: untrusted, and cut to a bounded length.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentProgress {
    /// It answered.
    Started {
        /// Its name and version in its own words.
        agent: Option<String>,
    },
    /// A session is open.
    Session {
        /// To save, and go on with later.
        id: String,
        /// Whether it is the saved one.
        resumption: Resumption,
    },
    /// It wrote more of a message.
    Text {
        /// What it added.
        chunk: String,
    },
    /// It uses a tool, or is done with it.
    Tool {
        /// Which, and how it stands.
        used: ToolUse,
    },
    /// It told its plan.
    Plan {
        /// Steps done.
        done: usize,
        /// Steps in all.
        total: usize,
    },
    /// It told how much its session holds by now: what its next call of the model reads at least.
    Context {
        /// In tokens.
        tokens: u64,
        /// What the whole session has cost so far in dollars, if it tells.
        session_cost_usd: Option<f64>,
    },
    /// It told what this turn took, although the turn was broken off.
    Spent {
        /// In tokens.
        usage: TurnUsage,
    },
    /// It did not take what the user set.
    Untaken {
        /// What, and why.
        setting: UntakenSetting,
    },
    /// It was not allowed something.
    Refused {
        /// What, and why.
        refusal: ToolRefusal,
    },
}

/// Whether a session goes on from an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resumption {
    /// None was asked for.
    Fresh,
    /// It is the saved one.
    Resumed,
    /// The saved one could not be had; this is a new one.
    Lost {
        /// The agent's reason, or that it cannot resume.
        reason: String,
    },
}

/// How a tool call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolCallState {
    /// Announced.
    Pending,
    /// Running.
    Running,
    /// Done.
    Done,
    /// Failed, or was not allowed.
    Failed,
}

/// One tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolUse {
    /// Its id in the session.
    pub id: String,
    /// What it does.
    pub tool: Tool,
    /// In the agent's words.
    pub title: String,
    /// How it stands.
    pub state: ToolCallState,
}

/// Why the agent stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// It is done, as it says.
    EndTurn,
    /// The model's answer was cut.
    MaxTokens,
    /// It called the model as often as it may.
    MaxRequests,
    /// The model refused.
    Refusal,
    /// It says that the turn was cancelled, though nobody did.
    Cancelled,
    /// A reason that this version of the protocol does not know.
    Other,
}

/// What came out of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnEnd {
    /// The last message: the text after the last tool call.
    pub text: String,
    /// Whether the end of that message was cut off, since it was too long.
    pub text_cut: bool,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// To save, and go on with later.
    pub session_id: String,
    /// Whether this session went on from the saved one.
    pub resumption: Resumption,
    /// Tokens, if the agent tells.
    pub usage: Option<TurnUsage>,
    /// What the whole session has cost so far in dollars, earlier turns of it included, if the agent tells.
    pub session_cost_usd: Option<f64>,
    /// The tools it used, in order.
    pub tools: Vec<ToolUse>,
    /// How many more there were.
    pub tools_left_out: usize,
    /// What it was not allowed.
    pub refused: Vec<ToolRefusal>,
    /// What the user set and it did not take.
    pub untaken: Vec<UntakenSetting>,
}

/// Tokens of one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnUsage {
    /// Tokens in.
    pub input_tokens: u64,
    /// Tokens out.
    pub output_tokens: u64,
    /// Tokens that came out of the provider's cache.
    pub cached_read_tokens: u64,
    /// Tokens that went into it.
    pub cached_write_tokens: u64,
}
