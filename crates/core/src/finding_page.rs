//! Where a person reads a finding on GitHub.

use crate::event::Delivery;
use crate::loop_state::LoopState;
use crate::token::{ActionSubject, action_token};
use crate::tracked_finding::TrackedFinding;

/// The address of the comment or review that says it; none where it stands in a report alone, or was not posted.
pub fn finding_page(state: &LoopState, known: &TrackedFinding) -> Option<String> {
    let anchor = said_by_others(known).or_else(|| said_by_collie(state, known))?;
    Some(format!("{}#{anchor}", state.pull.url))
}

/// Ids of what people and bots wrote say where: `C-` and a comment's number, `R-` and a review's.
fn said_by_others(known: &TrackedFinding) -> Option<String> {
    known.finding.source.review_id.as_ref()?;
    let id = &known.finding.id;
    let number = |prefix| id.strip_prefix(prefix)?.parse::<u64>().ok();
    let comment = number("C-").map(|id| format!("discussion_r{id}"));
    comment.or_else(|| number("R-").map(|id| format!("pullrequestreview-{id}")))
}

/// What stands on a line went out as part of a review, whose number GitHub gave.
fn said_by_collie(state: &LoopState, known: &TrackedFinding) -> Option<String> {
    let print = &known.fingerprint;
    if !state.memory.inlined.contains(print) {
        return None;
    }
    let token = action_token(&state.id, &ActionSubject::Inline(print));
    match state.memory.posted.get(&token)? {
        Delivery::Confirmed { remote_id } => Some(format!("pullrequestreview-{remote_id}")),
        Delivery::Undeliverable { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::SourceType;
    use crate::test_support::{LoopFixture, finding};

    #[test]
    fn a_finding_is_read_where_collie_or_somebody_else_said_it() {
        let mut w = LoopFixture::new();
        w.poll();
        w.finish_review(&[finding("a.py", "rule:py-eval", "eval(x)")]);
        let mut known = w
            .state
            .run
            .review
            .findings
            .values()
            .next()
            .expect("one")
            .clone();
        let url = w.state.pull.url.clone();
        let page = |known: &TrackedFinding| finding_page(&w.state, known);
        assert_eq!(page(&known), Some(format!("{url}#pullrequestreview-900")));
        known.fingerprint = crate::ids::Fingerprint::new("never posted");
        assert_eq!(page(&known), None);
        known.finding.source.kind = SourceType::Bot;
        known.finding.source.review_id = Some("T1".into());
        known.finding.id = "C-41".into();
        assert_eq!(page(&known), Some(format!("{url}#discussion_r41")));
        known.finding.id = "R-7".into();
        assert_eq!(page(&known), Some(format!("{url}#pullrequestreview-7")));
    }
}
