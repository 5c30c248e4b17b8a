//! The second look: findings of one reviewer alone are held against the code by somebody who is told to refute them (§4.4).

use super::observer::saturating_u32;
use super::review::ReviewSession;
use super::setup::PersonaRunner;
use crate::activity::Activity;
use crate::prompt_size::compose_prompt;
use collie_agents::prompting::{
    Material, Prompt, PromptTarget, Validation, parse_validations, prompts_hash, recount,
    validation_prompt, validation_schema,
};
use collie_core::agreement::is_confirmed_by;
use collie_core::event::{SecondLookScore, SessionFailure};
use collie_core::finding::Finding;
use collie_core::review::{Conclusion, IssueCounts, ReviewerResult};
use collie_engine::ports::ReviewResponse;
use futures::stream::{self, StreamExt as _};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use tokio::time::sleep_until;

/// Second looks that a model takes at once.
const MAX_AT_ONCE: usize = 4;
/// Findings of one review that a model looks at one by one, the gravest first; the others it looks at together.
const MAX_ALONE: usize = 12;

impl ReviewSession<'_> {
    /// Has somebody look again at what this reviewer alone has found and what would hold the pull request up. How sure the reviewer is, is
    /// from then on what the second look scored. What cannot be looked at again stays as it was: the review has been paid for.
    pub(super) async fn look_again(
        &self,
        material: &Material,
        result: &mut ReviewerResult,
    ) -> Result<(), SessionFailure> {
        let doubted = self.unconfirmed_findings(material, result);
        if doubted.is_empty() {
            return Ok(());
        }
        let (scored, _) = self.score(material, &doubted).await?;
        self.apply_scores(&scored, material.comment_threshold, result);
        Ok(())
    }

    /// Holds what bots found against the code, and looks for nothing else.
    pub(super) async fn second_look_at_bots(
        self,
        material: &Material,
    ) -> Result<ReviewResponse, SessionFailure> {
        let doubted = &self.request.doubted;
        let (scored, failure) = self.score(material, doubted).await?;
        if let (true, Some(failure)) = (scored.is_empty(), failure) {
            return Err(failure);
        }
        let bar = material.comment_threshold;
        let refuted = scored.iter().filter(|one| one.confidence.permille() < bar);
        self.account().refuted = saturating_u32(refuted.count());
        let score = |one: Validation| {
            let (confidence, reason) = (one.confidence, one.reason);
            (one.finding_id, SecondLookScore { confidence, reason })
        };
        let result = ReviewerResult {
            agent: self.request.reviewer.name.clone(),
            pr_number: material.number,
            conclusion: Conclusion::Approve,
            issues: IssueCounts::default(),
            findings: Vec::new(),
            full_report: String::new(),
            escalations: Vec::new(),
        };
        Ok(ReviewResponse {
            prompt_hash: Some(prompts_hash()),
            session: Some(self.take_account()),
            second_looks: scored.into_iter().map(score).collect(),
            ..result.into()
        })
    }

    /// Scores findings, some at once. What cannot be looked at again is left out; the last reason why.
    async fn score(
        &self,
        material: &Material,
        doubted: &[Finding],
    ) -> Result<(Vec<Validation>, Option<SessionFailure>), SessionFailure> {
        self.worker.set_activity(Activity::ValidatingFindings {
            findings: doubted.len(),
        });
        let groups = look_groups(doubted, &self.runner);
        let asking = self.look_in_turns(material, look_turns(&groups));
        tokio::pin!(asking);
        let looked = tokio::select! {
            biased;
            looked = &mut asking => looked,
            () = sleep_until(self.asking_ends) => {
                tracing::warn!("the time is up: second looks that go on are given up");
                // Those that are begun end soon, and those that are not begun at once.
                self.stop.cancel();
                asking.await
            }
        };
        let (mut scored, mut failed) = (Vec::new(), None);
        for (group, looked) in looked {
            match looked {
                Ok(validations) => scored.extend(validations),
                Err(failure) if self.cancel.is_cancelled() => return Err(failure),
                Err(failure) => {
                    self.account().unchecked += saturating_u32(group.len());
                    tracing::warn!(?failure, "findings could not be looked at again");
                    failed = Some(failure);
                }
            }
        }
        Ok((scored, failed))
    }

    /// Looks, some at once, one turn after the other.
    async fn look_in_turns<'f>(
        &self,
        material: &Material,
        turns: [Vec<Look<'f>>; 2],
    ) -> Vec<(&'f [&'f Finding], Result<Vec<Validation>, SessionFailure>)> {
        let mut looked = Vec::new();
        for turn in turns {
            let mut looks = Vec::with_capacity(turn.len());
            for look in &turn {
                looks.push(self.look_at(material, look));
            }
            let answers = stream::iter(looks)
                .buffered(MAX_AT_ONCE)
                .collect::<Vec<_>>()
                .await;
            looked.extend(turn.into_iter().map(|look| look.group).zip(answers));
        }
        looked
    }

    /// What nobody else has found at this head, neither a colleague nor a bot, and would count. What stood before is not tried again.
    fn unconfirmed_findings(&self, material: &Material, result: &ReviewerResult) -> Vec<Finding> {
        let known: BTreeSet<(&str, &str)> = material
            .tracked_findings
            .iter()
            .map(|tracked| {
                (
                    tracked.finding.file.as_str(),
                    tracked.finding.title.as_str(),
                )
            })
            .collect();
        let tree = &self.request.worktree;
        let (mut unconfirmed, agreed) =
            self.panel
                .first_pass
                .add(&tree.pull().id, tree.head(), result);
        let before = unconfirmed.len();
        unconfirmed.retain(|finding| !is_confirmed_by(finding, &material.bot_findings));
        self.account().agreed = agreed + saturating_u32(before - unconfirmed.len());
        unconfirmed.retain(|finding| {
            let is_new = !known.contains(&(finding.file.as_str(), finding.title.as_str()));
            is_new && finding.confidence.permille() >= material.comment_threshold
        });
        unconfirmed.sort_by_key(|finding| (finding.priority, Reverse(finding.confidence)));
        unconfirmed
    }

    async fn look_at(
        &self,
        material: &Material,
        look: &Look<'_>,
    ) -> Result<Vec<Validation>, SessionFailure> {
        let group = look.group;
        let compose = |budget, how: PromptTarget| {
            let composed = compose_prompt(budget, |count| {
                validation_prompt(material, group, budget, count, how)
            });
            composed.map(|prompt| match look.begins_alike {
                true => prompt,
                false => Prompt {
                    shared_user_parts: 0,
                    ..prompt
                },
            })
        };
        let read = |value: &Value| parse_validations(value, group);
        let schema = ("second_look", validation_schema());
        let (_, validations) = self
            .ask_within_budget(compose, schema, "verdicts", read)
            .await?;
        Ok(validations)
    }

    /// Takes the scores over. What is below the bar agrees with nobody any more.
    fn apply_scores(&self, scored: &[Validation], threshold: u16, result: &mut ReviewerResult) {
        let by_id: BTreeMap<&str, &Validation> = scored
            .iter()
            .map(|validation| (validation.finding_id.as_str(), validation))
            .collect();
        let mut doubted = BTreeSet::new();
        for finding in &mut result.findings {
            let Some(validation) = by_id.get(finding.id.as_str()) else {
                continue;
            };
            finding.confidence = validation.confidence;
            if validation.confidence.permille() < threshold {
                let (reason, title) = (&validation.reason, &finding.title);
                tracing::info!(%reason, %title, "a finding does not stand at the second look");
                doubted.insert(finding.id.clone());
            }
        }
        self.account().refuted = saturating_u32(doubted.len());
        let pull = &self.request.worktree.pull().id;
        self.panel.first_pass.refute(pull, &result.agent, &doubted);
        recount(result, threshold);
    }
}

/// Which findings are looked at together. A model gets one question a finding: others beside it draw its attention off. An agent reads the
/// checkout anew for each question, so it gets one for all.
fn look_groups<'f>(findings: &'f [Finding], runner: &PersonaRunner) -> Vec<Vec<&'f Finding>> {
    let alone = match runner {
        PersonaRunner::Model { .. } => findings.len().min(MAX_ALONE),
        PersonaRunner::Agent(_) => 0,
    };
    let (alone, together) = findings.split_at(alone);
    let mut groups: Vec<Vec<&Finding>> = alone.iter().map(|finding| vec![finding]).collect();
    if !together.is_empty() {
        groups.push(together.iter().collect());
    }
    groups
}

/// One look, at some findings.
#[derive(Debug, PartialEq)]
struct Look<'f> {
    group: &'f [&'f Finding],
    /// Another one begins like it.
    begins_alike: bool,
}

/// The looks in two turns. Of those that begin alike, at findings of the same files, one goes first, so that the others find the beginning
/// kept by the service: it costs a tenth then, and a quarter more where it is kept (Anthropic). What no other look begins with is not kept.
fn look_turns<'f>(groups: &'f [Vec<&'f Finding>]) -> [Vec<Look<'f>>; 2] {
    let files = |group: &[&'f Finding]| -> BTreeSet<&'f str> {
        group.iter().map(|finding| finding.file.as_str()).collect()
    };
    let mut by_files: BTreeMap<BTreeSet<&str>, usize> = BTreeMap::new();
    for group in groups {
        *by_files.entry(files(group)).or_default() += 1;
    }
    let mut begun = BTreeSet::new();
    let mut turns = [Vec::new(), Vec::new()];
    for group in groups {
        let files = files(group);
        let begins_alike = by_files.get(&files).is_some_and(|looks| *looks > 1);
        let turn = usize::from(!begun.insert(files));
        turns[turn].push(Look {
            group,
            begins_alike,
        });
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn finding_in(file: &str) -> Finding {
        serde_json::from_value(json!({
            "id": "F1", "priority": "P1", "category": "correctness", "file": file, "line": 3,
            "title": "The sum is wrong", "description": "", "suggestion": null,
            "source": {"type": "agent", "name": "quinn", "reviewId": null, "timestamp": "2026-01-24T00:00:00Z"},
        }))
        .unwrap()
    }

    #[test]
    fn of_looks_that_begin_alike_one_goes_first_and_only_these_are_kept() {
        let findings = ["a.rs", "b.rs", "a.rs", "c.rs", "a.rs"].map(finding_in);
        let groups: Vec<Vec<&Finding>> = findings.iter().map(|finding| vec![finding]).collect();
        let turns = look_turns(&groups).map(|turn| -> Vec<(String, bool)> {
            let told = |look: &Look<'_>| (look.group[0].file.clone(), look.begins_alike);
            turn.iter().map(told).collect()
        });
        let look = |file: &str, begins_alike| (file.to_owned(), begins_alike);
        let first = [look("a.rs", true), look("b.rs", false), look("c.rs", false)];
        assert_eq!(turns, [first.to_vec(), vec![look("a.rs", true); 2]]);
        // Those that are looked at together begin like another look only where it is about the same files.
        let together = [vec![&findings[0], &findings[1]], vec![&findings[2]]];
        let [first, then] = look_turns(&together);
        assert_eq!((first.len(), then.len()), (2, 0));
        assert!(first.iter().all(|look| !look.begins_alike));
    }
}
