//! `collie doctor`: what is there, what is missing, and what to do about it.

use crate::context::Context;
use crate::problem::Problem;
use crate::say;
use collie_app::connect;
use collie_app::doctor::{Ground, look};
use collie_wire::rpc::{DoctorLine, DoctorStatus};
use console::Style;
use serde_json::json;

/// Looks at everything; 0 when nothing that is needed is missing.
pub async fn run(context: &Context) -> Result<u8, Problem> {
    let ground = Ground {
        data: &context.data,
        // A file with mistakes has ended the command before.
        config: Ok(&context.config),
        tokens: &connect::token_source(&context.config).await,
        speech: &context.out.say.speech,
    };
    let lines = look(&ground).await;
    for line in &lines {
        print(context, line);
    }
    Ok(u8::from(
        lines.iter().any(|line| line.status == DoctorStatus::Bad),
    ))
}

fn print(context: &Context, line: &DoctorLine) {
    let (code, key, style) = match line.status {
        DoctorStatus::Ok => ("ok", "doctor-ok", Style::new().green()),
        DoctorStatus::Warning => ("note", "doctor-warning", Style::new().yellow()),
        DoctorStatus::Bad => ("missing", "doctor-bad", Style::new().red().bold()),
    };
    let out = &context.out;
    if out.json {
        out.line(&json!({ "type": "check", "name": line.code, "status": code, "text": line.text }));
    }
    let word = out.say.speech.plain(key);
    out.words(&format!(
        "{}  {:<20} {}",
        style.apply_to(format!("{word:<7}")),
        line.title,
        line.text
    ));
}

/// Makes the journal anew from the checkpoints.
pub async fn rebuild(context: &Context) -> Result<u8, Problem> {
    let report = collie_store::rebuild(&context.data)
        .await
        .map_err(|e| Problem::new("store", e))?;
    let out = &context.out;
    if out.json {
        let skipped: Vec<_> = report
            .skipped
            .iter()
            .map(|(place, why)| json!({ "place": place, "reason": why }))
            .collect();
        out.line(&json!({
            "type": "rebuilt",
            "healthy": report.healthy,
            "kept_aside": report.kept_aside,
            "restored": report.restored,
            "skipped": skipped,
        }));
        return Ok(0);
    }
    if report.healthy {
        out.words(&say!(out.say, "doctor-rebuild-healthy"));
        return Ok(0);
    }
    out.words(&say!(
        out.say,
        "doctor-rebuilt",
        count = report.restored.len()
    ));
    if let Some(kept) = &report.kept_aside {
        out.words(&say!(
            out.say,
            "doctor-rebuilt-kept",
            file = kept.display().to_string()
        ));
    }
    for (place, reason) in &report.skipped {
        let text = say!(
            out.say,
            "doctor-rebuilt-skipped",
            file = place.as_str(),
            reason = reason.as_str()
        );
        out.words(&text);
    }
    Ok(0)
}
