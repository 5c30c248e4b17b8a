//! What each reviewer came to at a head, and whether anybody has read the change (§1.5).

use super::Transition;
use crate::comments;
use crate::ids::Login;
use crate::panel_state::ReviewerState;
use crate::policy::ReviewerKind;
use crate::post::VerdictLine;
use crate::review::Conclusion;
use crate::snapshot::{Review, ReviewVerdict, Snapshot};
use crate::snapshot_summary::{BotStatus, PersonView};

impl Transition {
    pub(super) fn verdicts(&self, snapshot: &Snapshot) -> Vec<VerdictLine> {
        let mut lines: Vec<VerdictLine> = (self.reviewers())
            .map(|seat| match seat.spec.kind {
                ReviewerKind::Rules | ReviewerKind::Agent => VerdictLine {
                    name: seat.spec.name.clone(),
                    kind: Some(seat.spec.kind),
                    findings: u32::try_from(seat.findings.len()).unwrap_or(u32::MAX),
                    verdict: seat.verdict,
                    head: seat.head.clone(),
                    left_out: seat.left_out.clone(),
                    unread_files: seat.unread_files(),
                    linters: seat.linters.clone(),
                },
                ReviewerKind::Human => self.person_verdict(snapshot, &seat.spec.name),
            })
            .collect();
        let views = self.bot_views(snapshot);
        let reviewed = views
            .into_iter()
            .filter(|v| v.status == BotStatus::Reviewed);
        lines.extend(reviewed.map(|view| VerdictLine {
            name: view.login.to_string(),
            kind: None,
            findings: 0,
            verdict: None,
            head: Some(snapshot.head.clone()),
            left_out: None,
            unread_files: Vec::new(),
            linters: Vec::new(),
        }));
        lines
    }

    /// What reviewers say of the change at this head in their own words.
    pub(super) fn summaries(&self, snapshot: &Snapshot) -> Vec<(String, String)> {
        let at_head = |seat: &&ReviewerState| {
            seat.head.as_ref() == Some(&snapshot.head) && !seat.summary.is_empty()
        };
        self.reviewers()
            .filter(at_head)
            .map(|seat| (seat.spec.name.clone(), seat.summary.clone()))
            .collect()
    }

    /// Everybody whose review counts, with what it says.
    pub(super) fn people(&self, snapshot: &Snapshot) -> Vec<PersonView> {
        let view = |review: &Review| {
            let author = review.author.as_ref()?;
            Some(PersonView {
                login: author.login.clone(),
                verdict: match review.verdict {
                    ReviewVerdict::Approved => Conclusion::Approve,
                    ReviewVerdict::ChangesRequested
                    | ReviewVerdict::Commented
                    | ReviewVerdict::Dismissed
                    | ReviewVerdict::Pending => Conclusion::RequestChanges,
                },
                head: review.commit.clone(),
                at: review.submitted_at,
            })
        };
        let reviews = comments::latest_opinionated_reviews(&self.state, snapshot);
        reviews.into_iter().filter_map(view).collect()
    }

    fn person_verdict(&self, snapshot: &Snapshot, name: &str) -> VerdictLine {
        let login = Login::new(name);
        let review = comments::panelist_review(&self.state, snapshot, &login);
        let verdict = review.map(|r| match r.verdict {
            ReviewVerdict::Approved => Conclusion::Approve,
            ReviewVerdict::ChangesRequested
            | ReviewVerdict::Commented
            | ReviewVerdict::Dismissed
            | ReviewVerdict::Pending => Conclusion::RequestChanges,
        });
        VerdictLine {
            name: name.to_string(),
            kind: Some(ReviewerKind::Human),
            findings: 0,
            verdict,
            head: review.and_then(|r| r.commit.clone()),
            left_out: None,
            unread_files: Vec::new(),
            linters: Vec::new(),
        }
    }

    /// Whether a model, an agent, a bot that reviews or a person has read the change. Rules look for what they know, and read nothing.
    pub(super) fn is_read(&self, snapshot: &Snapshot) -> bool {
        let reads = |line: &VerdictLine| match line.kind {
            Some(ReviewerKind::Rules | ReviewerKind::Human) => false,
            Some(ReviewerKind::Agent) => {
                line.verdict.is_some() && line.head.as_ref() == Some(&snapshot.head)
            }
            // A bot is listed once it has reviewed.
            None => true,
        };
        // An approval stands for later heads too, until it is dismissed.
        let approves = |review: &&Review| {
            review.verdict == ReviewVerdict::Approved
                || review.commit.as_ref() == Some(&snapshot.head)
        };
        self.verdicts(snapshot).iter().any(reads)
            || comments::latest_opinionated_reviews(&self.state, snapshot)
                .iter()
                .any(approves)
    }
}
