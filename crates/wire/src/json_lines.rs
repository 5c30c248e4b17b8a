//! The lines that `--json` prints: one JSON object each.

use crate::view::LoopView;
use collie_core::effect::Effect;
use collie_core::error_code::ErrorCode;
use collie_core::failure_cause::FailureCause;
use collie_core::linter_run::{LinterOutcome, LinterRun};

use collie_core::event::Event;
use collie_core::lifecycle::State;
use collie_core::note::Note;
use collie_core::session::{RefusedHosts, SessionSummary};
use collie_core::usage::Usage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A line of `watch --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum WatchLine {
    /// Something changed.
    Loop(Box<LoopView>),
    /// The last line of a loop.
    Settled(Box<LoopView>),
    /// Something went wrong that belongs to no loop.
    Error(ErrorLine),
}

/// What went wrong, for programs and people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorLine {
    /// What programs branch on.
    pub code: ErrorCode,
    /// What people read.
    pub message: String,
    /// What people can do.
    pub hints: Vec<String>,
}

/// A line of `log --json`: one event and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// Its number in the journal.
    pub seq: u64,
    /// When it was applied, RFC 3339.
    pub at: String,
    /// [`event_name`].
    pub event: String,
    /// The state before it; none for the first.
    pub from: Option<State>,
    /// The state after it.
    pub to: State,
    /// [`Effect::label`] of each effect it asked for.
    pub effects: Vec<String>,
    /// [`note_text`] of its remarks, joined with `; `.
    pub note: Option<String>,
}

impl LogLine {
    /// Puts an entry of the journal in its line.
    pub fn new(
        seq: u64,
        at: collie_core::ids::Time,
        event: &Event,
        transition: (Option<State>, State),
        effects: &[Effect],
        notes: &[Note],
    ) -> Self {
        let note = notes.iter().map(note_text).collect::<Vec<_>>().join("; ");
        Self {
            seq,
            at: at.rfc3339(),
            event: event.name().to_string(),
            from: transition.0,
            to: transition.1,
            effects: effects.iter().map(Effect::label).collect(),
            note: (!note.is_empty()).then_some(note),
        }
    }
}

/// How a session went: only what there is to say.
fn session_note_text(
    reviewer: Option<&str>,
    session_account: &SessionSummary,
    usage: &Usage,
) -> String {
    let mut text = format!("worked: {}", reviewer.unwrap_or("fixer"));
    if !session_account.runs_on.is_empty() {
        text += &format!(" on {}", session_account.runs_on);
    }
    for taken in &session_account.take_overs {
        let reason: &str = taken.reason.into();
        text += &format!("; {} took over: {reason}", taken.model);
    }
    if session_account.resumed {
        text += ", resumed";
    }
    let tools = &session_account.tools;
    let (parts, tokens) = match &session_account.left_out {
        Some(left) => (u64::from(left.parts), left.tokens),
        None => (0, 0),
    };
    let counts = [
        ("reads", tools.reads.into()),
        ("edits", tools.edits.into()),
        ("commands", tools.commands.into()),
        ("others", tools.others.into()),
        ("refused", session_account.refused.into()),
        ("dropped", session_account.dropped.into()),
        ("refuted", session_account.refuted.into()),
        ("unchecked", session_account.unchecked.into()),
        ("agreed", session_account.agreed.into()),
        ("parts_left_out", parts),
        ("tokens_left_out", tokens),
        ("input_tokens", usage.input_tokens),
        ("output_tokens", usage.output_tokens),
        ("cost_micros", usage.cost_micros),
    ];
    for (name, count) in counts {
        if count > 0 {
            text += &format!(", {name} {count}");
        }
    }
    if usage.unpriced {
        text += ", unpriced";
    }
    text += &linters_note(&session_account.linters);
    for untaken in &session_account.untaken {
        let (setting, reason): (&str, &str) = (untaken.setting.into(), untaken.reason.into());
        text += &format!(", {setting} {} untaken: {reason}", untaken.name);
    }
    if !session_account.refused_hosts.is_empty() {
        text += &format!(", refused_hosts {}", joined(&session_account.refused_hosts));
    }
    text
}

fn linters_note(runs: &[LinterRun]) -> String {
    let note = |run: &LinterRun| match &run.outcome {
        LinterOutcome::Ran { findings } => format!(", {} ran findings {findings}", run.name),
        LinterOutcome::NotInstalled => format!(", {} not_installed", run.name),
        LinterOutcome::TimedOut { seconds } => format!(", {} timed_out {seconds}", run.name),
        LinterOutcome::Failed { message } => format!(", {} failed {message}", run.name),
    };
    runs.iter().map(note).collect()
}

fn joined(words: &BTreeSet<String>) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.join(", ")
}

/// A remark in one line of codes and names.
pub fn note_text(note: &Note) -> String {
    match note {
        Note::Ignored { reason } => format!("ignored: {reason}"),
        Note::HeadMoved { from, to } => format!("head_moved: {} → {}", from.short(), to.short()),
        Note::Impostor {
            comment,
            login,
            claims,
        } => {
            format!("impostor: {login} claims to be {claims} in {comment}")
        }
        Note::BotTrusted { id, login, .. } => format!("bot_trusted: {login} ({})", id.0),
        Note::FeedbackTurn { turn, events } => {
            let short: String = turn.as_str().chars().take(12).collect();
            format!("feedback_turn: {short}, {} events", events.len())
        }
        Note::CommandObeyed { by, words, .. } => format!("command_obeyed: {by}, {words}"),
        Note::CommandDenied { by, words, .. } => format!("command_denied: {by}, {words}"),
        Note::AuthorDenied { login, id } => {
            let login = login.as_ref().map_or("?", |login| login.as_str());
            let id = id.map_or_else(|| "?".to_owned(), |id| id.0.to_string());
            format!("author_denied: {login} ({id})")
        }
        Note::LoginReused {
            login,
            pinned,
            found,
        } => format!("login_reused: {login} is {}, not {}", found.0, pinned.0),
        Note::PermissionUnread { id, login } => format!("permission_unread: {login} ({})", id.0),
        Note::RightsLacking { rights } => {
            let names: Vec<&str> = rights.iter().map(|right| right.name()).collect();
            format!("rights_lacking: {}", names.join(", "))
        }
        Note::RightsGranted => "rights_granted".to_owned(),
        Note::ConfigWithoutEffect { commit, keys } => {
            format!(
                "config_without_effect: {} ({})",
                joined(keys),
                commit.short()
            )
        }
        Note::ChecksRerun { checks } => checks_rerun_text(checks),
        Note::QueueEjected { ejection } => ejection_note_text(ejection),
        Note::PullEnded { end } => format!("pull_ended: {}", end.state()),
        Note::ClaimRefuted { fingerprint } => format!("claim_refuted: {}", shortened(fingerprint)),
        Note::BecameStuck { fingerprint } => format!("became_stuck: {}", shortened(fingerprint)),
        Note::RunStarted { run } => format!("run_started: {run}"),
        Note::IterationDone { iteration, commit } => {
            format!("iteration_done: {iteration} ({})", commit.short())
        }
        Note::HostsRefused { reviewer, hosts } => hosts_refused_text(reviewer.as_deref(), hosts),
        Note::SessionCancelled { usage } => cancelled_text(usage),
        Note::FilesSeen { .. }
        | Note::ReviewDone { .. }
        | Note::Pushed { .. }
        | Note::PushConflicted { .. }
        | Note::Waits { .. }
        | Note::BotsAwaited { .. }
        | Note::FindingDismissed { .. }
        | Note::FixerNoted { .. } => act_text(note),
        Note::AutonomyChanged { .. }
        | Note::PauseChanged { .. }
        | Note::HeldDiscarded { .. }
        | Note::PushApproved { .. }
        | Note::PushRejected { .. } => autonomy_note_text(note),
        Note::Undeliverable { message, .. } => format!("undeliverable: {message}"),
        Note::PostDuplicated { token, ids } => {
            format!("post_duplicated: {token} as {ids:?}")
        }
        Note::PostEdited { place } => format!("post_edited: {place}"),
        Note::PostDeleted { place } => format!("post_deleted: {place}"),
        Note::SessionFinished {
            reviewer,
            session,
            usage,
        } => session_note_text(reviewer.as_deref(), session, usage),
    }
}

/// Who did what, and what is waited for.
fn act_text(note: &Note) -> String {
    match note {
        Note::FilesSeen { by, head, count } => {
            format!("files_seen: {by}, {count} at {}", head.short())
        }
        Note::ReviewDone {
            reviewer,
            head,
            verdict,
            findings,
            kind: _,
        } => format!(
            "review_done: {reviewer}, {} at {}, {findings} findings",
            <&'static str>::from(verdict),
            head.short()
        ),
        Note::Pushed { commit } => format!("pushed: {}", commit.short()),
        Note::PushConflicted { commit } => format!("push_conflicted: {}", commit.short()),
        Note::Waits { blocker, .. } => format!("waits: {}", <&'static str>::from(blocker)),
        Note::BotsAwaited { names } => format!("bots_awaited: {}", joined(names)),
        Note::FindingDismissed {
            by,
            fingerprint,
            reason,
            ..
        } => format!(
            "finding_dismissed: {} by {by}: {reason}",
            shortened(fingerprint)
        ),
        Note::FixerNoted { by, text, .. } => format!("fixer_noted: by {by}: {text}"),
        _ => String::new(),
    }
}

/// What a person said about how far Collie goes by itself, and what came of it.
fn autonomy_note_text(note: &Note) -> String {
    match note {
        Note::AutonomyChanged { by, level } => match by {
            Some(by) => format!("autonomy_changed: {level} by {by}"),
            None => format!("autonomy_changed: {level}"),
        },
        Note::PauseChanged { by, paused: true } => format!("paused: by {by}"),
        Note::PauseChanged { by, paused: false } => format!("unpaused: by {by}"),
        Note::HeldDiscarded { count } => format!("held_discarded: {count}"),
        Note::PushApproved { by, commit } => format!("push_approved: {} by {by}", commit.short()),
        Note::PushRejected { by, commit, words } => {
            format!("push_rejected: {} by {by}: {words}", commit.short())
        }
        _ => String::new(),
    }
}

fn cancelled_text(usage: &Usage) -> String {
    let Usage {
        input_tokens,
        output_tokens,
        cost_micros,
        unpriced,
        unpriced_tokens: _,
    } = usage;
    let unpriced = if *unpriced { ", unpriced" } else { "" };
    format!(
        "session_cancelled: input_tokens {input_tokens}, output_tokens {output_tokens}, cost_micros {cost_micros}{unpriced}"
    )
}

fn checks_rerun_text(checks: &[(String, FailureCause)]) -> String {
    let line = |(name, cause): &(String, FailureCause)| {
        format!("{name} ({})", <&'static str>::from(cause))
    };
    let checks: Vec<String> = checks.iter().map(line).collect();
    format!("checks_rerun: {}", checks.join(", "))
}

fn ejection_note_text(ejection: &collie_core::merge_queue::Ejection) -> String {
    let (cause, checks) = (ejection.cause.code(), ejection.checks.join(", "));
    format!(
        "queue_ejected: {cause} at {} ({checks})",
        ejection.head.short()
    )
}

fn hosts_refused_text(reviewer: Option<&str>, hosts: &RefusedHosts) -> String {
    let by = [
        (reviewer.unwrap_or("fixer"), &hosts.agent),
        ("prepare", &hosts.prepare),
    ];
    let by = by.into_iter().filter(|(_, hosts)| !hosts.is_empty());
    let by: Vec<String> = by
        .map(|(who, hosts)| format!("{who} {}", joined(hosts)))
        .collect();
    format!("hosts_refused: {}", by.join("; "))
}

fn shortened(fingerprint: &collie_core::ids::Fingerprint) -> String {
    fingerprint.as_str().chars().take(12).collect()
}
