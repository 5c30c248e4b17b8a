//! Runs a coding agent for one turn over ACP, protocol version 1 (SPEC §6.1, §6.5).
//!
//! The agent runs in the sandbox ([`AgentSandbox`]). It gets a scrubbed environment without any GitHub token, is
//! offered neither files nor terminals of ours, and asks one table, [`tools`], for what its role may do. Whatever
//! happens (an answer, a failure, a deadline, a cancel, a panic, a dropped future), its whole process tree is ended.
//!
//! All that an agent says is untrusted text (§9.2), also in [`Progress`] and [`AgentFailure`]: the caller sanitizes it.
//! What it says it did is not believed: the caller looks at the tree of files.

mod agent_home;
mod agent_process;
mod agent_sandbox;
mod conversation;
mod discovery;
mod environment;
mod failure;
mod framing;
mod known_agents;
mod mcp_servers;
mod mcp_spec;
mod observer;
mod output_tail;
mod placement;
mod policy;
mod program_lookup;
mod requests;
mod self_test;
mod session_opening;
mod session_options;
mod spec;
mod turn;
mod turn_runner;

#[cfg(test)]
mod fuzz_tests;

pub use agent_sandbox::AgentSandbox;
pub use collie_sandbox::HostPattern;
pub use discovery::{InstalledAgent, LoginState, find_agent, self_test};
pub use environment::{EnvVars, host_env_vars, is_withheld};
pub use failure::AgentFailure;
pub use known_agents::{KnownAgent, known_agents};
pub use mcp_spec::{McpEndpoint, McpHeader, McpServerSpec, McpTransport};
pub use policy::{AgentRole, RefusalReason, Tool, ToolRefusal, allowed_tools};
pub use self_test::SelfTest;
pub use spec::{AgentSpec, EnvAuthMethod, FileHint, LoginHints, SessionModes};
pub use turn::{
    AgentProgress, Resumption, StopReason, ToolCallState, ToolUse, TurnEnd, TurnLimits,
    TurnRequest, TurnUsage,
};
pub use turn_runner::run_turn;
