//! `collie backup` and `collie restore`: a copy of the data folder, and the way back.

use crate::args::{BackupArgs, RestoreArgs};
use crate::context;
use crate::localize;
use crate::output::Output;
use collie_app::backup::{self, BackupReport};
use collie_app::engine_client::journal::are_views_in_database;
use collie_config::DataFolder;
use collie_core::user_error::UserError;
use serde_json::json;

/// Copies the data folder, whoever works on it; gives the exit status.
pub async fn backup(output: &Output, data: &DataFolder, args: BackupArgs) -> Result<u8, UserError> {
    let report = backup::backup(data, &args.to).await?;
    let status = say(output, Done::Backup, &report);
    if !output.json && are_views_in_database(data)? {
        output.print_text(&localize!(output.localizer, "cli-backup-database"));
    }
    Ok(status)
}

/// Makes the data folder of a backup; gives the exit status.
pub async fn restore(
    output: &Output,
    data: &DataFolder,
    args: RestoreArgs,
) -> Result<u8, UserError> {
    // Before anything is put there: git is what the first start needs.
    context::require_git().await?;
    let report = backup::restore(&args.from, data).await?;
    Ok(say(output, Done::Restore, &report))
}

/// Which of both was done.
#[derive(Clone, Copy)]
enum Done {
    Backup,
    Restore,
}

fn say(output: &Output, done: Done, report: &BackupReport) -> u8 {
    if output.json {
        output.print_json(&json!({
            "folder": report.folder,
            "bytes": report.bytes,
            "audit_lines": report.audit_lines,
            "audit_faults": report.audit_faults,
        }));
        return 0;
    }
    let (folder, kib) = (
        report.folder.display().to_string(),
        report.bytes.div_ceil(1000),
    );
    let (lines, faults) = (report.audit_lines, report.audit_faults);
    let text = match done {
        Done::Backup => localize!(
            output.localizer,
            "cli-backup-done",
            folder = folder,
            kib = kib,
            lines = lines,
            faults = faults
        ),
        Done::Restore => localize!(
            output.localizer,
            "cli-restore-done",
            folder = folder,
            kib = kib,
            lines = lines,
            faults = faults
        ),
    };
    output.print_text(&text);
    0
}
