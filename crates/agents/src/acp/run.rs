//! One turn from its start to its end, whatever happens in between.

use super::child::{self, Running};
use super::failure::AgentFailure;
use super::find::SelfTest;
use super::heard::{Fault, Heard};
use super::policy::Ground;
use super::talk::{Break, Said, Task, talk};
use super::turn::{Progress, Turn, TurnEnd};
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// The most that an agent gets to answer a cancel (§10.5).
const MOST_GRACE: Duration = Duration::from_secs(5);
/// How long an agent that is done may take to go by itself, once its input is closed.
const GOOD_BYE: Duration = Duration::from_secs(2);
/// How long what an ended agent wrote is still read.
const AFTERMATH: Duration = Duration::from_secs(1);

/// Runs one turn of an agent. `updates` is called as things happen, from within the conversation: it must not block.
///
/// The answer comes when no process of the agent is left. A cancel takes at most 10 s (§10.5); dropping the future kills
/// at once.
pub async fn run(
    turn: &Turn,
    updates: impl Fn(Progress) + Send + Sync + 'static,
    cancel: &CancellationToken,
) -> Result<TurnEnd, AgentFailure> {
    let (said, heard) = converse(turn, Task::Prompt, updates, cancel).await?;
    let account = heard.account();
    Ok(TurnEnd {
        text: account.text,
        text_cut: account.text_cut,
        stop_reason: said.stop_reason,
        session_id: said.session,
        resumption: said.resumption,
        usage: said.usage,
        session_cost_usd: account.session_cost_usd,
        tools: account.tools,
        tools_left_out: account.tools_left_out,
        refused: account.refused,
    })
}

/// Opens a session and asks nothing.
pub(super) async fn open_only(
    turn: &Turn,
    cancel: &CancellationToken,
) -> Result<SelfTest, AgentFailure> {
    let (said, _) = converse(turn, Task::Open, |_| (), cancel).await?;
    let hello = said.hello;
    Ok(SelfTest {
        protocol: hello.protocol,
        agent: hello.agent,
        auth_methods: hello.methods,
        can_resume: hello.can_resume,
        can_load: hello.can_load,
    })
}

/// Why a conversation has no result, seen from outside.
enum Stopped {
    Broke(Break),
    Silent,
    TooLong,
    Exited(Option<ExitStatus>),
}

async fn converse(
    turn: &Turn,
    task: Task,
    updates: impl Fn(Progress) + Send + Sync + 'static,
    cancel: &CancellationToken,
) -> Result<(Said, Arc<Heard>), AgentFailure> {
    if cancel.is_cancelled() {
        return Err(AgentFailure::Cancelled {
            agent: turn.spec.name.clone(),
        });
    }
    let args = turn.spec.command.get(1..).unwrap_or_default();
    let (mut running, pipes) = child::start(&turn.spec, args, turn.role, &turn.outside, &turn.cwd)?;
    let ground = Ground {
        cwd: turn.cwd.clone(),
        temp: running.temp().to_owned(),
    };
    let stop = cancel.child_token();
    let heard = Arc::new(Heard::new(
        turn.role,
        ground,
        turn.limits,
        stop.clone(),
        updates,
    ));
    let tail = running.tail.clone();
    let outcome = {
        let conversation = talk(turn, task, pipes, &heard, &tail, &stop);
        watch(turn, conversation, &mut running, &heard, cancel, &stop).await
    };
    let patience = match &outcome {
        Ok(_) => GOOD_BYE,
        Err(Stopped::Broke(Break::Closed)) => AFTERMATH,
        Err(Stopped::Broke(_) | Stopped::Silent | Stopped::TooLong | Stopped::Exited(_)) => {
            Duration::ZERO
        }
    };
    let status = running.end(patience).await;
    let stopped = match outcome {
        Ok(said) => return Ok((said, heard)),
        Err(Stopped::Broke(Break::Closed)) => Stopped::Exited(status),
        Err(stopped) => stopped,
    };
    let failed = failure(turn, stopped, &heard, tail.text());
    tracing::debug!(agent = turn.spec.id, %failed, "an agent's turn came to nothing");
    Err(failed)
}

/// Waits for the first thing that ends a conversation.
async fn watch(
    turn: &Turn,
    conversation: impl Future<Output = Result<Said, Break>>,
    running: &mut Running,
    heard: &Heard,
    cancel: &CancellationToken,
    stop: &CancellationToken,
) -> Result<Said, Stopped> {
    let mut conversation = pin!(conversation);
    let grace = turn.limits.cancel_grace.min(MOST_GRACE);
    tokio::select! {
        // Deadlines come first: a flood of messages uses up what one poll may do, and what comes after it would never be looked at.
        biased;
        () = async { cancel.cancelled().await; sleep(grace).await } => Err(Stopped::Broke(Break::Cancelled)),
        () = sleep(turn.limits.total) => {
            stop.cancel();
            // By the book first; whatever it answers, it is too late.
            let _ = timeout(grace, conversation).await;
            Err(Stopped::TooLong)
        }
        () = heard.silence(turn.limits.idle) => Err(Stopped::Silent),
        result = &mut conversation => result.map_err(Stopped::Broke),
        status = running.child.wait() => match timeout(AFTERMATH, conversation).await {
            // It answered everything before it went.
            Ok(Ok(said)) => Ok(said),
            Ok(Err(Break::Closed)) | Err(_) => Err(Stopped::Exited(status.ok())),
            Ok(Err(broke)) => Err(Stopped::Broke(broke)),
        },
    }
}

fn failure(turn: &Turn, stopped: Stopped, heard: &Heard, stderr: String) -> AgentFailure {
    let agent = turn.spec.name.clone();
    let step = heard.step().to_owned();
    let fault = match &stopped {
        // What was wrong with its messages says more than how it ended after that.
        Stopped::Broke(Break::Closed) | Stopped::Exited(_) => heard.fault(),
        Stopped::Broke(_) | Stopped::Silent | Stopped::TooLong => None,
    };
    match fault {
        Some(Fault::TooMuch { what, bound }) => {
            return AgentFailure::TooMuch {
                agent,
                what: what.into(),
                bound,
            };
        }
        Some(Fault::Broken { reason }) => {
            return AgentFailure::BrokenAnswer {
                agent,
                step,
                reason,
            };
        }
        None => {}
    }
    match stopped {
        Stopped::Silent => AgentFailure::Silent {
            agent,
            step,
            after: turn.limits.idle,
            stderr,
        },
        Stopped::TooLong => AgentFailure::TooLong {
            agent,
            step,
            after: turn.limits.total,
            stderr,
        },
        Stopped::Exited(status) => AgentFailure::Ended {
            agent,
            step,
            status: words(status),
            stderr,
        },
        Stopped::Broke(broke) => match broke {
            Break::Cancelled => AgentFailure::Cancelled { agent },
            Break::Version(offered) => AgentFailure::WrongProtocol { agent, offered },
            Break::Login { methods, said } => AgentFailure::NeedsLogin {
                agent,
                methods,
                said,
            },
            Break::Shape(reason) => AgentFailure::BrokenAnswer {
                agent,
                step,
                reason,
            },
            Break::Refused { code, said } => AgentFailure::Refused {
                agent,
                step,
                code,
                said,
                stderr,
            },
            Break::Closed => AgentFailure::Ended {
                agent,
                step,
                status: words(None),
                stderr,
            },
        },
    }
}

fn words(status: Option<ExitStatus>) -> String {
    status.map_or_else(
        || "it closed its output".into(),
        |status| status.to_string(),
    )
}
