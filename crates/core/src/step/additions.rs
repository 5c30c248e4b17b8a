//! What Collie adds to somebody's open thread that covers a finding already: said there, and not once more on the line (§4.4).

use super::Transition;
use super::post::is_of_panel;
use crate::comments::{self, AuthorRole};
use crate::finding::{Finding, FindingKind};
use crate::identity::normalize;
use crate::post::{AddedFinding, Post, PostContent};
use crate::snapshot::{Snapshot, Thread};
use crate::token::ActionSubject;
use crate::tracked_finding::{FindingStatus, TrackedFinding};
use std::collections::BTreeMap;

/// Findings that one reply adds.
const MAX_ADDED: usize = 3;
/// Lines between a thread and a finding that it covers by its place.
const MAX_LINE_DISTANCE: u32 = 1;

/// An open thread that covers a finding.
pub(super) struct CoveringThread<'s> {
    thread: &'s Thread,
    /// Collie opened it itself.
    is_own: bool,
}

impl Transition {
    /// The open thread of a trusted author that covers a finding: the one that its reviewer's session named, else one at its place. An
    /// outsider's silences nothing. Of several somebody else's comes before Collie's own.
    pub(super) fn covering_thread<'s>(
        &self,
        snapshot: &'s Snapshot,
        tracked: &TrackedFinding,
    ) -> Option<CoveringThread<'s>> {
        let finding = &tracked.finding;
        let at_its_place = |thread: &Thread| {
            let near = |(a, b): (u32, u32)| a.abs_diff(b) <= MAX_LINE_DISTANCE;
            thread.path == finding.file && thread.line.zip(finding.line).is_some_and(near)
        };
        let named = |thread: &Thread| tracked.covered_by.as_ref() == Some(&thread.id);
        let open = snapshot.threads.iter().filter(|thread| !thread.resolved);
        let covering = open.filter_map(|thread| {
            let covers = named(thread) || at_its_place(thread);
            let opener = comments::opener_role(&self.state, snapshot, thread);
            (covers && opener != AuthorRole::Outsider).then_some(CoveringThread {
                thread,
                is_own: opener == AuthorRole::Own,
            })
        });
        covering.min_by_key(|covering| (covering.is_own, !named(covering.thread)))
    }

    /// Replies in threads of others that cover findings, each thread once: evidence or a suggestion that it lacks.
    pub(super) fn additions(&self, snapshot: &Snapshot, findings: &[TrackedFinding]) -> Vec<Post> {
        let mut sorted: Vec<&TrackedFinding> = findings.iter().collect();
        sorted.sort_by_key(|t| (t.finding.priority, t.finding.file.clone(), t.finding.line));
        sorted.dedup_by_key(|t| t.fingerprint.clone());
        let mut by_thread: BTreeMap<&str, (&Thread, Vec<AddedFinding>)> = BTreeMap::new();
        for tracked in sorted {
            let Some(covering) = self.covering_thread(snapshot, tracked) else {
                continue;
            };
            let wanted = self.may_be_added(tracked) && !covering.is_own;
            if wanted && adds_something(tracked, covering.thread) {
                let id = covering.thread.id.as_str();
                let (_, added) = by_thread.entry(id).or_insert((covering.thread, Vec::new()));
                added.push(AddedFinding {
                    finding: tracked.finding.clone(),
                    fingerprint: tracked.fingerprint.clone(),
                });
                added.truncate(MAX_ADDED);
            }
        }
        by_thread
            .into_values()
            .filter_map(|(thread, findings)| self.addition(snapshot, thread, findings))
            .collect()
    }

    /// Whether a finding would be worth a comment on its line, if nobody had said it.
    fn may_be_added(&self, tracked: &TrackedFinding) -> bool {
        let policy = &self.state.run.configuration.policy;
        let spoken = match tracked.finding.kind {
            FindingKind::Error | FindingKind::Suggestion => true,
            FindingKind::Question | FindingKind::Nitpick | FindingKind::Praise => false,
        };
        spoken
            && is_of_panel(&tracked.finding)
            && tracked.status == FindingStatus::Open
            && tracked.finding.priority <= super::post::inline_bar(policy.strictness)
            && tracked.finding.confidence.permille() >= policy.comment_threshold
            && !self.state.memory.inlined.contains(&tracked.fingerprint)
    }

    fn addition(
        &self,
        snapshot: &Snapshot,
        thread: &Thread,
        findings: Vec<AddedFinding>,
    ) -> Option<Post> {
        let token = self.token(&ActionSubject::Addition(&thread.id));
        // An earlier review without a loop may have said it, which this loop's memory does not know.
        let is_said = thread.comments.iter().any(|comment| {
            comments::is_addition(&self.state, thread, comment)
                && comments::comment_role(&self.state, snapshot, comment) == AuthorRole::Own
        });
        let first = thread.comments.first()?;
        (!is_said).then(|| Post {
            token,
            content: PostContent::Addition {
                thread: thread.id.clone(),
                in_reply_to: first.id,
                findings,
            },
            by: None,
        })
    }
}

/// Whether a thread lacks what a finding offers: a suggestion, or evidence from elsewhere than the line that it stands at.
fn adds_something(tracked: &TrackedFinding, thread: &Thread) -> bool {
    let Finding {
        suggestion,
        evidence,
        line,
        ..
    } = &tracked.finding;
    let bodies = thread.comments.iter().map(|comment| comment.body.as_str());
    let said = normalize(&bodies.collect::<Vec<_>>().join("\n"));
    let lacks = |text: &str| {
        let text = normalize(text);
        !text.is_empty() && !said.contains(&text)
    };
    let replacement = tracked.replacement.as_ref().map(|with| with.text.as_str());
    let elsewhere = evidence.as_deref().filter(|_| *line != thread.line);
    [suggestion.as_deref(), replacement, elsewhere]
        .into_iter()
        .flatten()
        .any(lacks)
}
