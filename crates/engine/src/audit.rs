//! What goes into the audit log (§9.6), read off events and notes.

use crate::ports::{AuditAction, AuditEntry, AuditSubject};
use collie_core::effect::Effect;
use collie_core::event::{Answered, Delivery, Event, Outcome};
use collie_core::ids::{EventKey, Login, RepoName, Time};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::note::Note;
use collie_core::step::Step;
use collie_core::trust::{TrustDecision, commands_hash};
use std::collections::BTreeMap;

/// Entries for one applied event.
pub(crate) fn entries(before: &LoopState, event: &Event, step: &Step, at: Time) -> Vec<AuditEntry> {
    let after = &step.state;
    let entry = |action, details: &[(&str, String)]| AuditEntry {
        at,
        action,
        correlation_id: Some(after.run.id.clone()),
        subject: after.pull_name().into(),
        details: details
            .iter()
            .map(|(k, v)| ((*k).to_string(), v.clone()))
            .collect(),
    };
    let mut out: Vec<AuditEntry> = step
        .notes
        .iter()
        .filter_map(|note| note_entry(note, &entry))
        .collect();
    if let Event::Answered(Answered {
        effect, outcome, ..
    }) = event
        && let Some(asked) = before.outbox.effects.get(effect)
    {
        out.extend(answer_entry(asked, outcome, &entry));
    }
    let began = |effect: &Effect| match effect {
        Effect::Fix(_) => true,
        Effect::MergeBase(asked) => asked.by_agent,
        _ => false,
    };
    let new = step.effects.iter();
    let new = new.filter_map(|id| after.outbox.effects.get(id));
    let begun: Vec<&Effect> = new.filter(|effect| began(effect)).collect();
    if !begun.is_empty() {
        out.push(entry(AuditAction::PrFixerStarted, &turn_details(&begun)));
    }
    if before.run.state != after.run.state {
        out.extend(end_action(after.run.state).map(|action| {
            let why = after.run.stop.as_ref().map_or("", |stop| stop.code());
            entry(
                action,
                &[
                    ("state", after.run.state.to_string()),
                    ("reason", why.into()),
                ],
            )
        }));
    }
    out
}

/// The entry of what came back from an effect that was asked for.
fn answer_entry(
    asked: &Effect,
    outcome: &Outcome,
    entry: &impl Fn(AuditAction, &[(&str, String)]) -> AuditEntry,
) -> Option<AuditEntry> {
    match (asked, outcome) {
        (Effect::Post(asked), Outcome::Delivered(delivered)) => {
            let Delivery::Confirmed { remote_id } = delivered.delivery else {
                return None;
            };
            let details = [
                ("action_token", asked.post.token.to_string()),
                ("comment_id", remote_id.to_string()),
            ];
            Some(entry(AuditAction::CommentPosted, &details))
        }
        (_, Outcome::Pushed(pushed)) => {
            let details = [("commit", pushed.commit.to_string())];
            Some(entry(AuditAction::PrFixerChangesApplied, &details))
        }
        (_, Outcome::FixFailed(_)) => Some(entry(AuditAction::PrFixerFailed, &[])),
        (_, Outcome::BaseMergeRefused(refused)) if refused.by_agent => {
            Some(entry(AuditAction::PrFixerFailed, &[]))
        }
        _ => None,
    }
}

fn note_entry(
    note: &Note,
    entry: &impl Fn(AuditAction, &[(&str, String)]) -> AuditEntry,
) -> Option<AuditEntry> {
    match note {
        Note::RunStarted { run } => Some(entry(
            AuditAction::PrReviewLoopStarted,
            &[("run", run.to_string())],
        )),
        Note::Impostor {
            comment,
            login,
            claims,
        } => Some(entry(
            AuditAction::ExternalBotCommentRejected,
            &[
                ("comment_id", comment.to_string()),
                ("login", login.to_string()),
                ("claims", claims.clone()),
            ],
        )),
        Note::BotTrusted { id, login, key } => Some(entry(
            AuditAction::ExternalBotCommentTrusted,
            &[
                ("account_id", id.0.to_string()),
                ("login", login.to_string()),
                ("event_key", key.to_string()),
            ],
        )),
        Note::CommandObeyed { by, words, key } => {
            let details = command_details(by, words, key);
            Some(entry(AuditAction::CommandObeyed, &details))
        }
        Note::CommandDenied { by, words, key } => {
            let details = command_details(by, words, key);
            Some(entry(AuditAction::PermissionCheckDenied, &details))
        }
        Note::IterationDone { iteration, commit } => {
            let (iteration, commit) = (iteration.to_string(), commit.to_string());
            let fields = [("iteration", iteration), ("commit", commit)];
            Some(entry(AuditAction::PrReviewLoopIteration, &fields))
        }
        Note::FilesSeen { .. } | Note::FindingDismissed { .. } | Note::FixerNoted { .. } => {
            persons_entry(note, entry)
        }
        Note::AutonomyChanged { .. }
        | Note::PauseChanged { .. }
        | Note::PushApproved { .. }
        | Note::PushRejected { .. } => autonomy_entry(note, entry),
        Note::AuthorDenied { .. }
        | Note::LoginReused { .. }
        | Note::PermissionUnread { .. }
        | Note::RightsLacking { .. } => distrust_entry(note, entry),
        Note::RightsGranted => Some(entry(AuditAction::PermissionCheckPassed, &[])),
        Note::PostDuplicated { .. } | Note::PostEdited { .. } | Note::PostDeleted { .. } => {
            own_post_entry(note, entry)
        }
        Note::ConfigWithoutEffect { .. }
        | Note::FeedbackTurn { .. }
        | Note::Ignored { .. }
        | Note::HeadMoved { .. }
        | Note::ReviewDone { .. }
        | Note::Pushed { .. }
        | Note::PushConflicted { .. }
        | Note::Waits { .. }
        | Note::BotsAwaited { .. }
        | Note::HeldDiscarded { .. }
        | Note::BecameStuck { .. }
        | Note::ClaimRefuted { .. }
        | Note::ChecksRerun { .. }
        | Note::QueueEjected { .. }
        | Note::PullEnded { .. }
        | Note::Undeliverable { .. }
        | Note::SessionFinished { .. }
        | Note::HostsRefused { .. }
        | Note::SessionCancelled { .. } => None,
    }
}

fn command_details(by: &Login, words: &str, key: &EventKey) -> [(&'static str, String); 3] {
    [
        ("login", by.to_string()),
        ("command", words.to_owned()),
        ("event_key", key.to_string()),
    ]
}

/// Which turn of feedback a fixer answers, where it answers one (§9.6).
fn turn_details(began: &[&Effect]) -> Vec<(&'static str, String)> {
    let turn = began.iter().find_map(|effect| match effect {
        Effect::Fix(asked) => asked.payload.turn.as_ref(),
        _ => None,
    });
    let Some(turn) = turn else {
        return Vec::new();
    };
    let events: Vec<&str> = turn.events.iter().map(EventKey::as_str).collect();
    vec![
        ("turn_key", turn.key.to_string()),
        ("event_key", events.join(" ")),
    ]
}

/// The entry of what a person said.
fn persons_entry(
    note: &Note,
    entry: &impl Fn(AuditAction, &[(&str, String)]) -> AuditEntry,
) -> Option<AuditEntry> {
    match note {
        Note::FilesSeen { by, head, count } => Some(entry(
            AuditAction::UnseenFilesSeen,
            &[
                ("login", by.to_string()),
                ("head", head.to_string()),
                ("files", count.to_string()),
            ],
        )),
        Note::FindingDismissed {
            by,
            fingerprint,
            reason,
            ..
        } => Some(entry(
            AuditAction::FindingDismissed,
            &[
                ("login", by.to_string()),
                ("finding", fingerprint.to_string()),
                ("reason", reason.clone()),
            ],
        )),
        Note::FixerNoted { by, text, .. } => Some(entry(
            AuditAction::FixerNoted,
            &[("login", by.to_string()), ("text", text.clone())],
        )),
        _ => None,
    }
}

/// The entry of what a person said about how far Collie goes by itself (§13.7).
fn autonomy_entry(
    note: &Note,
    entry: &impl Fn(AuditAction, &[(&str, String)]) -> AuditEntry,
) -> Option<AuditEntry> {
    match note {
        Note::AutonomyChanged { by, level } => Some(entry(
            AuditAction::AutonomyChanged,
            &[
                (
                    "login",
                    by.as_ref().map(Login::to_string).unwrap_or_default(),
                ),
                ("level", level.to_string()),
            ],
        )),
        Note::PauseChanged { by, paused } => {
            let action = match paused {
                true => AuditAction::Paused,
                false => AuditAction::Unpaused,
            };
            Some(entry(action, &[("login", by.to_string())]))
        }
        Note::PushApproved { by, commit } => Some(entry(
            AuditAction::PushApproved,
            &[("login", by.to_string()), ("commit", commit.to_string())],
        )),
        Note::PushRejected { by, commit, words } => Some(entry(
            AuditAction::PushRejected,
            &[
                ("login", by.to_string()),
                ("commit", commit.to_string()),
                ("note", words.clone()),
            ],
        )),
        _ => None,
    }
}

/// The entry of somebody who is not trusted though a person might think so.
fn distrust_entry(
    note: &Note,
    entry: &impl Fn(AuditAction, &[(&str, String)]) -> AuditEntry,
) -> Option<AuditEntry> {
    let denied =
        |details: &[(&str, String)]| Some(entry(AuditAction::PermissionCheckDenied, details));
    match note {
        Note::AuthorDenied { login, id } => denied(&[
            (
                "author",
                login.as_ref().map(Login::to_string).unwrap_or_default(),
            ),
            (
                "account_id",
                id.map(|id| id.0.to_string()).unwrap_or_default(),
            ),
            ("reason", "author_without_write_access".into()),
        ]),
        Note::LoginReused {
            login,
            pinned,
            found,
        } => denied(&[
            ("login", login.to_string()),
            ("account_id", found.0.to_string()),
            ("pinned_account_id", pinned.0.to_string()),
        ]),
        Note::PermissionUnread { id, login } => denied(&[
            ("login", login.to_string()),
            ("account_id", id.0.to_string()),
        ]),
        Note::RightsLacking { rights } => {
            let names: Vec<&str> = rights.iter().map(|right| right.name()).collect();
            denied(&[("token_lacks", names.join(", "))])
        }
        _ => None,
    }
}

/// The entry of a post that is there twice, or that somebody changed.
fn own_post_entry(
    note: &Note,
    entry: &impl Fn(AuditAction, &[(&str, String)]) -> AuditEntry,
) -> Option<AuditEntry> {
    let at = |action, place: &String| Some(entry(action, &[("comment", place.clone())]));
    match note {
        Note::PostDuplicated { token, ids } => {
            let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
            let (token, ids) = (token.to_string(), ids.join(", "));
            let details = [("action_token", token), ("comment_ids", ids)];
            Some(entry(AuditAction::CommentDuplicated, &details))
        }
        Note::PostEdited { place } => at(AuditAction::CommentEdited, place),
        Note::PostDeleted { place } => at(AuditAction::CommentDeleted, place),
        _ => None,
    }
}

fn end_action(state: State) -> Option<AuditAction> {
    match state {
        State::Merged | State::Closed => Some(AuditAction::PrReviewLoopCompleted),
        State::Cancelled | State::NeedsHuman | State::Failed => {
            Some(AuditAction::PrReviewLoopFailed)
        }
        State::PrCreated
        | State::PrAwaitingChecks
        | State::PrReviewing
        | State::PrFixing
        | State::PrReadyToMerge => None,
    }
}

/// The entry of a permission decision (§9.1), before there is a run.
pub(crate) fn permission_entry(
    subject: AuditSubject,
    login: &Login,
    passed: bool,
    at: Time,
) -> AuditEntry {
    let details = BTreeMap::from([("login".to_string(), login.to_string())]);
    AuditEntry {
        at,
        action: permission_action(passed),
        correlation_id: None,
        subject,
        details,
    }
}

/// The entry of what a person decided about a repository (§6.3e, §9.1).
pub fn trust_entry(repo: &RepoName, decision: &TrustDecision, by: &Login, at: Time) -> AuditEntry {
    let mut details = BTreeMap::from([
        ("login".to_string(), by.to_string()),
        ("decision".to_string(), decision.name().to_string()),
    ]);
    let (field, value) = match decision {
        TrustDecision::TrustCommands { commands } => ("commands_sha256", commands_hash(commands)),
        TrustDecision::AllowAuthor { id, login } => {
            details.insert("account_id".to_string(), id.0.to_string());
            ("author", login.to_string())
        }
        TrustDecision::RevokeAuthor { login } => ("author", login.to_string()),
        TrustDecision::AllowPull { number } | TrustDecision::RevokePull { number } => {
            ("number", number.to_string())
        }
        TrustDecision::SkipVerification | TrustDecision::RevokeVerification => {
            ("what", "verify".to_string())
        }
    };
    details.insert(field.to_string(), value);
    AuditEntry {
        at,
        action: permission_action(decision.allows()),
        correlation_id: None,
        subject: repo.clone().into(),
        details,
    }
}

fn permission_action(passed: bool) -> AuditAction {
    if passed {
        AuditAction::PermissionCheckPassed
    } else {
        AuditAction::PermissionCheckDenied
    }
}

/// The entry of a loop's first run.
pub(crate) fn run_started_entry(state: &LoopState, at: Time) -> AuditEntry {
    AuditEntry {
        at,
        action: AuditAction::PrReviewLoopStarted,
        correlation_id: Some(state.run.id.clone()),
        subject: state.pull_name().into(),
        details: BTreeMap::from([("run".to_string(), state.run.id.to_string())]),
    }
}
