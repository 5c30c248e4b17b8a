//! A loop's history in words.

use super::work::Work;
use super::{Desk, Problem, lists};
use crate::words::Speech;
use collie_core::model::{Note, Usage};
use collie_core::session::SessionAccount;
use collie_store::TimelineEntry;
use collie_wire::rpc::TimelineLine;
use fluent::FluentValue;

impl Desk {
    /// What happened to a loop, oldest first.
    pub(super) async fn timeline(
        &self,
        work: &Work,
        key: &str,
    ) -> Result<Vec<TimelineLine>, Problem> {
        let pull = lists::pull(key)?;
        let state = work
            .find(&pull)
            .ok_or_else(|| Problem::new("no_loop").with("pull", &pull))?;
        let entries = work.store.timeline(&state.id).await?;
        let speech = self.speech();
        Ok(entries.iter().map(|entry| line(entry, &speech)).collect())
    }
}

fn line(entry: &TimelineEntry, speech: &Speech) -> TimelineLine {
    TimelineLine {
        seq: entry.seq,
        at: entry.at.rfc3339(),
        event: entry.event.clone(),
        from: entry.from,
        to: entry.to,
        text: text(entry, speech),
        notes: entry
            .notes
            .iter()
            .map(|note| note_text(note, speech))
            .collect(),
    }
}

/// The event in words, and what it made Collie do.
fn text(entry: &TimelineEntry, speech: &Speech) -> String {
    let event = speech.plain(&format!("event-{}", entry.event));
    let mut deeds: Vec<String> = Vec::new();
    for effect in &entry.effects {
        let deed = speech.plain(&format!("effect-{}", effect.effect));
        if !deeds.contains(&deed) {
            deeds.push(deed);
        }
    }
    if deeds.is_empty() {
        return event;
    }
    let deeds = deeds.join(", ");
    speech.text(
        "event-with-effects",
        &[
            ("event", event.into()),
            ("effects", FluentValue::from(deeds)),
        ],
    )
}

fn note_text(note: &Note, speech: &Speech) -> String {
    let text = |key: &str, args: &[(&str, FluentValue<'_>)]| speech.text(key, args);
    match note {
        Note::Ignored { reason } => text("note-ignored", &[("reason", reason.to_string().into())]),
        Note::HeadMoved { from, to } => text(
            "note-head_moved",
            &[("from", from.short().into()), ("to", to.short().into())],
        ),
        Note::Impostor { login, claims, .. } => text(
            "note-impostor",
            &[
                ("login", login.to_string().into()),
                ("claims", claims.to_string().into()),
            ],
        ),
        Note::BotTrusted { login, .. } => {
            text("note-bot_trusted", &[("login", login.to_string().into())])
        }
        Note::BecameStuck { .. } => speech.plain("note-became_stuck"),
        Note::RunStarted { .. } => speech.plain("note-run_started"),
        Note::IterationDone { iteration, commit } => text(
            "note-iteration_done",
            &[
                ("iteration", (*iteration).into()),
                ("commit", commit.short().into()),
            ],
        ),
        Note::Worked {
            reviewer,
            account,
            usage,
        } => worked(reviewer.as_deref(), account, usage, speech),
        Note::Undeliverable { message, .. } => text(
            "note-undeliverable",
            &[("message", message.to_string().into())],
        ),
    }
}

/// How a session went: who, on what, and whatever there is to say of it.
fn worked(
    reviewer: Option<&str>,
    account: &SessionAccount,
    usage: &Usage,
    speech: &Speech,
) -> String {
    let who = match reviewer {
        Some(name) => name.to_owned(),
        None => speech.plain("note-worked-fixer"),
    };
    let name = account.runs_on.clone();
    let mut parts = vec![speech.text("note-worked", &[("who", who.into()), ("name", name.into())])];
    if account.resumed {
        parts.push(speech.plain("note-worked-resumed"));
    }
    let tools = &account.tools;
    let left_out = account.left_out.as_ref().map_or(0, |left| left.parts);
    let counts = [
        ("note-worked-reads", tools.reads),
        ("note-worked-edits", tools.edits),
        ("note-worked-commands", tools.commands),
        ("note-worked-others", tools.others),
        ("note-worked-refused", account.refused),
        ("note-worked-dropped", account.dropped),
        ("note-worked-refuted", account.refuted),
        ("note-worked-agreed", account.agreed),
        ("note-worked-left-out", left_out),
    ];
    for (key, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        parts.push(speech.text(key, &[("count", count.into())]));
    }
    if !usage.is_nothing() {
        let args = [
            ("input", speech.number(usage.input_tokens).into()),
            ("output", speech.number(usage.output_tokens).into()),
            ("cost", speech.money(usage.cost_micros).into()),
        ];
        parts.push(speech.text("proof-cost", &args));
    }
    parts.join(", ")
}
