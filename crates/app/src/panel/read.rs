//! Reviews by language models and coding agents (§4.3, §4.4), with the second look at what they find.

use super::Panel;
use super::hear::count;
use super::setup::{self, AGENT_TOKENS, Reader};
use crate::activity::{Doing, Working};
use crate::config::Config;
use collie_agents::llm::count_tokens;
use collie_agents::reading::{
    BudgetTooSmall, LeftOut as Lacking, Material, Part, Prompt, ReaderKind, SecondVerdict,
    Settlement, compose, prompts_hash, restrain, result, schema, validated, validation_prompt,
    validation_schema,
};
use collie_core::ids::Fingerprint;
use collie_core::model::SessionFailure;
use collie_core::session::{LeftOut, SessionAccount};
use collie_core::shapes::{Finding, IssueCounts, Replacement, ReviewerResult, conclude};
use collie_engine::ports::{ReviewAnswer, ReviewRequest};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// One reader at work on one pull request.
pub(super) struct Reading<'a> {
    pub(super) panel: &'a Panel,
    pub(super) config: &'a Config,
    pub(super) request: &'a ReviewRequest,
    pub(super) reader: Reader,
    pub(super) cancel: &'a CancellationToken,
    pub(super) working: Arc<Working>,
    pub(super) account: SessionAccount,
}

/// What a reader says, held against the code.
struct Said {
    result: ReviewerResult,
    /// Earlier findings of its own that it takes back.
    withdrawn: BTreeSet<Fingerprint>,
    replacements: BTreeMap<String, Replacement>,
}

impl Panel {
    /// Lets a persona look, and somebody look again at what it alone has found.
    pub(super) async fn read(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewAnswer, SessionFailure> {
        let config = self.config.get();
        let reader = setup::reader(&config, &request.reviewer.name)?;
        let (pull, name) = (&request.worktree.pull.id, &request.reviewer.name);
        let working = self.activities.begin(pull, name, &reader.to_string());
        let material = self.gather(&request, &config).await?;
        let mut reading = Reading {
            panel: self,
            config: &config,
            request: &request,
            account: SessionAccount {
                runs_on: reader.to_string(),
                delta: material.delta.is_some(),
                ..SessionAccount::default()
            },
            reader,
            cancel,
            working,
        };
        let said = reading.look(&material).await?;
        Ok(ReviewAnswer {
            result: said.result,
            prompts: Some(prompts_hash()),
            withdrawn: said.withdrawn,
            replacements: said.replacements,
            account: Some(reading.account),
        })
    }
}

impl Reading<'_> {
    async fn look(&mut self, material: &Material) -> Result<Said, SessionFailure> {
        let prompt = self.prompt(|budget, how| compose(material, budget, &count_tokens, how))?;
        self.account.left_out = left_out(&prompt, material.delta.is_some());
        let now = self.request.now;
        let read = |value: &Value| result(value, material, now);
        let answer = self
            .ask(&prompt, ("review", schema()), "findings", read)
            .await?;
        let withdrawn = answer
            .settled
            .iter()
            .filter(|settled| settled.how == Settlement::Withdrawn)
            .map(|settled| settled.fingerprint.clone())
            .collect();
        let mut restrained = restrain(answer, material);
        for dropped in &restrained.dropped {
            tracing::info!(why = ?dropped.why, title = %dropped.finding.title, "a finding was dropped");
        }
        self.account.dropped = count(restrained.dropped.len());
        self.look_again(material, &mut restrained.result).await?;
        Ok(Said {
            result: restrained.result,
            withdrawn,
            replacements: restrained.replacements,
        })
    }

    /// Findings of this reviewer alone are held against the code by somebody who is told to refute them. What stood before is not tried again.
    async fn look_again(
        &mut self,
        material: &Material,
        result: &mut ReviewerResult,
    ) -> Result<(), SessionFailure> {
        let known: BTreeSet<(&str, &str)> = material
            .known
            .iter()
            .map(|t| (t.finding.file.as_str(), t.finding.title.as_str()))
            .collect();
        let new = |f: &&Finding| !known.contains(&(f.file.as_str(), f.title.as_str()));
        let tree = &self.request.worktree;
        let (mut doubted, agreed) = self
            .panel
            .first_looks
            .add(&tree.pull.id, &tree.head, result);
        self.account.agreed = agreed;
        doubted.retain(|finding| new(&finding));
        if doubted.is_empty() {
            return Ok(());
        }
        let doubted: Vec<&Finding> = doubted.iter().collect();
        self.working.does(Doing::LooksAgain {
            findings: doubted.len(),
        });
        let prompt = self.prompt(|budget, how| {
            validation_prompt(material, &doubted, budget, &count_tokens, how)
        })?;
        let read = |value: &Value| validated(value, &doubted);
        let verdicts = self
            .ask(
                &prompt,
                ("second_look", validation_schema()),
                "verdicts",
                read,
            )
            .await?;
        let refuted: BTreeSet<String> = verdicts
            .into_iter()
            .filter(|verdict| verdict.verdict == SecondVerdict::Refuted)
            .map(|verdict| {
                tracing::info!(reason = %verdict.reason, "a finding was refuted at the second look");
                verdict.finding
            })
            .collect();
        self.account.refuted = count(refuted.len());
        let tree = &self.request.worktree;
        self.panel
            .first_looks
            .refute(&tree.pull.id, &result.agent, &refuted);
        result
            .findings
            .retain(|finding| !refuted.contains(&finding.id));
        result.issues = IssueCounts::of(&result.findings);
        result.conclusion = conclude(result.issues);
        Ok(())
    }

    fn prompt(
        &self,
        put: impl Fn(u32, ReaderKind) -> Result<Prompt, BudgetTooSmall>,
    ) -> Result<Prompt, SessionFailure> {
        let (budget, how) = match &self.reader {
            Reader::Model { context_tokens, .. } => (*context_tokens, ReaderKind::Model),
            Reader::Agent(_) => (AGENT_TOKENS, ReaderKind::Agent),
        };
        put(budget, how).map_err(|error| SessionFailure::Permanent {
            message: format!("{error}: raise `context_tokens` of [llm], or split the pull request"),
        })
    }
}

/// What a prompt lacks for want of room, for the report. A second prompt leaves guidelines out on purpose: the first showed them.
fn left_out(prompt: &Prompt, delta: bool) -> Option<LeftOut> {
    let meant = |lacking: &&Lacking| delta && matches!(lacking.what, Part::Guideline { .. });
    let mut left = LeftOut::default();
    let mut files = BTreeSet::new();
    for lacking in prompt.left_out.iter().filter(|one| !meant(one)) {
        tracing::info!(what = %lacking.what, tokens = lacking.tokens, "left out of the prompt");
        if let Part::Hunk { path, .. } = &lacking.what {
            files.insert(path.clone());
        }
        left.parts += 1;
        left.tokens += u64::from(lacking.tokens);
    }
    left.files = files.into_iter().collect();
    (left.parts > 0).then_some(left)
}
