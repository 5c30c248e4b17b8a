//! One review without a loop (§14, `collie review`): what a loop would make of it, and would say.

use super::Turn;
use crate::comments;
use crate::consensus::{Consensus, consensus};
use crate::ids::{ActionToken, Login, Time};
use crate::model::{Effect, Event, LoopState, TrackedFinding, Usage};
use crate::post::Post;
use crate::snapshot::Snapshot;
use crate::text::token_at_end;
use std::collections::BTreeSet;

/// What one review comes to.
#[derive(Clone, Debug)]
pub struct OneReview {
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

/// Makes one review of what reviewers said at the head of `snapshot`, each as the pair of effect and event of a loop.
///
/// `state` is that of a new loop; its run is part of the report's token. What Collie has said on a line before is not said again.
pub fn review_once(
    state: &LoopState,
    snapshot: &Snapshot,
    said: &[(Effect, Event)],
    now: Time,
) -> OneReview {
    let mut turn = Turn {
        s: state.clone(),
        now,
        notes: Vec::new(),
    };
    for (effect, event) in said {
        turn.review_finished(effect, event);
    }
    // What people and bots say is theirs: only a request for changes decides here too.
    let mut analysis = comments::analyze(&turn.s, snapshot);
    analysis.pending_issues.clear();
    let requested: Vec<Login> = analysis
        .review_state
        .changes_requested_by
        .iter()
        .filter(|by| by.association.is_trusted())
        .map(|by| by.login.clone())
        .collect();
    let mut findings = turn.standing_findings(snapshot, &analysis);
    let consensus = consensus(&requested, findings.iter().map(|t| &t.finding));
    let before = said_before(snapshot);
    let known = findings
        .iter()
        .filter(|t| before.contains(&turn.inline_token(&t.fingerprint)))
        .map(|t| t.fingerprint.clone())
        .collect::<Vec<_>>();
    turn.s.inlined.extend(known);
    let (report, inline) = turn.review_posts(snapshot, &findings, &requested, &consensus);
    findings.sort_by_key(|t| (t.finding.priority, t.finding.file.clone(), t.finding.line));
    OneReview {
        consensus,
        findings,
        report,
        inline,
        usage: turn.s.usage,
    }
}

/// Tokens of the threads that the posting account opened.
fn said_before(snapshot: &Snapshot) -> BTreeSet<ActionToken> {
    let first = |thread: &crate::snapshot::Thread| {
        let comment = thread.comments.first()?;
        let own = comment.author.as_ref()?.id == snapshot.viewer.id;
        token_at_end(&comment.body).filter(|_| own)
    };
    snapshot.threads.iter().filter_map(first).collect()
}
