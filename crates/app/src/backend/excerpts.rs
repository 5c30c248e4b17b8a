//! The code that a finding is about, and what fixed it.

use super::session::Session;
use super::{Backend, listings};
use collie_core::error_code::ErrorCode;
use collie_core::ids::Sha;
use collie_core::loop_state::LoopState;
use collie_core::tracked_finding::TrackedFinding;
use collie_core::user_error::UserError;
use collie_git::{ExcerptLine, ExcerptSelection, LineChange};
use collie_wire::rpc::{DiffLine, DiffLineKind, ExcerptView};

impl Backend {
    /// Cuts both out of the clone; empty where the clone is not there or knows nothing of it.
    pub(super) async fn excerpts(
        &self,
        session: &Session,
        key: &str,
        fingerprint: &str,
    ) -> Result<ExcerptView, UserError> {
        let pull = listings::parse_pull(key)?;
        let state = session
            .engine
            .find(&pull)
            .ok_or_else(|| UserError::new(ErrorCode::NoLoop).with("pull", &pull))?;
        let tracked = state
            .run
            .review
            .findings
            .values()
            .find(|tracked| tracked.fingerprint.as_str() == fingerprint)
            .ok_or_else(|| UserError::new(ErrorCode::NoFinding).with("pull", &pull))?;
        let fix_commit = tracked.fixed_in.last().cloned();
        let parent = match &fix_commit {
            Some(commit) => session.clones.parent(&state.id, commit).await?,
            None => None,
        };
        let fix = match (&parent, &fix_commit) {
            (Some(parent), Some(commit)) => {
                fix_lines(session, &state, tracked, (parent, commit)).await?
            }
            (_, _) => Vec::new(),
        };
        let finding_head = parent.or_else(|| state.run.head.sha.clone());
        let finding = match &finding_head {
            Some(head) => finding_lines(session, &state, tracked, head).await?,
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
async fn finding_lines(
    session: &Session,
    state: &LoopState,
    tracked: &TrackedFinding,
    head: &Sha,
) -> Result<Vec<DiffLine>, UserError> {
    let (Some(line), Some(base)) = (tracked.finding.line, &state.run.head.base) else {
        return Ok(Vec::new());
    };
    let Some(from) = session.clones.merge_base(&state.id, base, head).await? else {
        return Ok(Vec::new());
    };
    let file = &tracked.finding.file;
    let lines = session
        .clones
        .excerpt(
            &state.id,
            (&from, head),
            file,
            ExcerptSelection::Around(line),
        )
        .await?;
    Ok(lines
        .iter()
        .map(|excerpt_line| diff_line(excerpt_line, Some(line)))
        .collect())
}

async fn fix_lines(
    session: &Session,
    state: &LoopState,
    tracked: &TrackedFinding,
    range: (&Sha, &Sha),
) -> Result<Vec<DiffLine>, UserError> {
    let file = &tracked.finding.file;
    let cut = ExcerptSelection::NearestChanges(tracked.finding.line);
    let lines = session.clones.excerpt(&state.id, range, file, cut).await?;
    Ok(lines
        .iter()
        .map(|excerpt_line| diff_line(excerpt_line, None))
        .collect())
}

fn diff_line(line: &ExcerptLine, marked: Option<u32>) -> DiffLine {
    let kind = match line.change {
        LineChange::Context => DiffLineKind::Context,
        LineChange::Added => DiffLineKind::Added,
        LineChange::Removed => DiffLineKind::Removed,
        LineChange::Gap => DiffLineKind::Gap,
    };
    DiffLine {
        kind,
        old: line.old,
        new: line.new,
        text: line.text.clone(),
        marked: marked.is_some() && line.new == marked,
    }
}
