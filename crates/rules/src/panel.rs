//! The rules on the panel: as reviewer, as fixer, and as the judge of the syntax gate (§4.7, §6.3).

use crate::{
    FileInput, LineSet, Match, Priority, RuleError, RuleSet, SelectedMatch, UnappliedReason, fix,
    scan, scan_syntax, syntax_errors,
};
use async_trait::async_trait;
use collie_core::model::SessionFailure;
use collie_core::shapes::{
    self, Confidence, Finding, FindingKind, FindingSource, FixResult, FixSummary, FixedIssue,
    IssueCounts, RejectedIssue, ReviewerResult, SourceType, conclude,
};
use collie_core::step::RULES_FIXER;
use collie_engine::ports::{
    DiffFile, FixAnswer, FixRequest, Fixer, Git, GitError, ReviewAnswer, ReviewRequest, Reviewers,
    SyntaxJudge, inside,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Files larger than that are not read: they are data.
const MAX_FILE: u64 = 8 * 1024 * 1024;

/// What the rules fixer says of an issue, as codes; the words for them are `fixer-note-…` in `locales/`.
pub mod notes {
    /// A rule's fix was applied; the rules follow after a colon.
    pub const APPLIED: &str = "rule_applied";
    /// No rule speaks of this.
    pub const NOT_COVERED: &str = "rule_not_covered";
    /// The rule has no mechanical fix.
    pub const NO_FIX: &str = "rule_no_fix";
    /// The rule does not match there any more.
    pub const GONE: &str = "rule_gone";
    /// The fix was tried and taken back.
    pub const TAKEN_BACK: &str = "rule_taken_back";
}

/// The built-in rules on every chair that they can take.
pub struct RulesPanel {
    git: Arc<dyn Git>,
}

impl RulesPanel {
    /// `git` gives the files of the merge base, to tell what was broken before.
    pub fn new(git: Arc<dyn Git>) -> Self {
        Self { git }
    }

    async fn files(&self, request: &ReviewRequest) -> Result<Vec<ReadFile>, GitError> {
        let mut files = Vec::new();
        for file in request.diff.iter().filter(|f| has_lines(f)) {
            let tree = &request.worktree;
            let Some(content) = read(&tree.path, &file.path).await else {
                continue;
            };
            let old = file.old_path.as_deref().unwrap_or(&file.path);
            let before = if file.added {
                None
            } else {
                self.git
                    .file_at(tree, &tree.merge_base, old, MAX_FILE)
                    .await?
            };
            files.push(ReadFile {
                path: file.path.clone(),
                content,
                before,
                changed: changed_lines(file),
            });
        }
        Ok(files)
    }
}

/// One file in memory.
struct ReadFile {
    path: String,
    content: Vec<u8>,
    before: Option<Vec<u8>>,
    changed: LineSet,
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

async fn read(root: &Path, path: &str) -> Option<Vec<u8>> {
    let place = inside(root, path)?;
    // A link is not followed: it could lead out of the worktree.
    let meta = tokio::fs::symlink_metadata(&place).await.ok()?;
    if !meta.is_file() || meta.len() > MAX_FILE {
        return None;
    }
    tokio::fs::read(&place).await.ok()
}

fn rule_set(files: &[(String, Vec<u8>)]) -> (RuleSet, Vec<RuleError>) {
    let text = |(path, bytes): &(String, Vec<u8>)| {
        (path.clone(), String::from_utf8_lossy(bytes).into_owned())
    };
    let texts: Vec<(String, String)> = files.iter().map(text).collect();
    RuleSet::with_repository(&texts)
}

/// Runs what is heavy on the processor off the runtime's threads.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SessionFailure> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| SessionFailure::Permanent {
            message: format!("the rules came to a sudden end: {error}"),
        })
}

#[async_trait]
impl Reviewers for RulesPanel {
    async fn review(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewAnswer, SessionFailure> {
        let (rules, errors) = rule_set(&request.rules);
        let files = self
            .files(&request)
            .await
            .map_err(|error| SessionFailure::Transient {
                message: error.to_string(),
            })?;
        let stop = cancel.clone();
        let found = off_thread(move || scan_all(&rules, &files, &stop)).await?;
        let timestamp = request.now.rfc3339();
        let mut findings: Vec<Finding> = found
            .iter()
            .enumerate()
            .map(|(i, m)| finding(m, i, &timestamp))
            .collect();
        findings.extend(
            errors
                .iter()
                .enumerate()
                .map(|(i, e)| rule_error(e, i, &timestamp)),
        );
        let issues = IssueCounts::of(&findings);
        let result = ReviewerResult {
            agent: request.reviewer.name,
            pr_number: request.worktree.pull.id.number,
            conclusion: conclude(issues),
            issues,
            findings,
            full_report: String::new(),
            escalations: Vec::new(),
        };
        Ok(result.into())
    }
}

fn scan_all(rules: &RuleSet, files: &[ReadFile], stop: &CancellationToken) -> Vec<Match> {
    let mut found = Vec::new();
    for file in files {
        if stop.is_cancelled() {
            break;
        }
        let input = FileInput {
            path: &file.path,
            content: &file.content,
            changed_lines: &file.changed,
        };
        found.extend(scan(rules, &input));
        found.extend(scan_syntax(rules, &input, file.before.as_deref()));
    }
    found
}

fn priority(priority: Priority) -> shapes::Priority {
    match priority {
        Priority::P0 => shapes::Priority::P0,
        Priority::P1 => shapes::Priority::P1,
        Priority::P2 => shapes::Priority::P2,
        Priority::P3 => shapes::Priority::P3,
    }
}

fn source(timestamp: &str) -> FindingSource {
    FindingSource {
        kind: SourceType::Rules,
        name: "rules".into(),
        review_id: None,
        timestamp: timestamp.into(),
    }
}

fn finding(found: &Match, index: usize, timestamp: &str) -> Finding {
    let kind = match found.priority {
        Priority::P0 | Priority::P1 | Priority::P2 => FindingKind::Error,
        Priority::P3 => FindingKind::Suggestion,
    };
    Finding {
        id: format!("RULE-{:03}", index + 1),
        priority: priority(found.priority),
        category: format!("rule:{}", found.rule_id),
        file: found.path.clone(),
        line: u32::try_from(found.line).ok().filter(|line| *line > 0),
        title: found.title.clone(),
        description: found.description.clone(),
        suggestion: found.suggestion.clone(),
        source: source(timestamp),
        kind,
        confidence: Confidence::SURE,
        evidence: Some(found.evidence.clone()),
    }
}

/// A rules file of the repository that cannot be read: told as a suggestion, since it is the base's fault, not the change's.
fn rule_error(error: &RuleError, index: usize, timestamp: &str) -> Finding {
    Finding {
        id: format!("RULE-FILE-{:03}", index + 1),
        priority: shapes::Priority::P3,
        category: "rule:rules-file".into(),
        file: error.path.clone(),
        line: error
            .line
            .and_then(|line| u32::try_from(line).ok())
            .filter(|line| *line > 0),
        title: error.to_string(),
        description: String::new(),
        suggestion: None,
        source: source(timestamp),
        kind: FindingKind::Suggestion,
        confidence: Confidence::SURE,
        evidence: None,
    }
}

impl SyntaxJudge for RulesPanel {
    fn broke(&self, path: &str, before: Option<&[u8]>, after: &[u8]) -> Option<u32> {
        let first = syntax_errors(path, before, after).into_iter().next()?;
        u32::try_from(first.line).ok()
    }
}

/// What is to be tried for the findings: per file the selected matches, and which findings each one answers.
#[derive(Default)]
struct Plan {
    selected: BTreeMap<String, BTreeSet<SelectedMatch>>,
    answers: BTreeMap<String, Vec<(String, SelectedMatch)>>,
    rejected: BTreeMap<String, &'static str>,
}

#[async_trait]
impl Fixer for RulesPanel {
    async fn fix(
        &self,
        request: FixRequest,
        _cancel: &CancellationToken,
    ) -> Result<FixAnswer, SessionFailure> {
        let (rules, _) = rule_set(&request.rules);
        let mut contents = BTreeMap::new();
        for file in request.diff.iter().filter(|f| has_lines(f)) {
            if let Some(content) = read(&request.worktree.path, &file.path).await {
                contents.insert(file.path.clone(), (content, changed_lines(file)));
            }
        }
        let payload = request.payload.clone();
        // A second try after a refusal would make the same edits: what a gate refused is taken back and left alone.
        let refused = request.refusal.is_some();
        if refused {
            self.take_back(&request, &contents).await?;
        }
        let (result, changed) =
            off_thread(move || repair(&rules, &contents, &payload, refused)).await?;
        for (path, content) in changed {
            write(&request.worktree.path, &path, &content).await?;
        }
        Ok(FixAnswer {
            result,
            account: None,
        })
    }
}

impl RulesPanel {
    /// Puts the files back to what they are at the head.
    async fn take_back(
        &self,
        request: &FixRequest,
        contents: &Contents,
    ) -> Result<(), SessionFailure> {
        let tree = &request.worktree;
        for (path, (now, _)) in contents {
            let head = self.git.file_at(tree, &tree.head, path, MAX_FILE).await;
            let head = head.map_err(|error| SessionFailure::Transient {
                message: error.to_string(),
            })?;
            if let Some(head) = head.filter(|head| head != now) {
                write(&tree.path, path, &head).await?;
            }
        }
        Ok(())
    }
}

async fn write(root: &Path, path: &str, content: &[u8]) -> Result<(), SessionFailure> {
    let failed = |message: String| SessionFailure::Transient { message };
    let place = inside(root, path)
        .ok_or_else(|| failed(format!("{path} does not lie inside the worktree")))?;
    tokio::fs::write(&place, content)
        .await
        .map_err(|error| failed(format!("{path} could not be written: {error}")))
}

type Contents = BTreeMap<String, (Vec<u8>, LineSet)>;

fn repair(
    rules: &RuleSet,
    contents: &Contents,
    payload: &shapes::FixPayload,
    refused: bool,
) -> (FixResult, Vec<(String, Vec<u8>)>) {
    let mut plan = Plan::default();
    if !refused {
        for finding in payload.issues_to_fix.iter().chain(&payload.optional_issues) {
            select(rules, contents, finding, &mut plan);
        }
    }
    let mut applied: BTreeSet<(String, SelectedMatch)> = BTreeSet::new();
    let mut failed: BTreeMap<(String, SelectedMatch), UnappliedReason> = BTreeMap::new();
    let mut changed = Vec::new();
    for (path, selected) in &plan.selected {
        let Some((content, _)) = contents.get(path) else {
            continue;
        };
        let wanted: Vec<SelectedMatch> = selected.iter().cloned().collect();
        let outcome = fix(rules, path, content, &wanted);
        applied.extend(
            outcome
                .applied
                .into_iter()
                .map(|a| (path.clone(), a.selected)),
        );
        failed.extend(
            outcome
                .not_applied
                .into_iter()
                .map(|u| ((path.clone(), u.selected), u.reason)),
        );
        if outcome.content != *content {
            changed.push((path.clone(), outcome.content));
        }
    }
    (account(payload, &plan, &applied, &failed, refused), changed)
}

/// Chooses the matches that answer a finding.
fn select(rules: &RuleSet, contents: &Contents, finding: &Finding, plan: &mut Plan) {
    let matches: Vec<Match> = match finding.source.kind {
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
                .filter(|m| line > 0 && (m.line..=m.end_line).contains(&line))
                .collect()
        }
        // A check may fail for what a rule knows: in the file it names, else in any that changed.
        SourceType::Ci => {
            let named = contents.contains_key(&finding.file);
            let paths = contents
                .keys()
                .filter(|path| !named || **path == finding.file);
            paths
                .flat_map(|path| matches_of(rules, contents, path))
                .collect()
        }
    };
    let mut any = false;
    for found in matches.into_iter().filter(|m| m.fix.is_some()) {
        any = true;
        let selected = SelectedMatch {
            rule_id: found.rule_id,
            line: found.line,
        };
        plan.add(finding, &found.path, selected);
    }
    if !any {
        plan.rejected.insert(finding.id.clone(), notes::NOT_COVERED);
    }
}

impl Plan {
    fn add(&mut self, finding: &Finding, path: &str, selected: SelectedMatch) {
        self.selected
            .entry(path.to_string())
            .or_default()
            .insert(selected.clone());
        let answers = self.answers.entry(finding.id.clone()).or_default();
        answers.push((path.to_string(), selected));
    }
}

fn matches_of(rules: &RuleSet, contents: &Contents, path: &str) -> Vec<Match> {
    let Some((content, changed_lines)) = contents.get(path) else {
        return Vec::new();
    };
    scan(
        rules,
        &FileInput {
            path,
            content,
            changed_lines,
        },
    )
}

/// Tells for every issue what became of it. Optional ones that were not fixed are left unsaid.
fn account(
    payload: &shapes::FixPayload,
    plan: &Plan,
    applied: &BTreeSet<(String, SelectedMatch)>,
    failed: &BTreeMap<(String, SelectedMatch), UnappliedReason>,
    refused: bool,
) -> FixResult {
    let mut fixed_issues = Vec::new();
    let mut rejected_issues = Vec::new();
    let optional = payload.optional_issues.iter().map(|f| (f, false));
    for (finding, must) in payload
        .issues_to_fix
        .iter()
        .map(|f| (f, true))
        .chain(optional)
    {
        let answers = plan
            .answers
            .get(&finding.id)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let done: BTreeSet<&str> = answers
            .iter()
            .filter(|a| applied.contains(a))
            .map(|(_, m)| m.rule_id.as_str())
            .collect();
        if !done.is_empty() {
            let rules: Vec<&str> = done.into_iter().collect();
            fixed_issues.push(FixedIssue {
                finding_id: finding.id.clone(),
                commit_sha: String::new(),
                description: format!("{}:{}", notes::APPLIED, rules.join(", ")),
            });
        } else if must {
            let why = answers
                .iter()
                .find_map(|a| failed.get(a))
                .map(|reason| reason_code(*reason));
            let planned = plan.rejected.get(&finding.id).copied();
            let fallback = if refused {
                notes::TAKEN_BACK
            } else {
                notes::NOT_COVERED
            };
            rejected_issues.push(RejectedIssue {
                finding_id: finding.id.clone(),
                reason: why.or(planned).unwrap_or(fallback).to_string(),
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

fn reason_code(reason: UnappliedReason) -> &'static str {
    match reason {
        UnappliedReason::NoMatch => notes::GONE,
        UnappliedReason::NoFix => notes::NO_FIX,
        UnappliedReason::Overlaps
        | UnappliedReason::BreaksSyntax
        | UnappliedReason::StillMatches => notes::TAKEN_BACK,
    }
}
