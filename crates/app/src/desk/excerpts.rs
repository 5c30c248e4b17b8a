//! The code that a finding is about, and what fixed it.

use super::work::Work;
use super::{Desk, Problem, lists};
use collie_core::ids::Sha;
use collie_core::model::{LoopState, TrackedFinding};
use collie_git::{Cut, ExcerptLine, LineChange};
use collie_wire::rpc::{DiffLine, ExcerptView};

impl Desk {
    /// Cuts both out of the clone; empty where the clone is not there or knows nothing of it.
    pub(super) async fn excerpts(
        &self,
        work: &Work,
        key: &str,
        fingerprint: &str,
    ) -> Result<ExcerptView, Problem> {
        let pull = lists::pull(key)?;
        let state = work
            .find(&pull)
            .ok_or_else(|| Problem::new("no_loop").with("pull", &pull))?;
        let tracked = state
            .findings
            .values()
            .find(|tracked| tracked.fingerprint.as_str() == fingerprint)
            .ok_or_else(|| Problem::new("no_finding").with("pull", &pull))?;
        let fix_commit = tracked.fixed_in.last().cloned();
        let parent = match &fix_commit {
            Some(commit) => work.clones.parent(&state.id, commit).await?,
            None => None,
        };
        let fix = match (&parent, &fix_commit) {
            (Some(parent), Some(commit)) => fix(work, &state, tracked, (parent, commit)).await?,
            (_, _) => Vec::new(),
        };
        let seen_at = parent.or_else(|| state.head.clone());
        let finding = match &seen_at {
            Some(head) => found_on(work, &state, tracked, head).await?,
            None => Vec::new(),
        };
        Ok(ExcerptView {
            finding,
            fix_commit,
            fix,
        })
    }
}

/// The lines around a finding, as the pull request changes them.
async fn found_on(
    work: &Work,
    state: &LoopState,
    tracked: &TrackedFinding,
    head: &Sha,
) -> Result<Vec<DiffLine>, Problem> {
    let (Some(line), Some(base)) = (tracked.finding.line, &state.base) else {
        return Ok(Vec::new());
    };
    let Some(from) = work.clones.merge_base(&state.id, base, head).await? else {
        return Ok(Vec::new());
    };
    let file = &tracked.finding.file;
    let lines = work
        .clones
        .excerpt(&state.id, (&from, head), file, Cut::Around(line))
        .await?;
    Ok(lines
        .iter()
        .map(|shown| diff_line(shown, Some(line)))
        .collect())
}

async fn fix(
    work: &Work,
    state: &LoopState,
    tracked: &TrackedFinding,
    between: (&Sha, &Sha),
) -> Result<Vec<DiffLine>, Problem> {
    let file = &tracked.finding.file;
    let cut = Cut::Changes(tracked.finding.line);
    let lines = work.clones.excerpt(&state.id, between, file, cut).await?;
    Ok(lines.iter().map(|shown| diff_line(shown, None)).collect())
}

fn diff_line(line: &ExcerptLine, marked: Option<u32>) -> DiffLine {
    let kind = match line.change {
        LineChange::Context => "context",
        LineChange::Added => "added",
        LineChange::Removed => "removed",
        LineChange::Gap => "gap",
    };
    DiffLine {
        kind: kind.to_owned(),
        old: line.old,
        new: line.new,
        text: line.text.clone(),
        marked: marked.is_some() && line.new == marked,
    }
}
