//! Holds the files beside the journal against the promises at the end of a play: checkpoints and the audit log, whatever deaths have left of
//! them.

use super::people::pull_name;
use super::stage::{START, Stage};
use super::torn::{checkpoints, files_below};
use collie_core::loop_state::LoopState;
use collie_engine::ports::{AuditAction, AuditEntry};
use collie_store::{AuditFaultKind, StorePaths, verify_audit};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// What a checkpoint says, as far as it is looked at.
#[derive(Deserialize)]
struct Written {
    state: LoopState,
}

/// Each loop has a checkpoint that shows what the journal has; what was cut was kept aside, and what was half written is gone.
///
/// # Errors
/// The files cannot be read.
pub fn check_checkpoints(
    stage: &Stage,
    paths: &StorePaths,
    stored: &[LoopState],
    unwritten: usize,
) -> Result<(), String> {
    let fail = |error: std::io::Error| error.to_string();
    if unwritten > 0 {
        stage.breach(format!("{unwritten} checkpoints could not be written"));
    }
    let mut written = BTreeMap::new();
    for path in checkpoints(paths).map_err(fail)? {
        let read = serde_json::from_slice::<Written>(&fs::read(&path).map_err(fail)?);
        match read {
            Ok(Written { state }) => drop(written.insert(state.id.clone(), state)),
            Err(error) => stage.breach(format!("a checkpoint is torn: {error}")),
        }
    }
    for last in stored {
        let is_same = written.get(&last.id).is_some_and(|written| {
            (written.run.state, &written.run.id) == (last.run.state, &last.run.id)
                && written.run.fixing.iteration == last.run.fixing.iteration
                && written.memory.posted == last.memory.posted
                && written.outbox == last.outbox
        });
        if !is_same {
            let number = last.id.number;
            stage.breach(format!("the checkpoint of #{number} is not what it is"));
        }
    }
    let files = files_below(&paths.checkpoints()).map_err(fail)?;
    let count = |part: &str| {
        let names = files.iter().filter_map(|path| path.file_name());
        let named = names.filter(|name| name.to_string_lossy().contains(part));
        named.count() as u64
    };
    let (unfinished, kept, cut) = (
        count(".unfinished"),
        count(".kept-"),
        stage.torn().checkpoints_cut,
    );
    if unfinished > 0 || kept > cut {
        stage.breach(format!(
            "{unfinished} half-written checkpoints are left; {kept} were kept aside where {cut} were cut"
        ));
    }
    Ok(())
}

/// A line of the audit log that is written at the end: the log goes on, whatever was torn.
pub fn last_line() -> AuditEntry {
    AuditEntry {
        at: START,
        action: AuditAction::Paused,
        correlation_id: None,
        subject: pull_name(0).into(),
        details: BTreeMap::new(),
    }
}

/// The audit log has each line whose writer was told so, but those that a death has torn, and shows where these were.
pub fn check_audit(stage: &Stage, paths: &StorePaths) {
    let report = match verify_audit(paths) {
        Ok(report) => report,
        Err(error) => return stage.breach(format!("the audit log: {error}")),
    };
    let torn = stage.torn();
    let expected = stage.promises().audited + 1 - torn.audit_lines_lost;
    let faults = report.faults.iter();
    let found: BTreeSet<(String, u64)> = faults
        .map(|fault| (fault.file.clone(), fault.line))
        .collect();
    let is_visible = report
        .faults
        .iter()
        .all(|fault| fault.kind == AuditFaultKind::Edited);
    let is_whole = is_visible && found == torn.audit_lines && report.chained == expected;
    let told = format!("{:?} where {expected} lines stand and {torn:?}", report);
    drop(torn);
    if !is_whole {
        stage.breach(format!("the audit log: {told}"));
    }
}
