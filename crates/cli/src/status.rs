//! `status` and `log`: what the journal knows, read beside a running engine or without one.

use crate::context::Context;
use crate::problem::Problem;
use crate::{paint, say, show};
use collie_app::view::view;
use collie_core::ids::PullName;
use collie_core::model::LoopState;
use collie_engine::ports::{Journal as _, StoreError};
use collie_store::{OpenMode, Store, TimelineEntry, running_engine};
use collie_wire::{LogLine, LoopView, note_text};
use console::Style;

fn failed(error: StoreError) -> Problem {
    Problem::new("store", error)
}

async fn open(context: &Context) -> Result<Store, Problem> {
    Store::open(&context.data, OpenMode::Reader)
        .await
        .map_err(|e| Problem::new("store", e))
}

fn named(state: &LoopState, pull: &PullName) -> bool {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    same(state.repo.owner(), pull.repo.owner())
        && same(state.repo.name(), pull.repo.name())
        && state.id.number == pull.number
}

/// Shows one loop, or all.
pub async fn status(context: &Context, pull: Option<&PullName>) -> Result<u8, Problem> {
    let store = open(context).await?;
    let mut loops = store.loops().await.map_err(failed)?;
    store.close().await;
    let out = &context.out;
    if let Some(pull) = pull {
        loops.retain(|state| named(state, pull));
        if loops.is_empty() {
            return Err(unknown(context, pull));
        }
    }
    loops.sort_by_key(|state| (state.repo.to_string(), state.id.number));
    let shown = |state| view(state, None, &out.say.speech);
    let views: Vec<LoopView> = loops.iter().map(shown).collect();
    if out.json {
        for view in &views {
            out.line(view);
        }
        return Ok(0);
    }
    let engine = running_engine(&context.data).map_err(|e| Problem::new("data_folder", e))?;
    if views.is_empty() {
        out.words(&say!(out.say, "cli-no-loops"));
    } else {
        out.words(&show::table(out, &views.iter().collect::<Vec<_>>()));
    }
    let engine = match engine {
        Some(engine) => {
            let pid = engine
                .pid
                .map_or_else(|| "?".to_owned(), |pid| pid.to_string());
            say!(out.say, "cli-engine-runs", pid = pid)
        }
        None => say!(out.say, "cli-engine-rests"),
    };
    out.words(&Style::new().dim().apply_to(engine).to_string());
    Ok(0)
}

fn unknown(context: &Context, pull: &PullName) -> Problem {
    Problem::new(
        "not_found",
        say!(context.out.say, "cli-no-loop", pull = pull.to_string()),
    )
}

/// Shows the journal of a loop as a timeline.
pub async fn log(context: &Context, pull: &PullName) -> Result<u8, Problem> {
    let store = open(context).await?;
    let loops = store.loops().await.map_err(failed)?;
    let id = loops
        .into_iter()
        .find(|state| named(state, pull))
        .map(|state| state.id);
    let entries = match &id {
        Some(id) => store.timeline(id).await.map_err(failed)?,
        None => return Err(unknown(context, pull)),
    };
    store.close().await;
    for entry in &entries {
        if context.out.json {
            context.out.line(&line_of(entry));
        } else {
            context.out.words(&words_of(context, entry));
        }
    }
    Ok(0)
}

fn notes_of(entry: &TimelineEntry) -> Option<String> {
    let notes: Vec<String> = entry.notes.iter().map(note_text).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

fn line_of(entry: &TimelineEntry) -> LogLine {
    LogLine {
        seq: entry.seq,
        at: entry.at.rfc3339(),
        event: entry.event.clone(),
        from: entry.from,
        to: entry.to,
        effects: entry
            .effects
            .iter()
            .map(|effect| effect.effect.clone())
            .collect(),
        note: notes_of(entry),
    }
}

fn words_of(context: &Context, entry: &TimelineEntry) -> String {
    let say = &context.out.say;
    let at = jiff::Timestamp::from_millisecond(entry.at.0)
        .map(|at| {
            at.to_zoned(jiff::tz::TimeZone::system())
                .strftime("%Y-%m-%d %H:%M:%S")
                .to_string()
        })
        .unwrap_or_default();
    let dim = Style::new().dim();
    let mut line = format!("{}  {:<16}", dim.apply_to(at), entry.event);
    if entry.from != Some(entry.to) {
        let name = say.speech.state(entry.to);
        line.push_str(&format!("  → {}", paint::style(entry.to).apply_to(name)));
    }
    if !entry.effects.is_empty() {
        let effects: Vec<&str> = entry.effects.iter().map(|e| e.effect.as_str()).collect();
        line.push_str(&format!(
            "  {}",
            say!(say, "cli-log-effects", effects = effects.join(", "))
        ));
    }
    if let Some(notes) = notes_of(entry) {
        line.push_str(&format!("  {}", dim.apply_to(notes)));
    }
    line.trim_end().to_owned()
}
