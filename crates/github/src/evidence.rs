//! What a failed check says: its annotations and the end of its log (§3.3). Each is fetched once.

use crate::api::{Api, lock};
use crate::fault::Fault;
use collie_core::ids::{AccountId, Login, RepoName};
use collie_core::snapshot::{Actor, Annotation, Check, CheckConclusion};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Lines of a log that are kept.
const LOG_LINES: usize = 500;
/// Bytes of a log that are kept.
const LOG_BYTES: usize = 64 << 10;
/// Pages of a hundred annotations that are read.
const ANNOTATION_PAGES: u32 = 10;
/// A log may come a moment after its check: one that is missing is asked for again for so long.
const LOG_PATIENCE_MS: u64 = 5 * 60_000;
/// Check runs that are remembered.
const REMEMBERED: usize = 1_000;

/// What was fetched of one check run.
#[derive(Clone, Debug, Default)]
struct Evidence {
    annotations: Vec<Annotation>,
    log_tail: Option<String>,
}

/// Everything that was fetched about checks.
#[derive(Default)]
pub(crate) struct EvidenceCache {
    by_run: Mutex<BTreeMap<u64, Evidence>>,
    reporters: Mutex<BTreeMap<String, Option<Actor>>>,
}

#[derive(Deserialize)]
struct AnnotationRow {
    path: String,
    start_line: Option<u32>,
    message: Option<String>,
    title: Option<String>,
}

#[derive(Deserialize)]
struct UserRow {
    id: u64,
}

/// Whether a check's own words are wanted.
fn has_failed(check: &Check) -> bool {
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

/// Fills in what a failed check run says; nothing to fetch for any other.
pub(crate) async fn fill(
    api: &Api,
    cache: &EvidenceCache,
    repo: &RepoName,
    check: &mut Check,
) -> Result<(), Fault> {
    if check.id == 0 || !has_failed(check) {
        return Ok(());
    }
    let known = lock(&cache.by_run).get(&check.id).cloned();
    let evidence = match known {
        Some(evidence) => evidence,
        None => {
            let evidence = Evidence {
                annotations: annotations(api, repo, check.id).await?,
                log_tail: log_tail(api, repo, check.id).await?,
            };
            let ended = check.completed_at.unwrap_or_default();
            if evidence.log_tail.is_some() || api.clock.now().since(ended) > LOG_PATIENCE_MS {
                let mut by_run = lock(&cache.by_run);
                if by_run.len() >= REMEMBERED {
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

/// Finds the account that an app reports with: `SLUG[bot]`. Asked once an app.
pub(crate) async fn reporter(
    api: &Api,
    cache: &EvidenceCache,
    slug: &str,
) -> Result<Option<Actor>, Fault> {
    if let Some(known) = lock(&cache.reporters).get(slug) {
        return Ok(known.clone());
    }
    // A slug is made of letters, digits and dashes; anything else has no account to look for.
    let plain = slug
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let found = if plain {
        let answer = none_if_gone(api.get(&format!("/users/{slug}%5Bbot%5D")).await)?;
        answer.map(|answer| answer.json::<UserRow>()).transpose()?
    } else {
        None
    };
    let actor = found.map(|row| Actor {
        id: AccountId(row.id),
        login: Login::new(slug),
        is_bot: true,
    });
    lock(&cache.reporters).insert(slug.to_string(), actor.clone());
    Ok(actor)
}

async fn annotations(api: &Api, repo: &RepoName, run: u64) -> Result<Vec<Annotation>, Fault> {
    let mut found = Vec::new();
    for page in 1..=ANNOTATION_PAGES {
        let path = format!("/repos/{repo}/check-runs/{run}/annotations?per_page=100&page={page}");
        let Some(answer) = none_if_gone(api.get_fresh(&path).await)? else {
            break;
        };
        let rows: Vec<AnnotationRow> = answer.json()?;
        let last = !answer.has_next();
        found.extend(rows.into_iter().map(annotation));
        if last {
            break;
        }
    }
    Ok(found)
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
async fn log_tail(api: &Api, repo: &RepoName, run: u64) -> Result<Option<String>, Fault> {
    let path = format!("/repos/{repo}/actions/jobs/{run}/logs");
    let answer = none_if_gone(api.get_tail(&path, LOG_BYTES).await)?;
    Ok(answer
        .map(|answer| tail_of(&answer.body))
        .filter(|text| !text.is_empty()))
}

/// The last lines; a line or letter that was cut at the beginning is left out.
fn tail_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim_end();
    let lines: Vec<&str> = text.lines().collect();
    let cut = bytes.len() >= LOG_BYTES && lines.len() > 1;
    let from = lines.len().saturating_sub(LOG_LINES).max(usize::from(cut));
    lines[from..].join("\n")
}

/// What is not there, or not for us to see, is no reason to throw a reading away.
fn none_if_gone<T>(answer: Result<T, Fault>) -> Result<Option<T>, Fault> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Fault::NotFound(_) | Fault::Forbidden(_) | Fault::Refused(_)) => Ok(None),
        Err(fault) => Err(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_keeps_its_last_lines_and_no_half_line() {
        assert_eq!(tail_of("\u{feff}one\r\ntwo\n\n".as_bytes()), "one\ntwo");
        assert_eq!(tail_of(b""), "");
        let many: String = (0..600).map(|n| format!("{n}\n")).collect();
        let tail = tail_of(many.as_bytes());
        assert_eq!(
            (tail.lines().next(), tail.lines().count()),
            (Some("100"), 500)
        );
        let mut cut = vec![0xA9; 5];
        cut.extend(format!("\n{}", "x".repeat(LOG_BYTES)).bytes());
        assert!(tail_of(&cut).starts_with("xx"));
    }
}
