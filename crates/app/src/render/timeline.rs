//! A loop's history in words.

use collie_core::failure_cause::FailureCause;
use collie_core::ids::{Login, Sha};
use collie_core::lifecycle::State;
use collie_core::merge_queue::Ejection;
use collie_core::note::Note;
use collie_core::session::{RefusedHosts, SessionSummary, UntakenSetting};
use collie_core::token_right::TokenRight;
use collie_core::usage::Usage;
use collie_engine::ports::TimelineEntry;
use collie_i18n::{Localizer, persona_name};
use collie_wire::UsageView;
use collie_wire::rpc::{TimelineLine, TimelineReview, TimelineWait};
use fluent::FluentValue;
use std::collections::BTreeSet;

/// One event with what it led to.
pub fn timeline_line(entry: &TimelineEntry, localizer: &Localizer) -> TimelineLine {
    let mut told: Vec<String> = entry
        .notes
        .iter()
        .filter_map(|note| note_text(note, localizer))
        .collect();
    let quiet = is_quiet(entry, &told);
    let leads = entry.notes.iter().position(is_lead);
    let text = match leads {
        Some(_) if !told.is_empty() => {
            let lead = entry.notes.iter().find(|note| is_lead(note));
            let text = lead.and_then(|note| note_text(note, localizer));
            let text = text.unwrap_or_default();
            told.retain(|note| *note != text);
            text
        }
        _ => event_text(entry, &mut told, localizer),
    };
    TimelineLine {
        seq: entry.seq,
        at: entry.at.rfc3339(),
        event: entry.event.clone(),
        from: entry.from,
        to: entry.to,
        text,
        notes: told,
        quiet,
        waits_for: entry.notes.iter().rev().find_map(wait_of),
        bots_awaited: entry.notes.iter().rev().find_map(bots_of),
        review: entry.notes.iter().find_map(review_of),
        pushed: entry.notes.iter().find_map(pushed_of),
        worker: entry.notes.iter().find_map(worker_of),
        usage: usage_of(&entry.notes),
    }
}

/// Events by which Collie only keeps itself up to date.
const HOUSEKEEPING: [&str; 8] = [
    "observed",
    "rights_checked",
    "config_loaded",
    "delivered",
    "remembered",
    "remote_head",
    "thread_resolved",
    "cleaned_up",
];

/// Whether an entry says nothing that somebody who follows the loop would miss: housekeeping, and what changed nothing.
fn is_quiet(entry: &TimelineEntry, told: &[String]) -> bool {
    let is_ignored = |note: &Note| matches!(note, Note::Ignored { .. });
    let changed_nothing = !entry.notes.is_empty() && entry.notes.iter().all(is_ignored);
    let waits_for_person = |note: &Note| {
        matches!(
            note,
            Note::Waits {
                needs_person: true,
                ..
            }
        )
    };
    entry.from == Some(entry.to)
        && entry.effects.is_empty()
        && !entry.notes.iter().any(waits_for_person)
        && (changed_nothing || told.is_empty() && HOUSEKEEPING.contains(&entry.event.as_str()))
}

/// Whether a remark says what happened better than the event's name.
fn is_lead(note: &Note) -> bool {
    matches!(
        note,
        Note::ReviewDone { .. }
            | Note::Pushed { .. }
            | Note::FindingDismissed { .. }
            | Note::FixerNoted { .. }
    )
}

fn wait_of(note: &Note) -> Option<TimelineWait> {
    match note {
        Note::Waits {
            blocker,
            needs_person,
        } => Some(TimelineWait {
            code: *blocker,
            needs_person: *needs_person,
        }),
        _ => None,
    }
}

fn bots_of(note: &Note) -> Option<Vec<String>> {
    match note {
        Note::BotsAwaited { names } => Some(names.iter().cloned().collect()),
        _ => None,
    }
}

fn review_of(note: &Note) -> Option<TimelineReview> {
    match note {
        Note::ReviewDone {
            reviewer,
            kind,
            head,
            verdict,
            findings,
        } => Some(TimelineReview {
            reviewer: reviewer.clone(),
            kind: *kind,
            verdict: *verdict,
            head_sha: head.clone(),
            findings: *findings,
        }),
        _ => None,
    }
}

fn pushed_of(note: &Note) -> Option<Sha> {
    match note {
        Note::Pushed { commit } => Some(commit.clone()),
        _ => None,
    }
}

fn worker_of(note: &Note) -> Option<String> {
    match note {
        Note::SessionFinished { reviewer, .. } => {
            Some(reviewer.clone().unwrap_or_else(|| "fixer".to_owned()))
        }
        _ => None,
    }
}

/// What the sessions that ended with an entry cost; none where that is nothing.
fn usage_of(notes: &[Note]) -> Option<UsageView> {
    let mut all = Usage::default();
    for note in notes {
        if let Note::SessionFinished { usage, .. } | Note::SessionCancelled { usage } = note {
            all += *usage;
        }
    }
    (!all.is_nothing()).then(|| UsageView::from(&all))
}

/// A reading in words: where it led, or else what is told of it.
fn reading_text(
    entry: &TimelineEntry,
    told: &mut Vec<String>,
    localizer: &Localizer,
) -> Option<String> {
    let moved = entry.from != Some(entry.to) && entry.from.is_some();
    if moved && entry.to != State::PrCreated && entry.to != State::Cancelled {
        return Some(localizer.plain(&format!("moved-{}", entry.to)));
    }
    if !told.is_empty() {
        return Some(told.remove(0));
    }
    let waits_for_person = |note: &Note| {
        matches!(
            note,
            Note::Waits {
                needs_person: true,
                ..
            }
        )
    };
    let waits = entry.effects.is_empty() && entry.notes.iter().any(waits_for_person);
    waits.then(|| localizer.plain("event-waits-person"))
}

/// The event in words, and what it made Collie do.
fn event_text(entry: &TimelineEntry, told: &mut Vec<String>, localizer: &Localizer) -> String {
    let is_reading = entry.event == "observed";
    let reading = is_reading
        .then(|| reading_text(entry, told, localizer))
        .flatten();
    // Where it led says what comes next.
    if let (Some(text), true) = (&reading, entry.from != Some(entry.to)) {
        return text.clone();
    }
    let is_plain_reading = is_reading && reading.is_none();
    let event = reading.unwrap_or_else(|| localizer.plain(&format!("event-{}", entry.event)));
    let mut effect_texts: Vec<String> = Vec::new();
    for effect in &entry.effects {
        let effect_text = localizer.plain(&format!("effect-{}", effect.effect));
        if !effect_texts.contains(&effect_text) {
            effect_texts.push(effect_text);
        }
    }
    if effect_texts.is_empty() {
        return event;
    }
    let effects = effect_texts.join(", ");
    if is_plain_reading {
        return localizer.text("event-next", &[("effects", FluentValue::from(effects))]);
    }
    localizer.text(
        "event-with-effects",
        &[
            ("event", event.into()),
            ("effects", FluentValue::from(effects)),
        ],
    )
}

/// A remark in words; none for what is told by other means.
pub(super) fn note_text(note: &Note, localizer: &Localizer) -> Option<String> {
    match note {
        Note::Waits { .. } | Note::BotsAwaited { .. } => None,
        Note::ReviewDone {
            reviewer,
            head,
            verdict,
            findings,
            kind: _,
        } => {
            let verdict: &str = verdict.into();
            let args = [
                ("who", reviewer_label(reviewer, localizer).into()),
                ("verdict", verdict.into()),
                ("head", head.short().into()),
                ("count", (*findings).into()),
            ];
            Some(localizer.text("note-review_done", &args))
        }
        Note::Pushed { commit } => {
            let args = [("commit", commit.short().into())];
            Some(localizer.text("note-pushed", &args))
        }
        Note::FindingDismissed {
            by, title, reason, ..
        } => {
            let args = [
                ("login", by.to_string().into()),
                ("title", title.clone().into()),
                ("reason", reason.clone().into()),
            ];
            Some(localizer.text("note-finding_dismissed", &args))
        }
        Note::FixerNoted { by, text, .. } => {
            let args = [
                ("login", by.to_string().into()),
                ("text", text.clone().into()),
            ];
            Some(localizer.text("note-fixer_noted", &args))
        }
        other => Some(remark_text(other, localizer)),
    }
}

/// A reviewer at the start of a sentence.
pub(super) fn reviewer_label(name: &str, localizer: &Localizer) -> String {
    if name == "rules" {
        return localizer.plain("note-review_done-rules");
    }
    persona_name(name)
}

/// What people said, and what they commanded.
fn feedback_text(note: &Note, localizer: &Localizer) -> String {
    let (key, by, words) = match note {
        Note::CommandObeyed { by, words, .. } => ("note-command_obeyed", by, words),
        Note::CommandDenied { by, words, .. } => ("note-command_denied", by, words),
        Note::FeedbackTurn { events, .. } => {
            return localizer.text("note-feedback_turn", &[("count", events.len().into())]);
        }
        _ => return String::new(),
    };
    let args = [
        ("login", by.to_string().into()),
        ("command", format!("/collie {words}").into()),
    ];
    localizer.text(key, &args)
}

fn author_denied_text(login: Option<&Login>, localizer: &Localizer) -> String {
    let login = login.map_or("none".into(), |login| format!("@{login}"));
    localizer.text("note-author_denied", &[("login", login.into())])
}

fn remark_text(note: &Note, localizer: &Localizer) -> String {
    let text = |key: &str, args: &[(&str, FluentValue<'_>)]| localizer.text(key, args);
    let by_login = |key: &str, login: &Login| text(key, &[("login", login.to_string().into())]);
    match note {
        Note::Ignored { reason } => text("note-ignored", &[("reason", reason.to_string().into())]),
        Note::HeadMoved { from, to } => head_moved_text(from, to, localizer),
        Note::Impostor { login, claims, .. } => impostor_text(login, claims, localizer),
        Note::BotTrusted { login, .. } => by_login("note-bot_trusted", login),
        Note::FeedbackTurn { .. } | Note::CommandObeyed { .. } | Note::CommandDenied { .. } => {
            feedback_text(note, localizer)
        }
        Note::AuthorDenied { login, .. } => author_denied_text(login.as_ref(), localizer),
        Note::LoginReused { login, .. } => by_login("note-login_reused", login),
        Note::PermissionUnread { login, .. } => by_login("note-permission_unread", login),
        Note::RightsLacking { rights } => rights_text(rights, localizer),
        Note::RightsGranted => localizer.plain("note-rights_granted"),
        Note::ConfigWithoutEffect { commit, keys } => without_effect_text(commit, keys, localizer),
        Note::ChecksRerun { checks } => checks_rerun_text(checks, localizer),
        Note::QueueEjected { ejection } => ejection_note_text(ejection, localizer),
        Note::PullEnded { end } => text("note-pull_ended", &[("end", end.state().as_str().into())]),
        Note::ClaimRefuted { .. } => localizer.plain("note-claim_refuted"),
        Note::BecameStuck { .. } => localizer.plain("note-became_stuck"),
        Note::RunStarted { .. } => localizer.plain("note-run_started"),
        Note::IterationDone { iteration, commit } => text(
            "note-iteration_done",
            &[
                ("iteration", (*iteration).into()),
                ("commit", commit.short().into()),
            ],
        ),
        Note::SessionFinished {
            reviewer,
            session,
            usage,
        } => session_text(reviewer.as_deref(), session, usage, localizer),
        Note::HostsRefused { reviewer, hosts } => hosts_refused_text(reviewer, hosts, localizer),
        Note::SessionCancelled { usage } => cancelled_text(usage, localizer),
        Note::FilesSeen { by, head, count } => files_seen_text(by, head, *count, localizer),
        Note::AutonomyChanged { .. }
        | Note::PauseChanged { .. }
        | Note::HeldDiscarded { .. }
        | Note::PushApproved { .. }
        | Note::PushRejected { .. }
        | Note::PushConflicted { .. } => push_text(note, localizer),
        Note::Undeliverable { .. }
        | Note::PostDuplicated { .. }
        | Note::PostEdited { .. }
        | Note::PostDeleted { .. } => own_post_text(note, localizer),
        Note::ReviewDone { .. }
        | Note::Pushed { .. }
        | Note::Waits { .. }
        | Note::BotsAwaited { .. }
        | Note::FindingDismissed { .. }
        | Note::FixerNoted { .. } => String::new(),
    }
}

fn without_effect_text(commit: &Sha, keys: &BTreeSet<String>, localizer: &Localizer) -> String {
    let args = [
        ("commit", commit.short().into()),
        ("keys", joined(keys).into()),
    ];
    localizer.text("note-config_without_effect", &args)
}

fn head_moved_text(from: &Sha, to: &Sha, localizer: &Localizer) -> String {
    let args = [("from", from.short().into()), ("to", to.short().into())];
    localizer.text("note-head_moved", &args)
}

fn impostor_text(login: &Login, claims: &str, localizer: &Localizer) -> String {
    let args = [
        ("login", login.to_string().into()),
        ("claims", claims.to_owned().into()),
    ];
    localizer.text("note-impostor", &args)
}

/// Who said what of which commit: `said` is `no` where there are no words.
fn push_args(by: &Login, commit: &Sha, words: &str) -> [(&'static str, FluentValue<'static>); 4] {
    let said = if words.is_empty() { "no" } else { "yes" };
    [
        ("login", format!("@{by}").into()),
        ("commit", commit.short().to_owned().into()),
        ("words", words.to_owned().into()),
        ("said", said.into()),
    ]
}

/// How far Collie goes by itself, what a person said of that, and what came of a push.
fn push_text(note: &Note, localizer: &Localizer) -> String {
    match note {
        Note::AutonomyChanged { by, level } => {
            let args = [
                ("level", level.name().into()),
                (
                    "login",
                    by.as_ref()
                        .map_or("none".into(), |by| format!("@{by}").into()),
                ),
            ];
            localizer.text("note-autonomy_changed", &args)
        }
        Note::PauseChanged { by, paused } => {
            let paused = if *paused { "yes" } else { "no" };
            let login = format!("@{by}");
            localizer.text(
                "note-pause_changed",
                &[("login", login.into()), ("paused", paused.into())],
            )
        }
        Note::HeldDiscarded { count } => {
            localizer.text("note-held_discarded", &[("count", (*count).into())])
        }
        Note::PushConflicted { commit } => {
            localizer.text("note-push_conflicted", &[("commit", commit.short().into())])
        }
        Note::PushApproved { by, commit } => {
            localizer.text("note-push_approved", &push_args(by, commit, ""))
        }
        Note::PushRejected { by, commit, words } => {
            localizer.text("note-push_rejected", &push_args(by, commit, words))
        }
        _ => String::new(),
    }
}

/// What became of a post.
fn own_post_text(note: &Note, localizer: &Localizer) -> String {
    let at_place = |key: &str, place: &str| {
        let (kind, id) = place.split_once(':').unwrap_or(("", place));
        let args = [
            ("kind", kind.to_owned().into()),
            ("id", id.to_owned().into()),
        ];
        localizer.text(key, &args)
    };
    match note {
        Note::Undeliverable { message, .. } => {
            localizer.text("note-undeliverable", &[("message", message.clone().into())])
        }
        Note::PostDuplicated { ids, .. } => {
            let named: Vec<String> = ids.iter().map(u64::to_string).collect();
            let args = [
                ("count", ids.len().into()),
                ("ids", named.join(", ").into()),
            ];
            localizer.text("note-post_duplicated", &args)
        }
        Note::PostEdited { place } => at_place("note-post_edited", place),
        Note::PostDeleted { place } => at_place("note-post_deleted", place),
        _ => String::new(),
    }
}

fn cancelled_text(usage: &Usage, localizer: &Localizer) -> String {
    let cost = usage_text(usage, localizer);
    localizer.text("note-session_cancelled", &[("cost", cost.into())])
}

fn ejection_note_text(ejection: &Ejection, localizer: &Localizer) -> String {
    let why = localizer.ejection_reason(ejection, str::to_owned);
    localizer.text("note-queue_ejected", &[("why", why.into())])
}

fn rights_text(rights: &BTreeSet<TokenRight>, localizer: &Localizer) -> String {
    let labels: Vec<&str> = rights.iter().map(|right| right.label()).collect();
    let args = [("names", labels.join(", ").into())];
    localizer.text("note-rights_lacking", &args)
}

fn checks_rerun_text(checks: &[(String, FailureCause)], localizer: &Localizer) -> String {
    let line = |(name, cause): &(String, FailureCause)| {
        let cause: &'static str = cause.into();
        let cause = localizer.plain(&format!("failure-cause-{cause}"));
        format!("{name} ({cause})")
    };
    let names: Vec<String> = checks.iter().map(line).collect();
    localizer.text("note-checks_rerun", &[("names", names.join(", ").into())])
}

fn files_seen_text(by: &Login, head: &Sha, count: u32, localizer: &Localizer) -> String {
    let args = [
        ("login", format!("@{by}").into()),
        ("head", head.short().into()),
        ("count", count.into()),
    ];
    localizer.text("note-files_seen", &args)
}

fn joined(words: &BTreeSet<String>) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.join(", ")
}

/// Who was refused which hosts: an agent, and what prepared the verification of its work.
fn hosts_refused_text(
    reviewer: &Option<String>,
    hosts: &RefusedHosts,
    localizer: &Localizer,
) -> String {
    let reviewer = reviewer.as_deref();
    let RefusedHosts { agent, prepare } = hosts;
    let parts = [
        ("note-hosts_refused-agent", agent),
        ("note-hosts_refused-prepare", prepare),
    ];
    let parts = parts.into_iter().filter(|(_, hosts)| !hosts.is_empty());
    let parts: Vec<String> = parts
        .map(|(key, hosts)| {
            let args = [
                ("who", who_worked(reviewer, localizer).into()),
                ("hosts", joined(hosts).into()),
            ];
            localizer.text(key, &args)
        })
        .collect();
    parts.join(" ")
}

fn who_worked(reviewer: Option<&str>, localizer: &Localizer) -> String {
    match reviewer {
        Some(name) => reviewer_label(name, localizer),
        None => localizer.plain("note-worked-fixer"),
    }
}

/// How a session went: who, on what, and whatever there is to say of it.
fn session_text(
    reviewer: Option<&str>,
    session: &SessionSummary,
    usage: &Usage,
    localizer: &Localizer,
) -> String {
    let mut parts = Vec::new();
    if !session.runs_on.is_empty() {
        let who = who_worked(reviewer, localizer);
        let args = [
            ("who", who.into()),
            ("name", session.runs_on.clone().into()),
        ];
        parts.push(localizer.text("note-worked", &args));
    }
    for taken in &session.take_overs {
        let reason: &str = taken.reason.into();
        let args = [
            ("name", taken.model.clone().into()),
            ("reason", reason.into()),
        ];
        parts.push(localizer.text("note-worked-took-over", &args));
    }
    if !session.linters.is_empty() {
        let told = localizer.linter_runs(&session.linters, ToOwned::to_owned);
        parts.push(localizer.text("note-linters", &[("linters", told.into())]));
    }
    if session.resumed {
        parts.push(localizer.plain("note-worked-resumed"));
    }
    let tools = &session.tools;
    let left_out = session.left_out.as_ref().map_or(0, |left| left.parts);
    let counts = [
        ("note-worked-reads", tools.reads),
        ("note-worked-edits", tools.edits),
        ("note-worked-commands", tools.commands),
        ("note-worked-others", tools.others),
        ("note-worked-refused", session.refused),
        ("note-worked-dropped", session.dropped),
        ("note-worked-silenced", session.silenced),
        ("note-worked-refuted", session.refuted),
        ("note-worked-unchecked", session.unchecked),
        ("note-worked-agreed", session.agreed),
        ("note-worked-left-out", left_out),
    ];
    for (key, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        parts.push(localizer.text(key, &[("count", count.into())]));
    }
    for untaken in &session.untaken {
        parts.push(untaken_text(untaken, localizer));
    }
    if !session.refused_hosts.is_empty() {
        let args = [("hosts", joined(&session.refused_hosts).into())];
        parts.push(localizer.text("note-worked-refused-hosts", &args));
    }
    if !usage.is_nothing() {
        parts.push(usage_text(usage, localizer));
    }
    parts.join(", ")
}

/// What the user set for an agent, and why the agent went on without.
fn untaken_text(untaken: &UntakenSetting, localizer: &Localizer) -> String {
    let (setting, reason): (&str, &str) = (untaken.setting.into(), untaken.reason.into());
    let args = [
        ("setting", setting.into()),
        ("name", untaken.name.clone().into()),
        ("reason", reason.into()),
    ];
    localizer.text("note-worked-untaken", &args)
}

fn usage_text(usage: &Usage, localizer: &Localizer) -> String {
    let (input, output) = (usage.input_tokens, usage.output_tokens);
    let args = [
        ("input", localizer.format_number(input).into()),
        ("output", localizer.format_number(output).into()),
        ("cost", localizer.format_cost(usage.cost()).into()),
    ];
    localizer.text("proof-cost", &args)
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_core::ids::{RunId, Time};
    use collie_core::session::{AgentSetting, TakeOver, TakeOverReason, UntakenReason};

    #[test]
    fn what_changed_nothing_is_quiet_and_told_in_a_sentence() {
        let entry = |event: &str, notes: Vec<Note>| TimelineEntry {
            seq: 1,
            run: RunId::new("run-1"),
            at: Time(0),
            event: event.into(),
            from: Some(State::PrReviewing),
            to: State::PrReviewing,
            effects: vec![],
            notes,
        };
        let ignored = |reason: &str| Note::Ignored {
            reason: reason.into(),
        };
        let line = |language: &str, event: &str, notes| {
            timeline_line(&entry(event, notes), &Localizer::new(language))
        };
        for (language, machine) in [("en", "No effect"), ("fr", "Sans effet")] {
            for event in ["observed", "review_finished", "cancel"] {
                let told = line(
                    language,
                    event,
                    vec![ignored("read_before_it_was_asked_for")],
                );
                let words = [vec![told.text.clone()], told.notes.clone()]
                    .concat()
                    .join(" ");
                assert!(told.quiet, "{event}");
                assert!(!words.contains(machine), "{words}");
            }
        }
        let moved = Note::HeadMoved {
            from: Sha::parse(&"a".repeat(40)).expect("a SHA"),
            to: Sha::parse(&"b".repeat(40)).expect("a SHA"),
        };
        let both = line("en", "observed", vec![ignored("older_snapshot"), moved]);
        assert!(!both.quiet, "something else is told with it");
    }

    #[test]
    fn hosts_that_were_refused_are_said_with_who_wanted_to_reach_them() {
        let hosts = |agent: &[&str], prepare: &[&str]| RefusedHosts {
            agent: agent.iter().map(ToString::to_string).collect(),
            prepare: prepare.iter().map(ToString::to_string).collect(),
        };
        let said = |language: &str, reviewer: Option<&str>, hosts| {
            let reviewer = reviewer.map(ToOwned::to_owned);
            let note = Note::HostsRefused { reviewer, hosts };
            note_text(&note, &Localizer::new(language)).expect("words")
        };
        for (language, fixer) in [("en", "The fixer"), ("fr", "Le correcteur")] {
            let by_reviewer = said(language, Some("quinn"), hosts(&["a:443", "b:22"], &[]));
            assert!(by_reviewer.starts_with("Quinn "), "{by_reviewer}");
            assert!(by_reviewer.contains("a:443, b:22"), "{by_reviewer}");
            assert!(!by_reviewer.contains("prepare_hosts"), "{by_reviewer}");
            let prepared = said(language, None, hosts(&[], &["c:443"]));
            assert!(
                prepared.contains("c:443") && prepared.contains("`prepare_hosts`"),
                "{prepared}"
            );
            let both = said(language, None, hosts(&["a:443"], &["c:443"]));
            assert!(
                both.starts_with(fixer) && both.ends_with(&prepared),
                "{both}"
            );
        }
        let session = SessionSummary {
            runs_on: "anthropic/claude-x".into(),
            take_overs: vec![TakeOver {
                model: "openai/gpt-y".into(),
                reason: TakeOverReason::OutOfQuota,
            }],
            ..SessionSummary::default()
        };
        let unpriced = Usage {
            input_tokens: 10,
            output_tokens: 1,
            unpriced: true,
            ..Usage::default()
        };
        let told = session_text(Some("quinn"), &session, &unpriced, &Localizer::new("en"));
        let expect = "Quinn on anthropic/claude-x, openai/gpt-y took over: out of quota, 10 tokens in, 1 out, price unknown";
        assert_eq!(told, expect);
        let session = SessionSummary {
            refused_hosts: ["a:443".to_owned()].into(),
            ..SessionSummary::default()
        };
        let told = session_text(None, &session, &Usage::default(), &Localizer::new("en"));
        assert!(told.ends_with("not let through to a:443"), "{told}");
    }

    #[test]
    fn what_an_agent_does_not_take_is_said_by_name() {
        let untaken = |setting, name: &str, reason| UntakenSetting {
            setting,
            name: name.into(),
            reason,
        };
        let session = SessionSummary {
            untaken: [
                untaken(AgentSetting::Model, "gpt-9", UntakenReason::NotOffered),
                untaken(AgentSetting::McpServer, "docs", UntakenReason::Transport),
            ]
            .into(),
            ..SessionSummary::default()
        };
        let told = session_text(None, &session, &Usage::default(), &Localizer::new("en"));
        let expect = "without the model gpt-9, which it does not offer, without the MCP server docs, which it cannot reach over HTTP";
        assert_eq!(told, expect);
    }
}
