//! Reads a change: at once where it fits, else in parts that are joined (§4.4).

use super::observer::saturating_u32;
use super::review::{ReviewSession, add_omitted_files, is_prompt_too_long, left_out_of};
use collie_agents::llm::count_tokens;
use collie_agents::prompting::{
    FilteredReview, GroupedChange, JoinedReadings, Material, OmittedPart as Lacking, PartReading,
    Prompt, PromptPart, PromptTarget, ReviewPart, ReviewerAnswer, filter_findings, group_changes,
    join_prompt, join_schema, merge_answers, parse_join, parse_review, recount, review_prompt,
    review_schema,
};
use collie_core::coverage::{UnseenFile, UnseenReason};
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::session::LeftOut;
use collie_core::user_error::UserError;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};

/// So many readings that fail one after the other end it: the next would fail too.
const MAX_FAILED_IN_A_ROW: usize = 2;

/// A change as it was read.
pub(super) struct ReadAnswer {
    pub(super) answer: ReviewerAnswer,
    /// What came of each part; empty where the change was read at once.
    pub(super) parts: Vec<PartReading>,
}

impl ReviewSession<'_> {
    /// Asks for a review of the change; in parts where a prompt does not hold it, or the model does not read so long a one.
    pub(super) async fn read_change(
        &mut self,
        material: &Material,
    ) -> Result<ReadAnswer, SessionFailure> {
        let (budget, target) = self.budget();
        let compose = |budget| review_prompt(material, budget, &count_tokens, target);
        let prompt = compose(budget).map_err(SessionFailure::permanent)?;
        if let Some(grouped) = parts_needed(&prompt, material, (budget, target)) {
            return self.read_parts(material, grouped, (budget, target)).await;
        }
        let failure = match self.ask_for_review(&prompt, material).await {
            Ok(answer) => return Ok(self.read_at_once(answer, &prompt, material)),
            Err(failure) => failure,
        };
        if !is_prompt_too_long(&failure) {
            return Err(failure);
        }
        let less = prompt.tokens.min(budget) / 2;
        // Where even the task does not fit, what the service said is what is wrong.
        let Ok(prompt) = compose(less) else {
            return Err(failure);
        };
        tracing::info!(
            tokens = prompt.tokens,
            "the prompt was too long for the model: asking with less"
        );
        if let Some(grouped) = parts_needed(&prompt, material, (less, target)) {
            return self.read_parts(material, grouped, (less, target)).await;
        }
        let answer = self.ask_for_review(&prompt, material).await?;
        Ok(self.read_at_once(answer, &prompt, material))
    }

    fn read_at_once(
        &mut self,
        answer: ReviewerAnswer,
        prompt: &Prompt,
        material: &Material,
    ) -> ReadAnswer {
        self.account().left_out = left_out_of(&prompt.omitted, material.delta.is_some());
        add_omitted_files(&mut self.unseen, &prompt.omitted);
        ReadAnswer {
            answer,
            parts: Vec::new(),
        }
    }

    async fn ask_for_review(
        &mut self,
        prompt: &Prompt,
        material: &Material,
    ) -> Result<ReviewerAnswer, SessionFailure> {
        let now = self.request.now;
        // What only lacks its claim is asked for once, and then judged by the second look.
        let asked = AtomicBool::new(false);
        let read = |value: &Value| match parse_review(value, material, now) {
            Ok(answer) if answer.lacking.is_empty() || asked.load(Ordering::Relaxed) => Ok(answer),
            Ok(ReviewerAnswer { lacking, .. }) => {
                asked.store(true, Ordering::Relaxed);
                Err(lacking)
            }
            Err(violations) => {
                asked.store(true, Ordering::Relaxed);
                Err(violations)
            }
        };
        let schema = ("review", review_schema());
        self.run_prompt(prompt, schema, "findings", read).await
    }

    /// Reads part after part, so that each finds the beginning that they share still kept by the service. One that fails leaves its files
    /// unseen, and the others as they are.
    async fn read_parts(
        &mut self,
        material: &Material,
        grouped: GroupedChange,
        (budget, target): (u32, PromptTarget),
    ) -> Result<ReadAnswer, SessionFailure> {
        let mut answers = Vec::new();
        let mut readings = Vec::new();
        let mut omitted: Vec<Lacking> = Vec::new();
        let mut failures: Vec<SessionFailure> = Vec::new();
        let mut failed_in_a_row = 0;
        let mut unread = Unread::default();
        for part in &grouped.parts {
            let of_part = material.for_part(part, &grouped.parts);
            let asked = match failed_in_a_row < MAX_FAILED_IN_A_ROW {
                true => Some(self.read_part(&of_part, (budget, target)).await),
                false => None,
            };
            let report = match asked {
                Some(Ok((answer, prompt))) => {
                    failed_in_a_row = 0;
                    add_new(&mut omitted, &prompt.omitted);
                    let report = answer.result.full_report.clone();
                    answers.push(answer);
                    Some(report)
                }
                Some(Err(failure)) if self.cancel.is_cancelled() => return Err(failure),
                Some(Err(failure)) => {
                    tracing::warn!(
                        part = part.number,
                        ?failure,
                        "a part of a change could not be read"
                    );
                    failed_in_a_row += 1;
                    failures.push(failure);
                    None
                }
                None => None,
            };
            if report.is_none() {
                self.add_unseen(paths_of(part), UnseenReason::ReadingFailed);
                unread.add(paths_of(part), part.tokens);
            }
            let paths = paths_of(part).collect();
            readings.push(PartReading { paths, report });
        }
        let Some(answer) = merge_answers(answers, material) else {
            let nothing = || SessionFailure::transient(UserError::new(ErrorCode::BudgetTooSmall));
            return Err(failures.into_iter().next().unwrap_or_else(nothing));
        };
        for (path, tokens) in &grouped.left {
            unread.add([path.clone()].into_iter(), *tokens);
        }
        self.add_unseen(grouped.left.into_keys(), UnseenReason::NoRoom);
        let left_out = left_out_of(&omitted, material.delta.is_some());
        let left_out = match (left_out, unread.left_out()) {
            (Some(left), unread) => Some(left.and(unread.as_ref())),
            (None, unread) => unread,
        };
        self.account().left_out = left_out;
        add_omitted_files(&mut self.unseen, &omitted);
        Ok(ReadAnswer {
            answer,
            parts: readings,
        })
    }

    /// Asks for one part; once more with half of it where the model cannot read as much.
    async fn read_part(
        &mut self,
        material: &Material,
        (budget, target): (u32, PromptTarget),
    ) -> Result<(ReviewerAnswer, Prompt), SessionFailure> {
        let compose = |budget| {
            let prompt = review_prompt(material, budget, &count_tokens, target);
            prompt.map_err(SessionFailure::permanent)
        };
        let prompt = compose(budget)?;
        match self.ask_for_review(&prompt, material).await {
            Ok(answer) => Ok((answer, prompt)),
            Err(failure) if is_prompt_too_long(&failure) => {
                let prompt = compose(prompt.tokens.min(budget) / 2).map_err(|_| failure)?;
                let answer = self.ask_for_review(&prompt, material).await?;
                Ok((answer, prompt))
            }
            Err(failure) => Err(failure),
        }
    }

    fn add_unseen(&mut self, paths: impl Iterator<Item = String>, reason: UnseenReason) {
        for path in paths {
            if !self.unseen.iter().any(|file| file.path == path) {
                self.unseen.push(UnseenFile { path, reason });
            }
        }
    }

    /// Holds an answer against the code. Where it came in parts, one more call says which findings are one, and writes the report; without
    /// it the review stands as it is.
    pub(super) async fn filter_and_join(
        &mut self,
        read: ReadAnswer,
        material: &Material,
    ) -> Result<FilteredReview, SessionFailure> {
        let mut filtered = filter_findings(read.answer, material);
        let answered = read.parts.iter().filter(|part| part.report.is_some());
        if answered.count() < 2 {
            return Ok(filtered);
        }
        match self.join(&read.parts, &filtered, material).await {
            Ok(joined) => self.apply_joined(joined, &mut filtered, material.comment_threshold),
            Err(failure) if self.cancel.is_cancelled() => return Err(failure),
            Err(failure) => tracing::warn!(
                ?failure,
                "what came of the parts of a change could not be joined"
            ),
        }
        Ok(filtered)
    }

    async fn join(
        &mut self,
        parts: &[PartReading],
        filtered: &FilteredReview,
        material: &Material,
    ) -> Result<JoinedReadings, SessionFailure> {
        let (budget, target) = self.budget();
        let findings = &filtered.result.findings;
        let prompt = join_prompt(material, parts, findings, budget, &count_tokens, target);
        let prompt = prompt.map_err(SessionFailure::permanent)?;
        let read = |value: &Value| parse_join(value, findings);
        let schema = ("joined_review", join_schema());
        self.run_prompt(&prompt, schema, "duplicates", read).await
    }

    fn apply_joined(
        &self,
        joined: JoinedReadings,
        filtered: &mut FilteredReview,
        comment_threshold: u16,
    ) {
        let result = &mut filtered.result;
        let before = result.findings.len();
        let is_duplicate = |id: &String| joined.duplicates.contains_key(id);
        result.findings.retain(|finding| !is_duplicate(&finding.id));
        filtered.covered.retain(|id, _| !is_duplicate(id));
        filtered.positions.retain(|id, _| !is_duplicate(id));
        filtered.replacements.retain(|id, _| !is_duplicate(id));
        self.account().dropped += saturating_u32(before - result.findings.len());
        result.full_report = joined.report;
        recount(result, comment_threshold);
    }
}

/// What no reading has shown.
#[derive(Default)]
struct Unread(LeftOut);

impl Unread {
    fn add(&mut self, paths: impl Iterator<Item = String>, tokens: u32) {
        self.0.parts += 1;
        self.0.tokens += u64::from(tokens);
        self.0.files.extend(paths);
    }

    fn left_out(self) -> Option<LeftOut> {
        let Self(mut left) = self;
        left.files.sort();
        left.files.dedup();
        (left.parts > 0).then_some(left)
    }
}

/// The parts to read a change in; none where a prompt shows all of its lines, or nothing is gained.
fn parts_needed(
    prompt: &Prompt,
    material: &Material,
    (budget, target): (u32, PromptTarget),
) -> Option<GroupedChange> {
    let is_hunk = |lacking: &Lacking| matches!(lacking.part, PromptPart::Hunk { .. });
    if !prompt.omitted.iter().any(is_hunk) {
        return None;
    }
    let grouped = group_changes(material, budget, &count_tokens, target);
    (grouped.parts.len() > 1).then_some(grouped)
}

fn paths_of(part: &ReviewPart) -> impl Iterator<Item = String> + '_ {
    part.files.iter().map(|file| file.path.clone())
}

/// What all parts lack is lacking once.
fn add_new(all: &mut Vec<Lacking>, more: &[Lacking]) {
    for lacking in more {
        if !all.iter().any(|known| known.part == lacking.part) {
            all.push(lacking.clone());
        }
    }
}
