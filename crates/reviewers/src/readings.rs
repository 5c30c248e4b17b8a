//! Reads a change: at once where it fits, else in parts that are joined (§4.4).

use super::observer::saturating_u32;
use super::review::{ReviewSession, add_omitted_files, left_out_of};
use crate::prompt_size::{ShrinkingBudget, compose_prompt};
use collie_agents::llm::count_tokens;
use collie_agents::prompting::{
    FilteredReview, GroupedChange, JoinedReadings, Material, OmittedPart as Lacking, PartReading,
    Prompt, PromptPart, PromptTarget, ReviewPart, ReviewerAnswer, filter_findings, group_changes,
    join_prompt, join_schema, merge_answers, misquotes, parse_join, parse_review, recount,
    review_prompt, review_schema,
};
use collie_core::coverage::{UnseenFile, UnseenReason};
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::ids::Fingerprint;
use collie_core::session::LeftOut;
use collie_core::user_error::UserError;
use futures::future::join_all;
use serde_json::Value;
use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::sleep_until;

/// Where so many readings failed and none has succeeded, the next would fail too.
const MAX_FAILED_AT_FIRST: usize = 2;
/// Readings of a model at a time. An agent's are one at a time: all of them work in one checkout.
const READINGS_AT_A_TIME: usize = 3;
/// After so long no reading is begun any more: the engine gives a review a quarter of an hour in all, and what was read by then is to count.
const LATEST_BEGIN: Duration = Duration::from_secs(8 * 60);

/// What came of asking for one part.
type PartOutcome = Result<(ReviewerAnswer, Prompt), SessionFailure>;

/// A change as it was read.
pub(super) struct ReadAnswer {
    pub(super) answer: ReviewerAnswer,
    /// What came of each part; empty where the change was read at once.
    pub(super) parts: Vec<PartReading>,
    /// Earlier findings that it was not asked about, since the reading that would have asked failed.
    pub(super) not_rechecked: BTreeSet<Fingerprint>,
}

impl ReviewSession<'_> {
    /// Asks for a review of the change; in parts where a prompt does not hold it, or the model does not read so long a one.
    pub(super) async fn read_change(
        &mut self,
        material: &Material,
    ) -> Result<ReadAnswer, SessionFailure> {
        let (budget, target) = self.budget();
        let compose = |budget| {
            compose_prompt(budget, |count| {
                review_prompt(material, budget, count, target)
            })
        };
        let mut size = ShrinkingBudget::of(budget);
        let mut prompt = compose(budget).map_err(SessionFailure::permanent)?;
        loop {
            let budget = (size.tokens, target);
            if let Some(grouped) = parts_needed(&prompt, material, budget) {
                return self.read_parts(material, grouped, budget).await;
            }
            let failure = match self.ask_for_review(&prompt, material).await {
                Ok(answer) => return Ok(self.read_at_once(answer, &prompt, material)),
                Err(failure) => failure,
            };
            // Where even the task does not fit, what the service said is what is wrong.
            let Some(Ok(shorter)) = size.halve(&failure, &prompt).map(&compose) else {
                return Err(failure);
            };
            prompt = shorter;
        }
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
            not_rechecked: BTreeSet::new(),
        }
    }

    async fn ask_for_review(
        &self,
        prompt: &Prompt,
        material: &Material,
    ) -> Result<ReviewerAnswer, SessionFailure> {
        let now = self.request.now;
        // What only lacks its claim, or a quote that stands, is asked for once. Where nothing better comes it counts as it is: the second look
        // judges the one, and the other is unsure.
        let lacking_answer = Mutex::new(None);
        let lacking_answer_so_far = || {
            lacking_answer
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let read = |value: &Value| {
            let answer = parse_review(value, material, now)?;
            let mut lacking = answer.lacking.clone();
            lacking.extend(misquotes(&answer, material));
            let mut before = lacking_answer_so_far();
            if lacking.is_empty() || before.is_some() {
                return Ok(answer);
            }
            *before = Some(answer);
            Err(lacking)
        };
        let schema = ("review", review_schema());
        match self.run_prompt(prompt, schema, "findings", read).await {
            Err(failure) if has_wrong_shape(&failure) => {
                let usable = lacking_answer_so_far().take();
                usable.ok_or(failure)
            }
            other => other,
        }
    }

    /// Reads all parts: the first alone, so that the others find the beginning that they share kept by the service, then some at a time. One
    /// that fails leaves its files unseen, and the others as they are.
    async fn read_parts(
        &mut self,
        material: &Material,
        grouped: GroupedChange,
        (budget, target): (u32, PromptTarget),
    ) -> Result<ReadAnswer, SessionFailure> {
        let parts = &grouped.parts;
        let mut outcomes: Vec<PartOutcome> = Vec::new();
        let mut asked_again = 0;
        loop {
            let read: Vec<bool> = outcomes.iter().map(Result::is_ok).collect();
            let left = &parts[outcomes.len()..];
            let wave = next_wave(&read, left.len(), (target, self.started.elapsed()));
            if wave == 0 && asked_again == outcomes.len() {
                break;
            }
            let mut asked = Vec::with_capacity(wave);
            for part in &left[..wave] {
                asked.push(self.read_part(material.for_part(part, parts), (budget, target)));
            }
            outcomes.extend(join_all(asked).await);
            if wave == 0 {
                // Where that helps, the parts that are left are read too.
                let failed = parts.iter().zip(&mut outcomes).skip(asked_again);
                for (part, outcome) in failed {
                    let part = material.for_part(part, parts);
                    self.read_again(part, outcome, (budget, target)).await;
                }
                asked_again = outcomes.len();
            }
            if self.cancel.is_cancelled() {
                let failure = outcomes.into_iter().find_map(Result::err);
                return Err(failure.unwrap_or_else(nothing_read));
            }
        }
        self.gather_parts(material, grouped, outcomes)
    }

    /// Asks for a part once more whose reading failed by what may pass. Money that lacks, or what the service does not take, would lack again.
    async fn read_again(
        &self,
        part: Material,
        outcome: &mut PartOutcome,
        how: (u32, PromptTarget),
    ) {
        let may_pass = matches!(outcome, Err(SessionFailure::Transient { .. }));
        if !may_pass || self.started.elapsed() > LATEST_BEGIN || self.cancel.is_cancelled() {
            return;
        }
        let mut asking = pin!(self.read_part(part, how));
        tokio::select! {
            biased;
            again = &mut asking => *outcome = again,
            // What the others found would be lost with the session's time.
            () = sleep_until(self.asking_ends) => {
                self.stop.cancel();
                if let Ok(again) = asking.await {
                    *outcome = Ok(again);
                }
            }
        }
    }

    /// Puts together what came of the parts; those without an outcome were not begun.
    fn gather_parts(
        &mut self,
        material: &Material,
        grouped: GroupedChange,
        outcomes: Vec<PartOutcome>,
    ) -> Result<ReadAnswer, SessionFailure> {
        let (mut answers, mut readings) = (Vec::new(), Vec::new());
        let mut omitted: Vec<Lacking> = Vec::new();
        let (mut unread, mut failure) = (Unread::default(), None);
        let mut not_rechecked = BTreeSet::new();
        let mut outcomes = outcomes.into_iter();
        for part in &grouped.parts {
            let report = match outcomes.next() {
                Some(Ok((answer, prompt))) => {
                    add_new(&mut omitted, &prompt.omitted);
                    let report = answer.result.full_report.clone();
                    answers.push(answer);
                    Some(report)
                }
                failed => {
                    let number = part.number;
                    tracing::warn!(number, ?failed, "a part of a change was not read");
                    failure = failure.or(failed.and_then(Result::err));
                    self.add_unseen(paths_of(part), UnseenReason::ReadingFailed);
                    let asked = material.earlier_findings_of_part(part, &grouped.parts);
                    not_rechecked.extend(asked.map(|known| known.fingerprint.clone()));
                    None
                }
            };
            let paths = paths_of(part).collect();
            readings.push(PartReading { paths, report });
        }
        if let Some(SessionFailure::OverBudget { .. }) = failure {
            // Nobody would be told that it is money that lacks if these files were only said to be unread.
            return Err(failure.unwrap_or_else(nothing_read));
        }
        let Some(answer) = merge_answers(answers, material) else {
            return Err(failure.unwrap_or_else(nothing_read));
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
            not_rechecked,
        })
    }

    /// Asks for one part; with half of it, some times, where the model cannot read as much.
    async fn read_part(
        &self,
        material: Material,
        (budget, target): (u32, PromptTarget),
    ) -> Result<(ReviewerAnswer, Prompt), SessionFailure> {
        let compose = |budget| review_prompt(&material, budget, &count_tokens, target);
        let mut size = ShrinkingBudget::of(budget);
        let mut prompt = compose(budget).map_err(SessionFailure::permanent)?;
        loop {
            let failure = match self.ask_for_review(&prompt, &material).await {
                Ok(answer) => return Ok((answer, prompt)),
                Err(failure) => failure,
            };
            let Some(Ok(shorter)) = size.halve(&failure, &prompt).map(compose) else {
                return Err(failure);
            };
            prompt = shorter;
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
        let read = |value: &Value| parse_join(value, findings, material.comment_threshold);
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

/// How many of the parts that are left to ask for at once, by which of those before were read; 0 to end.
fn next_wave(read: &[bool], left: usize, (target, elapsed): (PromptTarget, Duration)) -> usize {
    let succeeded = read.contains(&true);
    let in_vain = !succeeded && read.len() >= MAX_FAILED_AT_FIRST;
    if in_vain || (elapsed > LATEST_BEGIN && !read.is_empty()) {
        return 0;
    }
    let at_a_time = match (target, succeeded) {
        (PromptTarget::Model, true) => READINGS_AT_A_TIME,
        (PromptTarget::Agent, _) | (PromptTarget::Model, false) => 1,
    };
    left.min(at_a_time)
}

/// Whether the answers were there, and not of the form that was asked for.
fn has_wrong_shape(failure: &SessionFailure) -> bool {
    match failure {
        SessionFailure::Transient { error } | SessionFailure::Permanent { error } => {
            matches!(
                error.code,
                ErrorCode::LlmSchemaMismatch | ErrorCode::AgentShape
            )
        }
        SessionFailure::Outage { .. }
        | SessionFailure::NoSandbox { .. }
        | SessionFailure::OverBudget { .. }
        | SessionFailure::HeadMismatch { .. } => false,
    }
}

/// No part was asked for.
fn nothing_read() -> SessionFailure {
    SessionFailure::transient(UserError::new(ErrorCode::Cancelled))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_part_is_read_alone_and_the_others_some_at_a_time() {
        let (model, agent) = (PromptTarget::Model, PromptTarget::Agent);
        let early = Duration::from_secs(60);
        let late = LATEST_BEGIN + Duration::from_secs(1);
        for (read, left, how, expect) in [
            (&[][..], 5, (model, early), 1),
            (&[true], 4, (model, early), 3),
            (&[true, true, false, true], 2, (model, early), 2),
            (&[true], 4, (agent, early), 1),
            // One that failed first may be alone in it; two are not.
            (&[false], 4, (model, early), 1),
            (&[false, true], 4, (model, early), 3),
            (&[false, false], 4, (model, early), 0),
            // What was read counts, what comes too late would take it along.
            (&[true], 4, (model, late), 0),
            (&[], 4, (model, late), 1),
            (&[true], 0, (model, early), 0),
        ] {
            assert_eq!(next_wave(read, left, how), expect, "{read:?} {left}");
        }
    }
}
