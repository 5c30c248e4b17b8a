//! What a failed check says: its annotations and the end of its log (§3.3). Each is fetched once.

use crate::api_client::{ApiClient, lock};
use crate::api_fault::{ApiFault, ok_if_hidden};
use crate::node_conversion;
use crate::nodes::CheckContextNode;
use collie_core::ids::{AccountId, Login, RepoName, Time};
use collie_core::snapshot::{Actor, Annotation, Check, CheckConclusion};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Lines of a log that are kept.
const MAX_LOG_LINES: usize = 500;
/// Bytes of a log that are kept.
const MAX_LOG_BYTES: usize = 64 << 10;
/// Pages of a hundred annotations that are read.
const MAX_ANNOTATION_PAGES: u32 = 10;
/// A log may come a moment after its check: one that is missing is asked for again for so long.
const LOG_RETRY_MS: u64 = 5 * 60_000;
/// Check runs that are remembered.
const CACHE_CAPACITY: usize = 1_000;

/// What was fetched of one check run.
#[derive(Clone, Debug, Default)]
struct CheckEvidence {
    annotations: Vec<Annotation>,
    log_tail: Option<String>,
}

/// Everything that was fetched about checks.
#[derive(Default)]
pub(crate) struct CheckEvidenceCache {
    by_run: Mutex<BTreeMap<u64, CheckEvidence>>,
    reporters: Mutex<BTreeMap<String, Option<Actor>>>,
}

#[derive(Deserialize)]
pub(crate) struct AnnotationRow {
    /// `notice`, `warning` or `failure`.
    annotation_level: Option<String>,
    path: String,
    start_line: Option<u32>,
    message: Option<String>,
    title: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct UserRow {
    id: u64,
}

/// Whether a check's own words are wanted.
fn wants_evidence(check: &Check) -> bool {
    match check.conclusion {
        Some(
            CheckConclusion::Failure
            | CheckConclusion::TimedOut
            | CheckConclusion::StartupFailure
            | CheckConclusion::Cancelled,
        ) => true,
        Some(
            CheckConclusion::Success
            | CheckConclusion::Neutral
            | CheckConclusion::Skipped
            | CheckConclusion::ActionRequired
            | CheckConclusion::Stale,
        )
        | None => false,
    }
}

/// Whether a log is still to come: its check ended a moment ago, and a reading that shows nothing else new would miss it.
pub(crate) fn awaits_log(check: &Check, now: Time) -> bool {
    let ended = check.completed_at.unwrap_or_default();
    let is_late = now.since(ended) > LOG_RETRY_MS;
    check.id != 0 && wants_evidence(check) && check.log_tail.is_none() && !is_late
}

/// Fills in what a failed check run says; nothing to fetch for any other.
pub(crate) async fn attach_evidence(
    api: &ApiClient,
    cache: &CheckEvidenceCache,
    repo: &RepoName,
    check: &mut Check,
) -> Result<(), ApiFault> {
    if check.id == 0 || !wants_evidence(check) {
        return Ok(());
    }
    let cached = lock(&cache.by_run).get(&check.id).cloned();
    let evidence = match cached {
        Some(evidence) => evidence,
        None => {
            let evidence = CheckEvidence {
                annotations: fetch_annotations(api, repo, check.id).await?,
                log_tail: fetch_log_tail(api, repo, check.id).await?,
            };
            let completed_at = check.completed_at.unwrap_or_default();
            if evidence.log_tail.is_some() || api.clock.now().since(completed_at) > LOG_RETRY_MS {
                let mut by_run = lock(&cache.by_run);
                if by_run.len() >= CACHE_CAPACITY {
                    by_run.pop_first();
                }
                by_run.insert(check.id, evidence.clone());
            }
            evidence
        }
    };
    check.annotations = evidence.annotations;
    check.log_tail = evidence.log_tail;
    Ok(())
}

/// Checks with the accounts that reported them.
pub(crate) async fn checks_with_reporters(
    api: &ApiClient,
    cache: &CheckEvidenceCache,
    nodes: Vec<CheckContextNode>,
) -> Result<Vec<Check>, ApiFault> {
    let mut checks = Vec::new();
    for node in node_conversion::without_superseded_statuses(nodes) {
        let (mut check, app) = node_conversion::check(node);
        if let Some(slug) = app {
            check.reporter = reporter_account(api, cache, &slug).await?;
        }
        checks.push(check);
    }
    Ok(checks)
}

/// Finds the account that an app reports with: `SLUG[bot]`. Asked once an app.
async fn reporter_account(
    api: &ApiClient,
    cache: &CheckEvidenceCache,
    slug: &str,
) -> Result<Option<Actor>, ApiFault> {
    if let Some(known) = lock(&cache.reporters).get(slug) {
        return Ok(known.clone());
    }
    // A slug is made of letters, digits and dashes; anything else has no account to look for.
    let is_slug = slug
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let user = if is_slug {
        let response = ok_if_hidden(api.get(&format!("/users/{slug}%5Bbot%5D")).await)?;
        response
            .map(|response| response.json::<UserRow>())
            .transpose()?
    } else {
        None
    };
    let actor = user.map(|row| Actor {
        id: AccountId(row.id),
        login: Login::new(slug),
        is_bot: true,
    });
    lock(&cache.reporters).insert(slug.to_string(), actor.clone());
    Ok(actor)
}

async fn fetch_annotations(
    api: &ApiClient,
    repo: &RepoName,
    run: u64,
) -> Result<Vec<Annotation>, ApiFault> {
    let mut annotations = Vec::new();
    for page in 1..=MAX_ANNOTATION_PAGES {
        let path = format!("/repos/{repo}/check-runs/{run}/annotations?per_page=100&page={page}");
        let Some(response) = ok_if_hidden(api.get_uncached(&path).await)? else {
            break;
        };
        let rows: Vec<AnnotationRow> = response.json()?;
        let is_last_page = !response.has_next();
        // What is only remarked is not what it failed with.
        let failures = rows
            .into_iter()
            .filter(|row| !matches!(row.annotation_level.as_deref(), Some("notice" | "warning")));
        annotations.extend(failures.map(annotation));
        if is_last_page {
            break;
        }
    }
    Ok(annotations)
}

fn annotation(row: AnnotationRow) -> Annotation {
    let message = row.message.unwrap_or_default();
    let message = match row.title.as_deref().map(str::trim) {
        Some(title) if !title.is_empty() && !message.contains(title) => {
            format!("{title}: {message}")
        }
        Some(_) | None => message,
    };
    Annotation {
        path: row.path,
        line: row.start_line.unwrap_or(1).max(1),
        message,
    }
}

/// The log of a job of GitHub Actions, whose number is the check run's. Other apps have none.
async fn fetch_log_tail(
    api: &ApiClient,
    repo: &RepoName,
    run: u64,
) -> Result<Option<String>, ApiFault> {
    let path = format!("/repos/{repo}/actions/jobs/{run}/logs");
    let response = ok_if_hidden(api.get_tail(&path, MAX_LOG_BYTES).await)?;
    Ok(response
        .map(|response| last_lines(&response.body))
        .filter(|text| !text.is_empty()))
}

/// The last lines; a line or letter that was cut at the beginning is left out.
fn last_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim_end();
    let lines: Vec<&str> = text.lines().collect();
    let is_cut = bytes.len() >= MAX_LOG_BYTES && lines.len() > 1;
    let first_line = lines
        .len()
        .saturating_sub(MAX_LOG_LINES)
        .max(usize::from(is_cut));
    lines[first_line..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_keeps_its_last_lines_and_no_half_line() {
        assert_eq!(last_lines("\u{feff}one\r\ntwo\n\n".as_bytes()), "one\ntwo");
        assert_eq!(last_lines(b""), "");
        let many: String = (0..600).map(|n| format!("{n}\n")).collect();
        let tail = last_lines(many.as_bytes());
        assert_eq!(
            (tail.lines().next(), tail.lines().count()),
            (Some("100"), 500)
        );
        let mut cut = vec![0xA9; 5];
        cut.extend(format!("\n{}", "x".repeat(MAX_LOG_BYTES)).bytes());
        assert!(last_lines(&cut).starts_with("xx"));
    }
}
