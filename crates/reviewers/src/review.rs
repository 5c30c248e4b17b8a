//! Reviews by language models and coding agents (§4.3, §4.4), with the second look at what they find.

use super::Panel;
use super::observer::saturating_u32;
use super::setup::{self, AGENT_PROMPT_TOKENS, PersonaRunner};
use crate::activity::{Activity, WorkerHandle};
use collie_agents::llm::count_tokens;
use collie_agents::prompting::{
    BudgetTooSmall, Material, OmittedPart as Lacking, Prompt, PromptPart, PromptTarget, Settlement,
    ValidationVerdict, parse_validations, prompts_hash, validation_prompt, validation_schema,
};
use collie_config::Config;
use collie_core::coverage::{UnseenFile, UnseenReason};
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::finding::{Finding, Replacement};
use collie_core::ids::Fingerprint;
use collie_core::review::{IssueCounts, ReviewerResult, conclusion_from_counts};
use collie_core::session::{LeftOut, SessionSummary};
use collie_engine::ports::{ReviewRequest, ReviewResponse};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// One reader at work on one pull request.
pub(super) struct ReviewSession<'a> {
    pub(super) panel: &'a Panel,
    pub(super) config: &'a Config,
    pub(super) request: &'a ReviewRequest,
    pub(super) runner: PersonaRunner,
    pub(super) cancel: &'a CancellationToken,
    pub(super) worker: Arc<WorkerHandle>,
    pub(super) account: SessionSummary,
    /// Files that it is not shown, or not wholly.
    pub(super) unseen: Vec<UnseenFile>,
    /// When it began.
    pub(super) started: Instant,
}

/// What a reader says, held against the code.
struct ParsedReview {
    result: ReviewerResult,
    /// Earlier findings of its own that it takes back.
    withdrawn: BTreeSet<Fingerprint>,
    replacements: BTreeMap<String, Replacement>,
    /// Ids of findings that somebody's open thread says already.
    covered: BTreeSet<String>,
}

impl Panel {
    /// Lets a persona look, and somebody look again at what it alone has found.
    pub(super) async fn review_with_persona(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewResponse, SessionFailure> {
        let config = self.config.get();
        let runner = setup::persona_runner(&config, &request.reviewer.name)?;
        let (pull, name) = (&request.worktree.pull().id, &request.reviewer.name);
        let worker = self
            .activities
            .start_worker(pull, name, &runner.to_string());
        let (material, unseen) = self.gather_material(&request, &config).await?;
        let mut session = ReviewSession {
            panel: self,
            config: &config,
            request: &request,
            account: SessionSummary {
                runs_on: runner.to_string(),
                delta: material.delta.is_some(),
                ..SessionSummary::default()
            },
            runner,
            cancel,
            worker,
            unseen,
            started: Instant::now(),
        };
        let parsed = session.first_pass(&material).await?;
        Ok(ReviewResponse {
            result: parsed.result,
            prompt_hash: Some(prompts_hash()),
            withdrawn: parsed.withdrawn,
            replacements: parsed.replacements,
            covered: parsed.covered,
            session: Some(session.account),
            unseen: session.unseen,
        })
    }
}

impl ReviewSession<'_> {
    async fn first_pass(&mut self, material: &Material) -> Result<ParsedReview, SessionFailure> {
        let read = self.read_change(material).await?;
        let withdrawn = read
            .answer
            .settled
            .iter()
            .filter(|settled| settled.settlement == Settlement::Withdrawn)
            .map(|settled| settled.fingerprint.clone())
            .collect();
        let mut filtered = self.filter_and_join(read, material).await?;
        for dropped in &filtered.dropped {
            tracing::info!(why = ?dropped.reason, title = %dropped.finding.title, "a finding was dropped");
        }
        self.account.dropped += saturating_u32(filtered.dropped.len());
        let validated = self.validate_findings(material, &mut filtered.result).await;
        if let Err(failure) = validated {
            // The review has been paid for, and what nobody could refute stands.
            if self.cancel.is_cancelled() {
                return Err(failure);
            }
            tracing::warn!(?failure, "findings could not be checked again");
        }
        Ok(ParsedReview {
            result: filtered.result,
            withdrawn,
            replacements: filtered.replacements,
            covered: filtered.covered,
        })
    }

    /// Findings of this reviewer alone are held against the code by somebody who is told to refute them. What stood before is not tried again.
    async fn validate_findings(
        &mut self,
        material: &Material,
        result: &mut ReviewerResult,
    ) -> Result<(), SessionFailure> {
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
        let is_new =
            |finding: &&Finding| !known.contains(&(finding.file.as_str(), finding.title.as_str()));
        let tree = &self.request.worktree;
        let (mut unconfirmed, agreed) =
            self.panel
                .first_pass
                .add(&tree.pull().id, tree.head(), result);
        self.account.agreed = agreed;
        unconfirmed.retain(|finding| is_new(&finding));
        if unconfirmed.is_empty() {
            return Ok(());
        }
        let doubted: Vec<&Finding> = unconfirmed.iter().collect();
        self.account.unchecked = saturating_u32(doubted.len());
        self.worker.set_activity(Activity::ValidatingFindings {
            findings: doubted.len(),
        });
        let compose = |budget, how: PromptTarget| {
            validation_prompt(material, &doubted, budget, &count_tokens, how)
        };
        let read = |value: &Value| parse_validations(value, &doubted);
        let schema = ("second_look", validation_schema());
        let (_, verdicts) = self
            .ask_within_budget(compose, schema, "verdicts", read)
            .await?;
        self.account.unchecked = 0;
        let refuted: BTreeSet<String> = verdicts
            .into_iter()
            .filter(|verdict| verdict.verdict == ValidationVerdict::Refuted)
            .map(|verdict| {
                tracing::info!(reason = %verdict.reason, "a finding was refuted at the second look");
                verdict.finding_id
            })
            .collect();
        self.remove_refuted(&refuted, result);
        Ok(())
    }

    /// Takes refuted findings out of a result, and out of what is known of the head.
    fn remove_refuted(&mut self, refuted: &BTreeSet<String>, result: &mut ReviewerResult) {
        self.account.refuted = saturating_u32(refuted.len());
        let tree = &self.request.worktree;
        self.panel
            .first_pass
            .refute(&tree.pull().id, &result.agent, refuted);
        result
            .findings
            .retain(|finding| !refuted.contains(&finding.id));
        result.issues = IssueCounts::of(&result.findings);
        result.conclusion = conclusion_from_counts(result.issues);
    }

    /// How many tokens a prompt may have, and who reads it.
    pub(super) fn budget(&self) -> (u32, PromptTarget) {
        match &self.runner {
            PersonaRunner::Model { context_tokens, .. } => (*context_tokens, PromptTarget::Model),
            PersonaRunner::Agent(_) => (AGENT_PROMPT_TOKENS, PromptTarget::Agent),
        }
    }

    /// Composes a prompt and asks with it; once more with half of it where the model cannot read as much. Gives the prompt that was
    /// answered too: it tells what was shown.
    async fn ask_within_budget<T>(
        &mut self,
        compose: impl Fn(u32, PromptTarget) -> Result<Prompt, BudgetTooSmall>,
        (name, schema): (&str, Value),
        member: &str,
        read: impl Fn(&Value) -> Result<T, Vec<String>> + Send + Sync,
    ) -> Result<(Prompt, T), SessionFailure> {
        let (budget, target) = self.budget();
        let prompt = compose(budget, target).map_err(SessionFailure::permanent)?;
        let asked = self
            .run_prompt(&prompt, (name, schema.clone()), member, &read)
            .await;
        let failure = match asked {
            Ok(answer) => return Ok((prompt, answer)),
            Err(failure) => failure,
        };
        if !is_prompt_too_long(&failure) {
            return Err(failure);
        }
        // Where even the task does not fit, what the service said is what is wrong.
        let Ok(prompt) = compose(prompt.tokens.min(budget) / 2, target) else {
            return Err(failure);
        };
        tracing::info!(
            tokens = prompt.tokens,
            "the prompt was too long for the model: asking with less"
        );
        let answer = self
            .run_prompt(&prompt, (name, schema), member, &read)
            .await?;
        Ok((prompt, answer))
    }
}

/// Whether a model would not read a prompt for its length.
pub(super) fn is_prompt_too_long(failure: &SessionFailure) -> bool {
    let SessionFailure::Permanent { error } = failure else {
        return false;
    };
    error.code == ErrorCode::LlmContextTooLong
}

/// Adds the files of which a prompt lacks changed lines for want of room.
pub(super) fn add_omitted_files(unseen: &mut Vec<UnseenFile>, omitted: &[Lacking]) {
    for lacking in omitted {
        let PromptPart::Hunk { path, .. } = &lacking.part else {
            continue;
        };
        if !unseen.iter().any(|file| file.path == *path) {
            let path = path.clone();
            let reason = UnseenReason::NoRoom;
            unseen.push(UnseenFile { path, reason });
        }
    }
}

/// What a prompt lacks for want of room, for the report. A second prompt leaves guidelines out on purpose: the first showed them.
pub(super) fn left_out_of(omitted: &[Lacking], delta: bool) -> Option<LeftOut> {
    let meant = |lacking: &&Lacking| delta && matches!(lacking.part, PromptPart::Guideline { .. });
    let mut left = LeftOut::default();
    let mut files = BTreeSet::new();
    for lacking in omitted.iter().filter(|one| !meant(one)) {
        tracing::info!(what = %lacking.part, tokens = lacking.tokens, "left out of the prompt");
        if let PromptPart::Hunk { path, .. } = &lacking.part {
            files.insert(path.clone());
        }
        left.parts += 1;
        left.tokens += u64::from(lacking.tokens);
    }
    left.files = files.into_iter().collect();
    (left.parts > 0).then_some(left)
}
