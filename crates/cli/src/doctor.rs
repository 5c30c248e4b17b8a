//! `collie doctor`: what is there, what is missing, and what to do about it.

use crate::context::Context;
use crate::localize;
use crate::terminal_text::TerminalText;
use collie_app::auth;
use collie_app::doctor::{DoctorContext, run_checks};
use collie_core::user_error::UserError;
use collie_wire::rpc::{DoctorLine, DoctorStatus};
use console::Style;
use serde_json::json;

/// Looks at everything; 0 when nothing that is needed is missing.
pub async fn run(context: &Context) -> Result<u8, UserError> {
    let doctor_context = DoctorContext {
        data: &context.data,
        // A file with mistakes has ended the command before.
        config: Ok(&context.config),
        tokens: Some(&auth::token_source(&context.config).await),
        localizer: &context.output.localizer.shared,
        keys: &auth::model_keys::machine_keys(),
    };
    let lines = run_checks(&doctor_context).await;
    for line in &lines {
        print_line(context, line);
    }
    Ok(u8::from(
        lines.iter().any(|line| line.status == DoctorStatus::Bad),
    ))
}

fn print_line(context: &Context, line: &DoctorLine) {
    let (code, key, style) = match line.status {
        DoctorStatus::Ok => ("ok", "doctor-ok", Style::new().green()),
        DoctorStatus::Warning => ("note", "doctor-warning", Style::new().yellow()),
        DoctorStatus::Bad => ("missing", "doctor-bad", Style::new().red().bold()),
    };
    let output = &context.output;
    if output.json {
        output.print_json(
            &json!({ "type": "check", "name": line.code, "status": code, "text": line.text }),
        );
    }
    let word = output.localizer.shared.plain(key);
    let mut text = TerminalText::styled(&style, format!("{word:<7}"));
    text.push(format!("  {:<20} {}", line.title, line.text));
    output.print_styled(&text);
}

/// Makes the journal anew from the checkpoints.
pub async fn rebuild(context: &Context) -> Result<u8, UserError> {
    let report = collie_app::engine_client::journal::rebuild(&context.data).await?;
    let output = &context.output;
    if output.json {
        let skipped: Vec<_> = report
            .skipped
            .iter()
            .map(|(place, why)| {
                let reason = output.localizer.shared.error_text(why);
                json!({ "place": place, "code": why.code, "reason": reason })
            })
            .collect();
        output.print_json(&json!({
            "type": "rebuilt",
            "healthy": report.healthy,
            "kept_aside": report.kept_aside,
            "restored": report.restored,
            "spending_days": report.spending_days,
            "runs": report.runs,
            "incomplete": report.is_incomplete,
            "skipped": skipped,
        }));
        return Ok(0);
    }
    if report.healthy {
        output.print_text(&localize!(output.localizer, "doctor-rebuild-healthy"));
        return Ok(0);
    }
    output.print_text(&localize!(
        output.localizer,
        "doctor-rebuilt",
        count = report.restored.len()
    ));
    if report.spending_days > 0 || report.runs > 0 {
        output.print_text(&localize!(
            output.localizer,
            "doctor-rebuilt-history",
            days = report.spending_days,
            runs = report.runs
        ));
    }
    if report.is_incomplete {
        output.print_text(&localize!(output.localizer, "doctor-rebuilt-incomplete"));
    }
    if let Some(kept) = &report.kept_aside {
        output.print_text(&localize!(
            output.localizer,
            "doctor-rebuilt-kept",
            file = kept.display().to_string()
        ));
    }
    for (place, reason) in &report.skipped {
        let text = localize!(
            output.localizer,
            "doctor-rebuilt-skipped",
            file = place.as_str(),
            reason = output.localizer.shared.error_text(reason)
        );
        output.print_text(&text);
    }
    Ok(0)
}
