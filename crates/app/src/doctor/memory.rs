//! Whether what people made of findings can be read: a review that cannot goes without, and only its log says so.

use super::context::{DoctorContext, MAX_NAMED_FAULTS};
use crate::engine_client::journal::check_memory;
use collie_engine::ports::StoreError;
use collie_wire::rpc::{DoctorCode, DoctorLine, DoctorStatus};

/// Reads the file of every repository.
pub(super) async fn check(context: &DoctorContext<'_>) -> DoctorLine {
    let (count, errors) = match check_memory(context.data).await {
        Ok(found) => found,
        Err(error) => return context.error_line(DoctorCode::Memory, DoctorStatus::Bad, error),
    };
    if errors.is_empty() {
        let text = context.count_text("doctor-memory-ok", count);
        return context.line(DoctorCode::Memory, DoctorStatus::Ok, text);
    }
    // The parser's words are of several lines, with the line that is meant.
    let on_one_line = |error: &StoreError| {
        let text = error.to_string();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let named = errors.iter().take(MAX_NAMED_FAULTS);
    let mut sentences: Vec<String> = named
        .map(|error| {
            context.text(
                "doctor-memory-broken",
                &[("message", on_one_line(error).into())],
            )
        })
        .collect();
    let left = errors.len() - sentences.len();
    if left > 0 {
        sentences.push(context.count_text("doctor-memory-more", left));
    }
    context.line(
        DoctorCode::Memory,
        DoctorStatus::Warning,
        sentences.join(" "),
    )
}
