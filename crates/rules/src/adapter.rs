//! The rules on the panel: as reviewer, as fixer, and as the judge of the syntax gate (§4.7, §6.3).

use crate::{
    LineSet, Priority, RuleError, RuleMatch, RuleSet, ScanInput, SelectedMatch, UnappliedReason,
    apply_fixes, scan, scan_file, scan_syntax, syntax_errors,
};
use async_trait::async_trait;
use collie_core::coverage::{UnseenFile, UnseenReason};
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::user_error::UserError;

use collie_core::finding::{Confidence, Finding, FindingKind, FindingSource, SourceType};
use collie_core::fix::{FixResult, FixSummary, FixedIssue, RejectedIssue, note_codes};
use collie_core::review::{IssueCounts, ReviewerResult, conclusion_from_counts};
use collie_core::step::RULES_FIXER;
use collie_core::text::redact_keeping_lines;
use collie_engine::ports::{
    DiffFile, FixRequest, FixResponse, Fixer, Git, GitError, ReviewRequest, ReviewResponse,
    Reviewers, SyntaxChecker, path_in_worktree,
};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::LazyLock;
use tokio_util::sync::CancellationToken;

/// Files larger than that are not read: they are data.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// The built-in rules on every chair that they can take.
pub struct RulesAdapter {
    git: Arc<dyn Git>,
}

impl RulesAdapter {
    /// `git` gives the files of the merge base, to tell what was broken before.
    pub fn new(git: Arc<dyn Git>) -> Self {
        Self { git }
    }

    async fn read_changed_files(
        &self,
        request: &ReviewRequest,
    ) -> Result<(Vec<ScannedFile>, Vec<UnseenFile>), GitError> {
        let mut files = Vec::new();
        let mut unseen = Vec::new();
        for file in &request.diff {
            let mut skip = |reason| {
                let path = file.path.clone();
                unseen.push(UnseenFile { path, reason });
            };
            if let Some(reason) = file.unshown {
                skip(reason);
            }
            if !has_lines(file) {
                continue;
            }
            let tree = &request.worktree;
            let content = match read_file(tree.path(), &file.path).await {
                Ok(content) => content,
                Err(reason) => {
                    skip(reason);
                    continue;
                }
            };
            let old = file.old_path.as_deref().unwrap_or(&file.path);
            let before = if file.added {
                None
            } else {
                self.git
                    .file_at(tree, tree.merge_base(), old, MAX_FILE_BYTES)
                    .await?
            };
            files.push(ScannedFile {
                path: file.path.clone(),
                content,
                before,
                changed: changed_lines(file),
                generated: is_generated(file),
            });
        }
        Ok((files, unseen))
    }
}

/// One file in memory.
struct ScannedFile {
    path: String,
    content: Vec<u8>,
    before: Option<Vec<u8>>,
    changed: LineSet,
    generated: bool,
}

/// Whether only secrets and conflict markers are looked for in it.
fn is_generated(file: &DiffFile) -> bool {
    matches!(
        file.unshown,
        Some(UnseenReason::Generated | UnseenReason::Lockfile)
    )
}

fn has_lines(file: &DiffFile) -> bool {
    !file.deleted && !file.opaque && !file.changed.is_empty()
}

fn changed_lines(file: &DiffFile) -> LineSet {
    file.changed
        .iter()
        .flat_map(|(first, last)| *first as usize..=*last as usize)
        .collect()
}

/// The bytes of a file of the worktree.
///
/// # Errors
/// Why it is not read.
async fn read_file(root: &Path, path: &str) -> Result<Vec<u8>, UnseenReason> {
    let absolute_path = path_in_worktree(root, path).ok_or(UnseenReason::Unreadable)?;
    // A link is not followed: it could lead out of the worktree.
    let meta = tokio::fs::symlink_metadata(&absolute_path).await;
    let meta = meta.map_err(|_| UnseenReason::Unreadable)?;
    if !meta.is_file() {
        return Err(UnseenReason::Unreadable);
    }
    if meta.len() > MAX_FILE_BYTES {
        return Err(UnseenReason::TooLarge);
    }
    let content = tokio::fs::read(&absolute_path).await;
    content.map_err(|_| UnseenReason::Unreadable)
}

fn parse_rule_set(files: &[(String, Vec<u8>)]) -> (RuleSet, Vec<RuleError>) {
    let text = |(path, bytes): &(String, Vec<u8>)| {
        (path.clone(), String::from_utf8_lossy(bytes).into_owned())
    };
    let texts: Vec<(String, String)> = files.iter().map(text).collect();
    RuleSet::with_repository(&texts)
}

/// Runs what is heavy on the processor off the runtime's threads.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SessionFailure> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        let panicked = UserError::new(ErrorCode::RulesPanicked);
        SessionFailure::permanent(panicked.with_aside("message", error.to_string()))
    })
}

#[async_trait]
impl Reviewers for RulesAdapter {
    async fn review(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewResponse, SessionFailure> {
        let (rules, errors) = parse_rule_set(&request.rules);
        let (files, mut unseen) = self
            .read_changed_files(&request)
            .await
            .map_err(SessionFailure::transient)?;
        let cancel_token = cancel.clone();
        let (found, unread) =
            run_blocking(move || scan_files(&rules, &files, &cancel_token)).await?;
        unseen.extend(unread);
        let timestamp = request.now.rfc3339();
        let mut findings: Vec<Finding> = found
            .iter()
            .enumerate()
            .map(|(index, found_match)| finding_of_match(found_match, index, &timestamp))
            .collect();
        findings.extend(
            errors
                .iter()
                .enumerate()
                .map(|(index, error)| finding_of_rule_error(error, index, &timestamp)),
        );
        let issues = IssueCounts::of(&findings);
        let result = ReviewerResult {
            agent: request.reviewer.name,
            pr_number: request.worktree.pull().id.number,
            conclusion: conclusion_from_counts(issues),
            issues,
            findings,
            full_report: String::new(),
            escalations: Vec::new(),
        };
        Ok(ReviewResponse {
            unseen,
            ..result.into()
        })
    }
}

fn scan_files(
    rules: &RuleSet,
    files: &[ScannedFile],
    cancel_token: &CancellationToken,
) -> (Vec<RuleMatch>, Vec<UnseenFile>) {
    let mut found = Vec::new();
    let mut unseen = Vec::new();
    for file in files {
        if cancel_token.is_cancelled() {
            break;
        }
        let input = ScanInput {
            path: &file.path,
            content: &file.content,
            changed_lines: &file.changed,
            generated: file.generated,
        };
        let scanned = scan_file(rules, &input);
        found.extend(scanned.matches);
        unseen.extend(scanned.unread.map(|reason| UnseenFile {
            path: file.path.clone(),
            reason,
        }));
        found.extend(scan_syntax(rules, &input, file.before.as_deref()));
    }
    (found, unseen)
}

fn core_priority(priority: Priority) -> collie_core::finding::Priority {
    match priority {
        Priority::P0 => collie_core::finding::Priority::P0,
        Priority::P1 => collie_core::finding::Priority::P1,
        Priority::P2 => collie_core::finding::Priority::P2,
        Priority::P3 => collie_core::finding::Priority::P3,
    }
}

fn rules_source(timestamp: &str) -> FindingSource {
    FindingSource {
        kind: SourceType::Rules,
        name: "rules".into(),
        review_id: None,
        timestamp: timestamp.into(),
    }
}

fn finding_of_match(found: &RuleMatch, index: usize, timestamp: &str) -> Finding {
    let kind = match found.priority {
        Priority::P0 | Priority::P1 | Priority::P2 => FindingKind::Error,
        Priority::P3 => FindingKind::Suggestion,
    };
    Finding {
        id: format!("RULE-{:03}", index + 1),
        priority: core_priority(found.priority),
        category: format!("rule:{}", found.rule_id),
        file: found.path.clone(),
        line: u32::try_from(found.line).ok().filter(|line| *line > 0),
        title: without_secrets(&found.title),
        description: without_secrets(&found.description),
        // With a secret taken out it would not be what the rule suggests.
        suggestion: found
            .suggestion
            .clone()
            .filter(|text| without_secrets(text) == *text),
        source: rules_source(timestamp),
        kind,
        confidence: Confidence::SURE,
        evidence: Some(without_secrets(&found.evidence)),
    }
}

/// What is kept and handed on of a file names no secret; its lines stay lines.
fn without_secrets(text: &str) -> String {
    redact_keeping_lines(text, &[])
}

/// A rules file of the repository that cannot be read: told as a suggestion, since it is the base's fault, not the change's.
fn finding_of_rule_error(error: &RuleError, index: usize, timestamp: &str) -> Finding {
    Finding {
        id: format!("RULE-FILE-{:03}", index + 1),
        priority: collie_core::finding::Priority::P3,
        category: "rule:rules-file".into(),
        file: error.path.clone(),
        line: error
            .line
            .and_then(|line| u32::try_from(line).ok())
            .filter(|line| *line > 0),
        title: error.to_string(),
        description: String::new(),
        suggestion: None,
        source: rules_source(timestamp),
        kind: FindingKind::Suggestion,
        confidence: Confidence::SURE,
        evidence: None,
    }
}

impl SyntaxChecker for RulesAdapter {
    fn first_broken_line(&self, path: &str, before: Option<&[u8]>, after: &[u8]) -> Option<u32> {
        let first = syntax_errors(path, before, after).into_iter().next()?;
        u32::try_from(first.line).ok()
    }
}

/// What is to be tried for the findings: per file the selected matches, and which findings each one answers.
#[derive(Default)]
struct FixPlan {
    selected: BTreeMap<String, BTreeSet<SelectedMatch>>,
    matches_by_finding: BTreeMap<String, Vec<(String, SelectedMatch)>>,
    rejected: BTreeMap<String, &'static str>,
}

#[async_trait]
impl Fixer for RulesAdapter {
    async fn fix(
        &self,
        request: FixRequest,
        _cancel: &CancellationToken,
    ) -> Result<FixResponse, SessionFailure> {
        let (rules, _) = parse_rule_set(&request.rules);
        let mut contents = BTreeMap::new();
        for file in request.diff.iter().filter(|file| has_lines(file)) {
            if let Ok(content) = read_file(request.worktree.path(), &file.path).await {
                contents.insert(file.path.clone(), (content, changed_lines(file)));
            }
        }
        let payload = request.payload.clone();
        // What was refused is undone; asked for now are those that may pass without the others.
        if request.refusal.is_some() {
            self.restore_head(&request, &mut contents).await?;
        }
        let (result, changed) =
            run_blocking(move || apply_plan(&rules, &contents, &payload)).await?;
        for (path, content) in changed {
            write_file(request.worktree.path(), &path, &content).await?;
        }
        Ok(FixResponse {
            result,
            session: None,
            independent: true,
        })
    }
}

impl RulesAdapter {
    /// Puts the files back to what they are at the head.
    async fn restore_head(
        &self,
        request: &FixRequest,
        contents: &mut FileContents,
    ) -> Result<(), SessionFailure> {
        let tree = &request.worktree;
        for (path, (now, _)) in contents {
            let head = self
                .git
                .file_at(tree, tree.head(), path, MAX_FILE_BYTES)
                .await;
            let head = head.map_err(SessionFailure::transient)?;
            if let Some(head) = head.filter(|head| head != now) {
                write_file(tree.path(), path, &head).await?;
                *now = head;
            }
        }
        Ok(())
    }
}

async fn write_file(root: &Path, path: &str, content: &[u8]) -> Result<(), SessionFailure> {
    let absolute_path = path_in_worktree(root, path).ok_or_else(|| {
        SessionFailure::transient(UserError::new(ErrorCode::PathOutside).with("path", path))
    })?;
    tokio::fs::write(&absolute_path, content)
        .await
        .map_err(|error| {
            let error = UserError::new(ErrorCode::FixUnwritten)
                .with("path", path)
                .with_aside("message", error.to_string());
            SessionFailure::transient(error)
        })
}

type FileContents = BTreeMap<String, (Vec<u8>, LineSet)>;

fn apply_plan(
    rules: &RuleSet,
    contents: &FileContents,
    payload: &collie_core::fix::FixPayload,
) -> (FixResult, Vec<(String, Vec<u8>)>) {
    let mut plan = FixPlan::default();
    for finding in payload.issues_to_fix.iter().chain(&payload.optional_issues) {
        plan_finding(rules, contents, finding, &mut plan);
    }
    let mut applied: BTreeSet<(String, SelectedMatch)> = BTreeSet::new();
    let mut failed: BTreeMap<(String, SelectedMatch), UnappliedReason> = BTreeMap::new();
    let mut changed = Vec::new();
    for (path, selected) in &plan.selected {
        let Some((content, _)) = contents.get(path) else {
            continue;
        };
        let wanted: Vec<SelectedMatch> = selected.iter().cloned().collect();
        let outcome = apply_fixes(rules, path, content, &wanted);
        applied.extend(
            outcome
                .applied
                .into_iter()
                .map(|fix| (path.clone(), fix.selected)),
        );
        failed.extend(
            outcome
                .not_applied
                .into_iter()
                .map(|fix| ((path.clone(), fix.selected), fix.reason)),
        );
        if outcome.content != *content {
            changed.push((path.clone(), outcome.content));
        }
    }
    (fix_result(payload, &plan, &applied, &failed), changed)
}

/// Chooses the matches that answer a finding.
fn plan_finding(rules: &RuleSet, contents: &FileContents, finding: &Finding, plan: &mut FixPlan) {
    let matches: Vec<RuleMatch> = match finding.source.kind {
        SourceType::Rules => {
            let rule = finding.category.strip_prefix("rule:").unwrap_or_default();
            let line = finding.line.unwrap_or_default() as usize;
            let selected = SelectedMatch {
                rule_id: rule.into(),
                line,
            };
            return plan.add(finding, &finding.file, selected);
        }
        // What people, bots and models point at may be what a rule knows: on that very line.
        SourceType::Human | SourceType::Bot | SourceType::Agent => {
            let line = finding.line.unwrap_or_default() as usize;
            matches_of(rules, contents, &finding.file)
                .into_iter()
                .filter(|candidate| {
                    line > 0 && (candidate.line..=candidate.end_line).contains(&line)
                })
                .collect()
        }
        SourceType::Ci => matches_named_by(rules, contents, finding),
    };
    let mut has_fix = false;
    for found in matches
        .into_iter()
        .filter(|candidate| candidate.fix.is_some())
    {
        has_fix = true;
        let selected = SelectedMatch {
            rule_id: found.rule_id,
            line: found.line,
        };
        plan.add(finding, &found.path, selected);
    }
    if !has_fix {
        plan.rejected
            .insert(finding.id.clone(), note_codes::NOT_COVERED);
    }
}

/// A place in a file, as tools write it: `a.py:3`, `a.ts(3,5)`, `File "a.py", line 3`.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"([\w./@+-]+\.\w+)(?::|\(|", line )(\d{1,7})"#)
        .expect("the pattern is a literal that the tests compile")
});

/// The changed lines that a failed check names, by itself or in its log.
fn lines_named_by(finding: &Finding, contents: &FileContents) -> BTreeSet<(String, usize)> {
    let own = finding
        .line
        .map(|line| (finding.file.as_str(), line as usize));
    let log = finding.evidence.as_deref().unwrap_or_default();
    let in_log = PLACE.captures_iter(log).filter_map(|place| {
        let (_, [path, line]) = place.extract();
        Some((path, line.parse().ok()?))
    });
    let resolve = |(named, line): (&str, usize)| {
        // Tools name files from where they run, or from the root of the machine.
        let is_file = |path: &&String| {
            let is_tail =
                named.ends_with(&format!("/{path}")) || path.ends_with(&format!("/{named}"));
            is_tail || named.trim_start_matches("./") == path.as_str()
        };
        contents
            .keys()
            .find(is_file)
            .map(|path| (path.clone(), line))
    };
    own.into_iter().chain(in_log).filter_map(resolve).collect()
}

/// What a rule knows on a line that a failed check names, and where the same rule matches elsewhere in that file: a tool may stop at the
/// first. A rule's fix of anything else says nothing about the check (§5.2).
fn matches_named_by(rules: &RuleSet, contents: &FileContents, failed: &Finding) -> Vec<RuleMatch> {
    let named = lines_named_by(failed, contents);
    let paths: BTreeSet<&String> = named.iter().map(|(path, _)| path).collect();
    let of_path = |path: &String| {
        let matches = matches_of(rules, contents, path);
        let is_named = |found: &&RuleMatch| {
            let mut named = named.iter();
            named.any(|(at, line)| at == path && (found.line..=found.end_line).contains(line))
        };
        let known: BTreeSet<String> = matches
            .iter()
            .filter(is_named)
            .map(|found| found.rule_id.clone())
            .collect();
        let mut matches = matches;
        matches.retain(|found| known.contains(&found.rule_id));
        matches
    };
    paths.into_iter().flat_map(of_path).collect()
}

impl FixPlan {
    fn add(&mut self, finding: &Finding, path: &str, selected: SelectedMatch) {
        self.selected
            .entry(path.to_string())
            .or_default()
            .insert(selected.clone());
        let answers = self
            .matches_by_finding
            .entry(finding.id.clone())
            .or_default();
        answers.push((path.to_string(), selected));
    }
}

fn matches_of(rules: &RuleSet, contents: &FileContents, path: &str) -> Vec<RuleMatch> {
    let Some((content, changed_lines)) = contents.get(path) else {
        return Vec::new();
    };
    scan(
        rules,
        &ScanInput {
            path,
            content,
            changed_lines,
            generated: false,
        },
    )
}

/// Tells for every issue what became of it. Optional ones that were not fixed are left unsaid.
fn fix_result(
    payload: &collie_core::fix::FixPayload,
    plan: &FixPlan,
    applied: &BTreeSet<(String, SelectedMatch)>,
    failed: &BTreeMap<(String, SelectedMatch), UnappliedReason>,
) -> FixResult {
    let mut fixed_issues = Vec::new();
    let mut rejected_issues = Vec::new();
    let optional = payload.optional_issues.iter().map(|issue| (issue, false));
    for (finding, required) in payload
        .issues_to_fix
        .iter()
        .map(|issue| (issue, true))
        .chain(optional)
    {
        let answers = plan
            .matches_by_finding
            .get(&finding.id)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let applied_rules: BTreeSet<&str> = answers
            .iter()
            .filter(|answer| applied.contains(answer))
            .map(|(_, selected)| selected.rule_id.as_str())
            .collect();
        if !applied_rules.is_empty() {
            let rules: Vec<&str> = applied_rules.into_iter().collect();
            let code = match finding.source.kind {
                SourceType::Ci => note_codes::APPLIED_WHERE_NAMED,
                SourceType::Rules | SourceType::Human | SourceType::Bot | SourceType::Agent => {
                    note_codes::APPLIED
                }
            };
            fixed_issues.push(FixedIssue {
                finding_id: finding.id.clone(),
                commit_sha: String::new(),
                description: format!("{code}:{}", rules.join(", ")),
            });
        } else if required {
            let failure = answers.iter().find_map(|answer| failed.get(answer));
            let planned_code = plan.rejected.get(&finding.id).copied();
            let reason = rejection_code(failure.copied(), planned_code);
            rejected_issues.push(RejectedIssue {
                finding_id: finding.id.clone(),
                reason: reason.to_string(),
            });
        }
    }
    FixResult {
        agent: RULES_FIXER.into(),
        pr_number: payload.pr_number,
        summary: FixSummary::default(),
        fixed_issues,
        rejected_issues,
        commits: Vec::new(),
    }
}

/// Why an issue was not fixed: what was tried failed, or nothing was to be tried.
fn rejection_code(
    failure: Option<UnappliedReason>,
    planned_code: Option<&'static str>,
) -> &'static str {
    failure
        .map(reason_code)
        .or(planned_code)
        .unwrap_or(note_codes::NOT_COVERED)
}

fn reason_code(reason: UnappliedReason) -> &'static str {
    match reason {
        UnappliedReason::NoMatch => note_codes::NO_MATCH,
        UnappliedReason::NoFix => note_codes::NO_FIX,
        UnappliedReason::Overlaps
        | UnappliedReason::BreaksSyntax
        | UnappliedReason::StillMatches => note_codes::TAKEN_BACK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which lines of a Python file with two faults the rules' fixer takes a failed check to be about.
    fn planned_lines(log: &str) -> Vec<usize> {
        let code = "def kind(k):\n    return k is \"csv\"\n\n\ndef mode(x):\n    os.chmod(x, 644)\n\n\ndef other(k):\n    return k is \"tsv\"\n";
        let contents = FileContents::from([(
            "src/a.py".to_owned(),
            (code.as_bytes().to_vec(), LineSet::All),
        )]);
        let mut failed = finding_of_match(
            &matches_of(RuleSet::shipped(), &contents, "src/a.py")[0],
            0,
            "",
        );
        failed.source.kind = SourceType::Ci;
        (failed.file, failed.line, failed.evidence) = (String::new(), None, Some(log.to_owned()));
        let mut plan = FixPlan::default();
        plan_finding(RuleSet::shipped(), &contents, &failed, &mut plan);
        let planned = plan.selected.into_values().flatten();
        planned.map(|selected| selected.line).collect()
    }

    #[test]
    fn a_rule_s_fix_answers_a_red_check_only_where_the_check_names_that_line() {
        assert_eq!(
            planned_lines("FAILED tests/test_a.py::test_x"),
            [0_usize; 0]
        );
        assert_eq!(
            planned_lines("src/a.py:2: SyntaxWarning: \"is\" with a literal"),
            [2, 10]
        );
        assert_eq!(
            planned_lines("  File \"/home/runner/work/x/src/a.py\", line 6, in mode"),
            [6]
        );
        assert_eq!(planned_lines("./src/a.py:6:17: PLW1"), [6]);
        assert_eq!(planned_lines("other/src/b.py:2: error"), [0_usize; 0]);
    }

    #[test]
    fn of_a_red_check_it_is_said_that_a_line_it_names_was_changed() {
        let code = "def kind(k):\n    return k is \"csv\"\n";
        let path = "src/a.py".to_owned();
        let contents = FileContents::from([(path, (code.as_bytes().to_vec(), LineSet::All))]);
        let matches = matches_of(RuleSet::shipped(), &contents, "src/a.py");
        let own = finding_of_match(&matches[0], 0, "");
        let mut failed = own.clone();
        failed.id = "CI-1".into();
        failed.source.kind = SourceType::Ci;
        failed.evidence = Some("src/a.py:2: SyntaxWarning".into());
        let payload = collie_core::fix::FixPayload {
            pr_number: 1,
            round: 1,
            issues_to_fix: vec![own, failed],
            optional_issues: Vec::new(),
            attempts: Vec::new(),
        };
        let (result, _) = apply_plan(RuleSet::shipped(), &contents, &payload);
        let said: Vec<&str> = (result.fixed_issues.iter())
            .map(|fixed| fixed.description.as_str())
            .collect();
        assert_eq!(
            said,
            [
                "rule_applied:python-is-literal",
                "rule_applied_where_named:python-is-literal"
            ]
        );
    }

    #[test]
    fn a_finding_about_a_secret_does_not_quote_it() {
        let token = ["glpat-", "q7RkT2mWx9LbV4nZc8Yh"].concat();
        let code = format!("a\nkey = {token}\nb\n");
        let input = ScanInput {
            path: "a.cfg",
            content: code.as_bytes(),
            changed_lines: &LineSet::All,
            generated: false,
        };
        let found = scan(RuleSet::shipped(), &input);
        let findings: Vec<Finding> = found
            .iter()
            .map(|found| finding_of_match(found, 0, ""))
            .collect();
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].evidence.as_deref(), Some("key = [REDACTED]"));
    }
}
