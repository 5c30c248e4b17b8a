//! What Collie's commits of a pull request are, and which piece of them answers which finding (§13.8).

use crate::fix::FixPayload;
use crate::ids::{Fingerprint, Sha, Time};
use crate::loop_state::{LoopState, PendingFix};
use crate::tracked_finding::TrackedFinding;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// As far from a finding's line a change is still where the finding is: the lines that a hunk shows around itself.
const NEAR_LINES: u32 = 3;

/// Where a commit of Collie's is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CommitStanding {
    /// On the head branch.
    Pushed,
    /// Made, and not pushed yet.
    Pending,
    /// Was pushed, and is no longer on the head branch: somebody took it away.
    Removed,
}

/// How a commit changes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Its content changes.
    Modified,
    /// It has another path, and maybe another content.
    Renamed,
    /// It is another kind of thing: a link in place of a file, or the other way round.
    Retyped,
}

/// What a clone knows of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitFacts {
    /// The first line of its message.
    pub subject: String,
    /// When it was made.
    pub at: Time,
    /// Whether it is on the head branch; none where the clone does not know that branch.
    pub on_branch: Option<bool>,
}

/// A commit of Collie's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCommit {
    /// Its id.
    pub sha: Sha,
    /// Where it is.
    pub standing: CommitStanding,
    /// What the clone knows of it; none where it lacks the commit.
    pub facts: Option<CommitFacts>,
    /// What it merges in; none for a fix.
    pub merge: Option<MergedBase>,
}

/// A base that a commit merges in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedBase {
    /// The base branch; none where only an earlier run knew.
    pub base_ref: Option<String>,
    /// Files that conflicted, and that Collie resolved: all else is the base's.
    pub conflicts: Vec<String>,
}

/// The commits of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundCommits {
    /// The round, from 1; none for what earlier runs pushed.
    pub round: Option<u32>,
    /// Oldest first.
    pub commits: Vec<OwnCommit>,
}

/// Puts all that Collie pushed or would push in order: earlier runs first, then round by round.
///
/// A fix that was verified or rebased is another commit than it was before, and only the last one is pushed. Of those that no round
/// names, so, what is not on the branch was never there, or is not any more, and is left out.
pub fn own_commits(state: &LoopState, known: &BTreeMap<Sha, CommitFacts>) -> Vec<RoundCommits> {
    let fixing = &state.run.fixing;
    let pending = fixing.pending.as_ref();
    let mut of_rounds: Vec<(u32, Sha)> = fixing
        .rounds
        .iter()
        .filter_map(|round| Some((round.iteration, round.commit.clone()?)))
        .collect();
    if let Some((fix, commit)) = pending.and_then(|fix| Some((fix, fix.commit.clone()?))) {
        let round = fixing.iteration + u32::from(!fix.pushed);
        of_rounds.retain(|(_, known)| *known != commit);
        of_rounds.push((round, commit));
    }
    let named: BTreeSet<&Sha> = of_rounds.iter().map(|(_, sha)| sha).collect();
    let mut earlier: Vec<OwnCommit> = state
        .memory
        .own_commits
        .iter()
        .filter(|sha| !named.contains(sha))
        .filter(|sha| {
            let on_branch = known.get(*sha).and_then(|facts| facts.on_branch);
            on_branch == Some(true)
        })
        .map(|sha| own_commit(state, known, sha))
        .collect();
    earlier.sort_by_key(|commit| commit.facts.as_ref().map(|facts| facts.at));
    let mut rounds = Vec::new();
    if !earlier.is_empty() {
        rounds.push(RoundCommits {
            round: None,
            commits: earlier,
        });
    }
    for (round, sha) in &of_rounds {
        let commit = own_commit(state, known, sha);
        match rounds.iter_mut().find(|known| known.round == Some(*round)) {
            Some(known) => known.commits.push(commit),
            None => rounds.push(RoundCommits {
                round: Some(*round),
                commits: vec![commit],
            }),
        }
    }
    rounds
}

/// What is known of one commit of Collie's; none where it is no such.
pub fn find_own_commit(
    state: &LoopState,
    known: &BTreeMap<Sha, CommitFacts>,
    sha: &Sha,
) -> Option<OwnCommit> {
    let all = own_commits(state, known).into_iter();
    all.flat_map(|round| round.commits)
        .find(|commit| commit.sha == *sha)
}

fn own_commit(state: &LoopState, known: &BTreeMap<Sha, CommitFacts>, sha: &Sha) -> OwnCommit {
    let facts = known.get(sha).cloned();
    let pending = pending_of(state, sha);
    let standing = match (pending, facts.as_ref().and_then(|facts| facts.on_branch)) {
        (Some(fix), _) if !fix.pushed => CommitStanding::Pending,
        // Right after a push the clone may not have read the branch again.
        (None, Some(false)) => CommitStanding::Removed,
        (Some(_), _) | (None, Some(true) | None) => CommitStanding::Pushed,
    };
    OwnCommit {
        sha: sha.clone(),
        standing,
        facts,
        merge: merged_base(state, sha),
    }
}

fn pending_of<'a>(state: &'a LoopState, sha: &Sha) -> Option<&'a PendingFix> {
    let pending = state.run.fixing.pending.as_ref();
    pending.filter(|fix| fix.commit.as_ref() == Some(sha))
}

fn merged_base(state: &LoopState, sha: &Sha) -> Option<MergedBase> {
    let of_run = state.run.fixing.merges.iter();
    let of_run = of_run.filter(|(commit, _)| commit == sha);
    let pending = pending_of(state, sha).and_then(|fix| fix.merge.as_ref());
    let merge = of_run.map(|(_, merge)| merge).chain(pending).next();
    match merge {
        Some(merge) => Some(MergedBase {
            base_ref: Some(merge.base_ref.clone()),
            conflicts: merge.conflicts.clone(),
        }),
        None => state
            .memory
            .base_merges
            .contains(sha)
            .then(MergedBase::default),
    }
}

/// The findings that a commit is to fix, the most urgent first.
pub fn findings_of<'a>(state: &'a LoopState, sha: &Sha) -> Vec<&'a TrackedFinding> {
    let claimed: BTreeSet<Fingerprint> = pending_of(state, sha)
        .map(|fix| claimed_by(&fix.payload, fix))
        .unwrap_or_default();
    let all = state.run.review.findings.values();
    let mut found: Vec<&TrackedFinding> = all
        .filter(|known| known.fixed_in.contains(sha) || claimed.contains(&known.fingerprint))
        .collect();
    found.sort_by_key(|known| {
        let finding = &known.finding;
        (finding.priority, finding.file.clone(), finding.line)
    });
    found
}

/// What a fix that is on its way says that it fixed.
fn claimed_by(payload: &FixPayload, fix: &PendingFix) -> BTreeSet<Fingerprint> {
    let asked = payload.issues_to_fix.iter().chain(&payload.optional_issues);
    let fixed = |id: &str| {
        let mut fixed = fix.result.fixed_issues.iter();
        fixed.any(|issue| issue.finding_id == id)
    };
    asked
        .filter(|finding| fixed(&finding.id))
        .map(|finding| Fingerprint::new(finding.id.clone()))
        .collect()
}

/// The lines that a hunk changes, on the side before it: findings are about those. Of added lines alone it is the line before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedSpan {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

impl ChangedSpan {
    fn distance(self, line: u32) -> u32 {
        match line {
            line if line < self.first => self.first - line,
            line => line.saturating_sub(self.last),
        }
    }
}

/// A file that a commit changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSpans<'a> {
    /// Its path, and the one it had before where that is another.
    pub paths: [Option<&'a str>; 2],
    /// Its hunks, in order.
    pub hunks: Vec<ChangedSpan>,
}

impl FileSpans<'_> {
    fn is(&self, path: &str) -> bool {
        self.paths.iter().flatten().any(|known| *known == path)
    }

    /// The hunk that is nearest to a line, and how far it is.
    fn nearest(&self, line: u32) -> Option<(usize, u32)> {
        let hunks = self.hunks.iter().enumerate();
        hunks
            .map(|(at, span)| (at, span.distance(line)))
            .min_by_key(|(_, distance)| *distance)
    }
}

/// Where a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindingPlace<'a> {
    /// Its file; empty where it is about none.
    pub file: &'a str,
    /// Its line, as of the head that it was found on.
    pub line: Option<u32>,
}

/// A finding that a hunk answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HunkAnswer {
    /// Its place among the findings.
    pub finding: usize,
    /// It is on or right beside the lines that the hunk changes. Else that is only likely: it is the nearest in the file, or the only one.
    pub exact: bool,
}

/// Which hunk answers which finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// By file, then by hunk.
    pub hunks: Vec<Vec<Vec<HunkAnswer>>>,
    /// Findings that no hunk was found for: their files are not among those that changed.
    pub elsewhere: Vec<usize>,
}

/// Lays findings beside the hunks of the commit that fixes them: by file, and there by the nearest lines. A hunk that none is near to goes with
/// the finding that is nearest in its file, or with the only one of the commit.
pub fn answers(files: &[FileSpans<'_>], findings: &[FindingPlace<'_>]) -> Answers {
    let mut hunks: Vec<Vec<Vec<HunkAnswer>>> = files
        .iter()
        .map(|file| vec![Vec::new(); file.hunks.len()])
        .collect();
    let mut elsewhere = Vec::new();
    for (finding, place) in findings.iter().enumerate() {
        let of_file = files.iter().position(|file| file.is(place.file));
        let nearest = of_file.and_then(|at| {
            let nearest = files[at].nearest(place.line.unwrap_or(0));
            nearest.map(|(hunk, distance)| (at, hunk, distance))
        });
        match nearest {
            Some((file, hunk, distance)) => hunks[file][hunk].push(HunkAnswer {
                finding,
                exact: place.line.is_some() && distance <= NEAR_LINES,
            }),
            None => elsewhere.push(finding),
        }
    }
    let likely: Vec<Vec<Option<usize>>> = files
        .iter()
        .map(|file| {
            let spans = file.hunks.iter();
            spans
                .map(|span| likely_finding(file, *span, findings))
                .collect()
        })
        .collect();
    for (hunks, likely) in hunks.iter_mut().zip(likely) {
        for (answers, likely) in hunks.iter_mut().zip(likely) {
            if let (true, Some(finding)) = (answers.is_empty(), likely) {
                answers.push(HunkAnswer {
                    finding,
                    exact: false,
                });
            }
        }
    }
    Answers { hunks, elsewhere }
}

/// The finding that a hunk most likely belongs to.
fn likely_finding(
    file: &FileSpans<'_>,
    span: ChangedSpan,
    findings: &[FindingPlace<'_>],
) -> Option<usize> {
    let here = findings.iter().enumerate();
    let here = here.filter(|(_, place)| file.is(place.file));
    let nearest = here.min_by_key(|(_, place)| span.distance(place.line.unwrap_or(0)));
    match (nearest, findings) {
        (Some((finding, _)), _) => Some(finding),
        (None, [_]) => Some(0),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests;
