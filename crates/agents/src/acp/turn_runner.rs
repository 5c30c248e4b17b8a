//! One turn from its start to its end, whatever happens in between.

use super::agent_process::{self, RunningAgent};
use super::conversation::{ConversationScope, TurnOutcome, run_conversation};
use super::failure::AgentFailure;
use super::observer::{OutputFault, TurnObserver};
use super::policy::AllowedFolders;
use super::requests::ConversationError;
use super::self_test::SelfTest;
use super::turn::{AgentProgress, TurnEnd, TurnRequest};
use collie_sandbox::RefusedHosts;
use std::convert::Infallible;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// The most that an agent gets to answer a cancel (§10.5).
const MAX_CANCEL_GRACE: Duration = Duration::from_secs(5);
/// How long an agent that is done may take to go by itself, once its input is closed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long what an ended agent wrote is still read.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Runs one turn of an agent. `updates` is called as things happen, from within the conversation: it must not block.
///
/// The answer comes when no process of the agent is left. A cancel takes at most 10 s (§10.5); dropping the future kills
/// at once.
pub async fn run_turn(
    turn: &TurnRequest,
    on_progress: impl Fn(AgentProgress) + Send + Sync + 'static,
    cancel: &CancellationToken,
) -> Result<TurnEnd, AgentFailure> {
    let (outcome, observer) =
        converse_with_process(turn, ConversationScope::SendPrompt, on_progress, cancel).await?;
    let record = observer.record();
    Ok(TurnEnd {
        text: record.text,
        text_cut: record.text_cut,
        stop_reason: outcome.stop_reason,
        session_id: outcome.session_id,
        resumption: outcome.resumption,
        usage: outcome.usage,
        session_cost_usd: record.session_cost_usd,
        tools: record.tools,
        tools_left_out: record.tools_left_out,
        refused: record.refused,
        untaken: record.untaken,
    })
}

/// Opens a session and asks nothing.
pub(super) async fn open_session_only(
    turn: &TurnRequest,
    cancel: &CancellationToken,
) -> Result<SelfTest, AgentFailure> {
    let (outcome, _) =
        converse_with_process(turn, ConversationScope::OpenSession, |_| (), cancel).await?;
    let agent_info = outcome.agent_info;
    Ok(SelfTest {
        protocol: agent_info.protocol,
        agent: agent_info.name,
        auth_methods: agent_info.auth_method_names,
        can_resume: agent_info.can_resume,
        can_load: agent_info.can_load,
    })
}

/// Why a conversation has no result, seen from outside.
enum TurnError {
    Conversation(ConversationError),
    IdleTimeout,
    DeadlineExceeded,
    Exited(Option<ExitStatus>),
}

async fn converse_with_process(
    turn: &TurnRequest,
    scope: ConversationScope,
    on_progress: impl Fn(AgentProgress) + Send + Sync + 'static,
    cancel: &CancellationToken,
) -> Result<(TurnOutcome, Arc<TurnObserver>), AgentFailure> {
    if cancel.is_cancelled() {
        return Err(AgentFailure::Cancelled {
            agent: turn.spec.name.clone(),
        });
    }
    let (mut agent, pipes) = agent_process::spawn_agent(turn).await?;
    let allowed_folders = AllowedFolders {
        cwd: turn.cwd.clone(),
        temp: agent.temp_path().to_owned(),
    };
    let mut refused_hosts = agent.child.refused_hosts();
    let stop_token = cancel.child_token();
    let observer = TurnObserver::new(
        turn.role,
        allowed_folders,
        turn.limits,
        stop_token.clone(),
        on_progress,
    );
    let observer = Arc::new(observer.with_mcp_servers(turn.mcp_names()));
    let stderr_tail = agent.stderr_tail.clone();
    let result = {
        let conversation =
            run_conversation(turn, scope, pipes, &observer, &stderr_tail, &stop_token);
        await_first_end(
            turn,
            conversation,
            (&mut agent, &mut refused_hosts),
            &observer,
            cancel,
            &stop_token,
        )
        .await
    };
    let disk_stop = agent.child.disk_stop();
    let status = agent.end(exit_timeout(&result)).await;
    // What was refused at the very end; the channel closes with the agent's proxy.
    let rest = record_refused_hosts(&mut refused_hosts, &observer);
    let _ = timeout(DRAIN_TIMEOUT, rest).await;
    let stopped = match result {
        Ok(outcome) => return Ok((outcome, observer)),
        Err(TurnError::Conversation(ConversationError::Closed)) => TurnError::Exited(status),
        Err(stopped) => stopped,
    };
    let failure = match disk_stop {
        Some(stop) => AgentFailure::DiskFilled {
            agent: turn.spec.name.clone(),
            stop,
        },
        None => agent_failure(turn, stopped, &observer, stderr_tail.text()),
    };
    tracing::debug!(agent = turn.spec.id, %failure, "an agent's turn came to nothing");
    Err(failure)
}

/// How long an agent may take to go by itself.
fn exit_timeout(result: &Result<TurnOutcome, TurnError>) -> Duration {
    match result {
        Ok(_) => EXIT_TIMEOUT,
        Err(TurnError::Conversation(ConversationError::Closed)) => DRAIN_TIMEOUT,
        Err(
            TurnError::Conversation(_)
            | TurnError::IdleTimeout
            | TurnError::DeadlineExceeded
            | TurnError::Exited(_),
        ) => Duration::ZERO,
    }
}

/// Waits for the first thing that ends a conversation.
async fn await_first_end(
    turn: &TurnRequest,
    conversation: impl Future<Output = Result<TurnOutcome, ConversationError>>,
    (agent, refused_hosts): (&mut RunningAgent, &mut Option<RefusedHosts>),
    observer: &TurnObserver,
    cancel: &CancellationToken,
    stop_token: &CancellationToken,
) -> Result<TurnOutcome, TurnError> {
    let mut conversation = pin!(conversation);
    let grace = turn.limits.cancel_grace.min(MAX_CANCEL_GRACE);
    tokio::select! {
        // Deadlines come first: a flood of messages uses up what one poll may do, and what comes after it would never be looked at.
        biased;
        () = async { cancel.cancelled().await; sleep(grace).await } => Err(TurnError::Conversation(ConversationError::Cancelled)),
        () = sleep(turn.limits.total_timeout) => {
            stop_token.cancel();
            // By the book first; whatever it answers, it is too late.
            let _ = timeout(grace, conversation).await;
            Err(TurnError::DeadlineExceeded)
        }
        () = observer.wait_for_silence(turn.limits.idle_timeout) => Err(TurnError::IdleTimeout),
        result = &mut conversation => result.map_err(TurnError::Conversation),
        never = async {
            record_refused_hosts(refused_hosts, observer).await;
            std::future::pending::<Infallible>().await
        } => match never {},
        status = agent.child.wait() => match timeout(DRAIN_TIMEOUT, conversation).await {
            // It answered everything before it went.
            Ok(Ok(outcome)) => Ok(outcome),
            Ok(Err(ConversationError::Closed)) | Err(_) => Err(TurnError::Exited(status.ok())),
            Ok(Err(error)) => Err(TurnError::Conversation(error)),
        },
    }
}

/// Writes down what the sandbox refuses, until the agent's proxy is gone.
async fn record_refused_hosts(refused: &mut Option<RefusedHosts>, observer: &TurnObserver) {
    if let Some(refused) = refused {
        while let Some(host) = refused.next().await {
            observer.record_refused_host(&host);
        }
    }
}

fn agent_failure(
    turn: &TurnRequest,
    error: TurnError,
    observer: &TurnObserver,
    stderr: String,
) -> AgentFailure {
    let agent = turn.spec.name.clone();
    let step = observer.step().to_owned();
    let fault = match &error {
        // What was wrong with its messages says more than how it ended after that.
        TurnError::Conversation(ConversationError::Closed) | TurnError::Exited(_) => {
            observer.fault()
        }
        TurnError::Conversation(_) | TurnError::IdleTimeout | TurnError::DeadlineExceeded => None,
    };
    if let Some(fault) = fault {
        return output_failure(agent, step, fault);
    }
    match error {
        TurnError::IdleTimeout => AgentFailure::IdleTimeout {
            agent,
            step,
            after: turn.limits.idle_timeout,
            stderr,
        },
        TurnError::DeadlineExceeded => AgentFailure::DeadlineExceeded {
            agent,
            step,
            after: turn.limits.total_timeout,
            stderr,
        },
        TurnError::Exited(status) => AgentFailure::ProcessExited {
            agent,
            step,
            status: describe_exit(status),
            stderr,
        },
        TurnError::Conversation(error) => conversation_failure(agent, step, error, stderr),
    }
}

fn output_failure(agent: String, step: String, fault: OutputFault) -> AgentFailure {
    match fault {
        OutputFault::TooMuch { what, bound } => AgentFailure::TooMuchOutput {
            agent,
            what: what.into(),
            bound,
        },
        OutputFault::Unreadable { reason } => AgentFailure::InvalidResponse {
            agent,
            step,
            reason,
        },
    }
}

fn conversation_failure(
    agent: String,
    step: String,
    error: ConversationError,
    stderr: String,
) -> AgentFailure {
    match error {
        ConversationError::Cancelled => AgentFailure::Cancelled { agent },
        ConversationError::UnsupportedProtocol(offered) => {
            AgentFailure::UnsupportedProtocol { agent, offered }
        }
        ConversationError::LoginRequired { methods, message } => AgentFailure::LoginRequired {
            agent,
            methods,
            message,
        },
        ConversationError::InvalidResponse(reason) => AgentFailure::InvalidResponse {
            agent,
            step,
            reason,
        },
        ConversationError::Refused { code, message } => AgentFailure::Refused {
            agent,
            step,
            code,
            message,
            stderr,
        },
        ConversationError::Closed => AgentFailure::ProcessExited {
            agent,
            step,
            status: describe_exit(None),
            stderr,
        },
    }
}

fn describe_exit(status: Option<ExitStatus>) -> String {
    status.map_or_else(|| "EOF".into(), |status| status.to_string())
}
