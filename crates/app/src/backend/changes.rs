//! What Collie pushed or would push, commit by commit, and beside which finding each piece of it is shown (§13.8).

use super::patch_cache::KnownPatch;
use super::session::Session;
use super::{Backend, listings};
use collie_core::changes::{
    self, Answers, CommitFacts, CommitStanding, FileSpans, FindingPlace, OwnCommit, RoundCommits,
};
use collie_core::error_code::ErrorCode;
use collie_core::ids::Sha;
use collie_core::loop_state::LoopState;
use collie_core::text::{redact, redact_keeping_lines, visible_line};
use collie_core::tracked_finding::TrackedFinding;
use collie_core::user_error::UserError;
use collie_git::{CommitPatch, LineChange, PatchHunk, PatchedFile};
use collie_wire::rpc::{
    AnsweredFindingView, ChangeCommitView, ChangeRoundView, ChangedFileView, ChangesView,
    CommitDiffView, CommitMergeView, DiffHunkView, FileDiffView, HunkAnswerView,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What stands at the end of a line that is cut.
const CUT: char = '…';

impl Backend {
    /// All commits of Collie's in a pull request, with their files.
    pub(super) async fn changes(
        &self,
        session: &Session,
        key: &str,
    ) -> Result<ChangesView, UserError> {
        let state = find_loop(session, key)?;
        let rounds = changes::own_commits(&state, &read_facts(session, &state).await?);
        let secrets = session.patches.secrets().now();
        let mut view = ChangesView {
            rounds: Vec::with_capacity(rounds.len()),
            files: 0,
            added: 0,
            removed: 0,
            incomplete: false,
        };
        let mut paths = BTreeSet::new();
        for RoundCommits { round, commits } in rounds {
            let mut shown = Vec::with_capacity(commits.len());
            for commit in commits {
                let patch = read_patch(session, &state, &commit, false).await?;
                if commit.merge.is_none() && commit.standing != CommitStanding::Removed {
                    count(&mut view, &mut paths, &patch);
                }
                shown.push(commit_view(&state, &commit, &patch, &secrets));
            }
            view.rounds.push(ChangeRoundView {
                round,
                commits: shown,
            });
        }
        view.files = as_u32(paths.len());
        Ok(view)
    }

    /// The lines of one commit of Collie's.
    pub(super) async fn commit_diff(
        &self,
        session: &Session,
        key: &str,
        sha: &Sha,
    ) -> Result<CommitDiffView, UserError> {
        let state = find_loop(session, key)?;
        let known = read_facts(session, &state).await?;
        let commit = changes::find_own_commit(&state, &known, sha).ok_or_else(|| {
            let pull = state.pull_name();
            UserError::new(ErrorCode::NoOwnCommit)
                .with("pull", &pull)
                .with("commit", sha.short())
        })?;
        let patch = read_patch(session, &state, &commit, true).await?;
        let findings: Vec<TrackedFinding> = changes::findings_of(&state, sha)
            .into_iter()
            .cloned()
            .collect();
        let secrets = session.patches.secrets().clone();
        let sha = sha.clone();
        // A large diff takes a while to be searched for secrets.
        let shown =
            tokio::task::spawn_blocking(move || diff_view(sha, &patch, &findings, &secrets.now()));
        shown.await.map_err(|error| match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => UserError::new(ErrorCode::Quitting),
        })
    }
}

fn find_loop(session: &Session, key: &str) -> Result<Arc<LoopState>, UserError> {
    let pull = listings::parse_pull(key)?;
    let found = session.engine.find(&pull);
    found.ok_or_else(|| UserError::new(ErrorCode::NoLoop).with("pull", &pull))
}

/// What the clone knows of Collie's commits.
async fn read_facts(
    session: &Session,
    state: &LoopState,
) -> Result<BTreeMap<Sha, CommitFacts>, UserError> {
    let commits: Vec<Sha> = state.memory.own_commits.iter().cloned().collect();
    let head = state.run.head.sha.as_ref();
    let known = session.clones.commit_facts(&state.id, &commits, head);
    Ok(known.await?)
}

async fn read_patch(
    session: &Session,
    state: &LoopState,
    commit: &OwnCommit,
    again: bool,
) -> Result<KnownPatch, UserError> {
    let patches = &session.patches;
    let read = patches.read(&session.clones, &session.github, state, commit, again);
    Ok(read.await?)
}

fn count(view: &mut ChangesView, paths: &mut BTreeSet<String>, patch: &KnownPatch) {
    let Ok(patch) = patch else {
        view.incomplete = true;
        return;
    };
    for file in &patch.files {
        view.added += file.added;
        view.removed += file.removed;
        view.incomplete |= file.unshown.is_some();
        paths.insert(file.path.clone());
    }
    view.incomplete |= patch.files_left_out > 0;
}

fn as_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Text of others that is one line.
fn shown_line(text: &str, secrets: &[String]) -> String {
    visible_line(&redact(text, secrets)).into_owned()
}

fn commit_view(
    state: &LoopState,
    commit: &OwnCommit,
    patch: &KnownPatch,
    secrets: &[String],
) -> ChangeCommitView {
    let facts = commit.facts.as_ref();
    let patch = patch.as_ref();
    ChangeCommitView {
        sha: commit.sha.clone(),
        subject: facts.map(|facts| shown_line(&facts.subject, secrets)),
        at: facts.map(|facts| facts.at.rfc3339()),
        standing: commit.standing,
        merge: commit.merge.as_ref().map(|merge| CommitMergeView {
            base_ref: merge
                .base_ref
                .as_deref()
                .map(|base| visible_line(base).into_owned()),
            conflicts: as_u32(merge.conflicts.len()),
        }),
        missing: patch.err().copied(),
        files: patch.map_or_else(
            |_| Vec::new(),
            |patch| {
                let files = patch.files.iter();
                files.map(|file| file_view(file, secrets)).collect()
            },
        ),
        files_left_out: patch.map_or(0, |patch| as_u32(patch.files_left_out)),
        findings: as_u32(changes::findings_of(state, &commit.sha).len()),
    }
}

fn file_view(file: &PatchedFile, secrets: &[String]) -> ChangedFileView {
    ChangedFileView {
        path: shown_line(&file.path, secrets),
        old_path: file
            .old_path
            .as_deref()
            .map(|path| shown_line(path, secrets)),
        status: file.status,
        added: file.added,
        removed: file.removed,
        unshown: file.unshown,
    }
}

fn diff_view(
    sha: Sha,
    patch: &KnownPatch,
    findings: &[TrackedFinding],
    secrets: &[String],
) -> CommitDiffView {
    let nothing = CommitPatch::default();
    let known = patch.as_deref().unwrap_or(&nothing);
    let Answers { hunks, elsewhere } = answers(known, findings);
    let files = known.files.iter().zip(hunks);
    CommitDiffView {
        sha,
        missing: patch.as_ref().err().copied(),
        files: files
            .map(|(file, answers)| file_diff(file, answers, secrets))
            .collect(),
        files_left_out: as_u32(known.files_left_out),
        findings: findings.iter().map(answered_finding).collect(),
        elsewhere: elsewhere.into_iter().map(as_u32).collect(),
    }
}

fn answers(patch: &CommitPatch, findings: &[TrackedFinding]) -> Answers {
    let files: Vec<FileSpans<'_>> = patch
        .files
        .iter()
        .map(|file| FileSpans {
            paths: [Some(&*file.path), file.old_path.as_deref()],
            hunks: file.hunks.iter().map(PatchHunk::changed_span).collect(),
        })
        .collect();
    let places: Vec<FindingPlace<'_>> = findings
        .iter()
        .map(|tracked| FindingPlace {
            file: &tracked.finding.file,
            line: tracked.finding.line,
        })
        .collect();
    changes::answers(&files, &places)
}

fn answered_finding(tracked: &TrackedFinding) -> AnsweredFindingView {
    let finding = &tracked.finding;
    AnsweredFindingView {
        fingerprint: tracked.fingerprint.clone(),
        priority: finding.priority,
        title: visible_line(&finding.title).into_owned(),
        file: visible_line(&finding.file).into_owned(),
        line: finding.line,
        by: visible_line(&finding.source.name).into_owned(),
    }
}

fn file_diff(
    file: &PatchedFile,
    answers: Vec<Vec<changes::HunkAnswer>>,
    secrets: &[String],
) -> FileDiffView {
    let before = side_lines(file, LineChange::Added, secrets);
    let after = side_lines(file, LineChange::Removed, secrets);
    let mut sides = (before.lines.into_iter(), after.lines.into_iter());
    let mut hunks = Vec::with_capacity(file.hunks.len());
    for (hunk, answers) in file.hunks.iter().zip(answers) {
        let mut lines = Vec::with_capacity(hunk.lines.len());
        for line in &hunk.lines {
            let (old, new) = match line.change {
                LineChange::Removed => (sides.0.next(), None),
                LineChange::Added => (None, sides.1.next()),
                LineChange::Context | LineChange::Gap => (sides.0.next(), sides.1.next()),
            };
            let sign = match line.change {
                LineChange::Removed => '-',
                LineChange::Added => '+',
                LineChange::Context | LineChange::Gap => ' ',
            };
            let text = new.or(old).unwrap_or_default();
            let mut shown = format!("{sign}{}", visible_code(&text));
            shown.extend(line.cut.then_some(CUT));
            lines.push(shown);
            if line.unended {
                lines.push("\\".to_owned());
            }
        }
        hunks.push(DiffHunkView {
            old_start: hunk.old_start,
            new_start: hunk.new_start,
            lines,
            answers: answers.into_iter().map(answer_view).collect(),
        });
    }
    FileDiffView {
        file: file_view(file, secrets),
        redacted: before.redacted || after.redacted,
        lines_left_out: as_u32(file.lines_left_out),
        hunks,
    }
}

fn answer_view(answer: changes::HunkAnswer) -> HunkAnswerView {
    HunkAnswerView {
        finding: as_u32(answer.finding),
        exact: answer.exact,
    }
}

/// The lines of one side of all hunks, without secrets.
struct SideLines {
    lines: Vec<String>,
    redacted: bool,
}

/// Each side is looked at for itself: a key of many lines is whole there, and not cut up by the lines of the other.
fn side_lines(file: &PatchedFile, without: LineChange, secrets: &[String]) -> SideLines {
    let all = file.hunks.iter().flat_map(|hunk| &hunk.lines);
    let of_side = all.filter(|line| line.change != without);
    let text: Vec<&str> = of_side.map(|line| line.text.as_str()).collect();
    let count = text.len();
    let text = text.join("\n");
    let shown = redact_keeping_lines(&text, secrets);
    let redacted = shown != text;
    let mut lines: Vec<String> = shown.split('\n').map(str::to_owned).collect();
    lines.resize(count, String::new());
    SideLines { lines, redacted }
}

/// A line of code: what would steer or hide has a picture, tabs stay.
fn visible_code(text: &str) -> String {
    let parts: Vec<_> = text.split('\t').map(visible_line).collect();
    parts.join("\t")
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_core::changes::FileStatus;
    use collie_git::PatchLine;

    fn file(lines: &[(LineChange, &str)]) -> PatchedFile {
        let line = |(change, text): &(LineChange, &str)| PatchLine {
            change: *change,
            text: (*text).to_owned(),
            cut: false,
            unended: false,
        };
        PatchedFile {
            path: "a.pem".into(),
            old_path: None,
            status: FileStatus::Modified,
            added: 0,
            removed: 0,
            unshown: None,
            hunks: vec![PatchHunk {
                old_start: 1,
                new_start: 1,
                lines: lines.iter().map(line).collect(),
            }],
            lines_left_out: 0,
        }
    }

    fn shown(file: &PatchedFile) -> (Vec<String>, bool) {
        let mut view = file_diff(file, vec![Vec::new()], &[]);
        (view.hunks.remove(0).lines, view.redacted)
    }

    #[test]
    fn a_key_that_the_other_side_cuts_up_is_taken_out_line_by_line() {
        let body = "MIIEpAIBAAKCAQEA7bq8s4v9z1x2c3v4b5n6m7q8w9e0r1t2y3u4i5o6";
        let begin = "-----BEGIN RSA PRIVATE KEY-----";
        let end = "-----END RSA PRIVATE KEY-----";
        let key = file(&[
            (LineChange::Added, begin),
            (LineChange::Removed, "old"),
            (LineChange::Added, body),
            (LineChange::Removed, "older"),
            (LineChange::Added, end),
            (LineChange::Context, "kept"),
        ]);
        let (lines, redacted) = shown(&key);
        assert!(redacted);
        let text = lines.join("\n");
        assert!(!text.contains("MIIE"), "{text}");
        let signs: String = lines
            .iter()
            .filter_map(|line| line.chars().next())
            .collect();
        assert_eq!(signs, "+-+-+ ");
        let kept = [&lines[1], &lines[3], &lines[5]];
        assert_eq!(kept, ["-old", "-older", " kept"]);
    }

    #[test]
    fn what_would_steer_or_hide_is_shown_and_tabs_stay() {
        let odd = file(&[
            (LineChange::Added, "\tif x {\u{202e}"),
            (LineChange::Removed, "\u{1b}[2J\r"),
        ]);
        let (lines, redacted) = shown(&odd);
        assert!(!redacted);
        assert_eq!(lines, ["+\tif x {\u{fffd}", "-\u{241b}[2J\u{240d}"]);
    }

    #[test]
    fn a_line_that_is_cut_or_never_ends_says_so() {
        let mut odd = file(&[(LineChange::Added, "abc")]);
        odd.hunks[0].lines[0].cut = true;
        odd.hunks[0].lines[0].unended = true;
        assert_eq!(shown(&odd).0, ["+abc…", "\\"]);
    }
}
