//! One review without a loop (§14, `collie review`): what a loop would make of it, and would say.

use super::Transition;
use crate::comments;
use crate::consensus::{Consensus, consensus};
use crate::effect::ReviewEffect;
use crate::event::ReviewFinished;
use crate::ids::{ActionToken, Time};
use crate::loop_state::LoopState;
use crate::post::Post;
use crate::snapshot::Snapshot;
use crate::text::trailing_token;
use crate::tracked_finding::TrackedFinding;
use crate::usage::Usage;
use std::collections::BTreeSet;

/// What one review comes to.
#[derive(Clone, Debug)]
pub struct SingleReview {
    /// What the panel agrees on, with rule 0.
    pub consensus: Consensus,
    /// Everything that counts, the most urgent first.
    pub findings: Vec<TrackedFinding>,
    /// The report.
    pub report: Post,
    /// What goes on its line; none when nothing does.
    pub inline: Option<Post>,
    /// What all looks cost together.
    pub usage: Usage,
}

/// Makes one review of what reviewers said at the head of `snapshot`, each as what a loop would ask for and be answered.
///
/// `state` is that of a new loop; its run is part of the report's token. What Collie has said on a line before is not said again.
pub fn review_once(
    state: &LoopState,
    snapshot: &Snapshot,
    results: &[(ReviewEffect, ReviewFinished)],
    now: Time,
) -> SingleReview {
    let mut transition = Transition {
        state: state.clone(),
        now,
        notes: Vec::new(),
    };
    for (asked, finished) in results {
        transition.review_finished(asked, finished);
    }
    // What people and bots say is theirs: only a request for changes decides here too.
    let mut analysis = comments::analyze_comments(&transition.state, snapshot);
    analysis.pending_issues.clear();
    let requested = comments::changes_requested_by_trusted(&transition.state, snapshot);
    let mut findings = transition.current_findings(snapshot, &analysis);
    let consensus = consensus(&requested, findings.iter().map(|t| &t.finding));
    let before = posted_tokens(snapshot);
    let known = findings
        .iter()
        .filter(|t| before.contains(&transition.inline_token(&t.fingerprint)))
        .map(|t| t.fingerprint.clone())
        .collect::<Vec<_>>();
    transition.state.memory.inlined.extend(known);
    let (report, inline) = transition.review_posts(snapshot, &findings, &requested, &consensus);
    findings.sort_by_key(|t| (t.finding.priority, t.finding.file.clone(), t.finding.line));
    SingleReview {
        consensus,
        findings,
        report,
        inline,
        usage: transition.state.run.usage,
    }
}

/// Tokens of the threads that the posting account opened.
fn posted_tokens(snapshot: &Snapshot) -> BTreeSet<ActionToken> {
    let first = |thread: &crate::snapshot::Thread| {
        let comment = thread.comments.first()?;
        let own = comment.author.as_ref()?.id == snapshot.viewer.id;
        trailing_token(&comment.body).filter(|_| own)
    };
    snapshot.threads.iter().filter_map(first).collect()
}
