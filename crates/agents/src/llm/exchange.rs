//! Asking: attempts, pauses, deadline, cancel, and the count of what it all spent.

use super::breakers::Breakers;
use super::failure::{ErrorContext, FailedCompletion, LlmFailure};
use super::model::Model;
use super::output_limit::default_max_tokens;
use super::refusals::Refusals;
use super::response_schema::ResponseSchema;
use super::spending_gate::{RequestBound, SpendingGate};
use super::token_estimate::{approximate_tokens, surely_fits};
use super::tokens::{count_tokens, estimate_tokens};
use super::usage::{LlmUsage, TokenUsage};
use super::wire::{Adjustments, Answer, ChatCall, Completion, HttpClient, Message};
use backon::{BackoffBuilder, ExponentialBuilder};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// A question.
#[derive(Clone, Debug)]
pub struct LlmRequest {
    /// What the model is told to be and do, in blocks: what stays the same longest comes first.
    ///
    /// Each block ends a prefix that the provider may keep: Anthropic and GPT-5.6 and later get a mark there (four at most:
    /// the first three and the last), the others find a repeated beginning by themselves. So the bytes must repeat, too.
    pub system: Vec<String>,
    /// The question itself, in blocks that are joined by an empty line.
    pub user: Vec<String>,
    /// How many of the question's first blocks other requests of the same session begin with too; 0 for none. They end a prefix that the
    /// provider may keep, as the system blocks do, and take one of their marks.
    ///
    /// Anthropic takes a quarter more for what it keeps, and a tenth for what it finds again within minutes: a mark pays where one more
    /// request is sure to begin alike, and not for a repair or another attempt, which few requests come to.
    pub shared_user_blocks: usize,
    /// The shape that the answer is to have.
    pub response_schema: Option<ResponseSchema>,
    /// How long it may take, all attempts and pauses included.
    pub deadline: Duration,
    /// Who says before each request whether it may be made; none where nothing is limited.
    pub spending_gate: Option<Arc<dyn SpendingGate>>,
}

/// How far an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LlmProgress {
    /// The number of the request, from 1.
    pub attempt: u32,
    /// Characters of the answer so far.
    pub answer_chars: u64,
    /// Characters of thinking so far, where the service shows it.
    pub thinking_chars: u64,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlmAnswer {
    /// What the model said.
    pub text: String,
    /// What it took, failed attempts included.
    pub usage: LlmUsage,
    /// The model as the service names it, where it does: an alias is resolved, and a router says whom it asked.
    pub answered_by: Option<String>,
}

/// How patient asking is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How many requests are sent for one answer before giving up.
    pub max_attempts: u32,
    /// The pause after the first; it doubles, with some chance in it.
    pub first_delay: Duration,
    /// The longest pause. A service that asks for a longer one is not asked again.
    pub max_delay: Duration,
    /// How long a service may be silent before or within an answer.
    pub idle_timeout: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 4,
            first_delay: Duration::from_secs(1),
            max_delay: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(300),
        }
    }
}

/// Connections to language models. Cheap to clone; a clone shares them.
#[derive(Clone, Debug)]
pub struct Llm {
    pub(super) http_client: HttpClient,
    pub(super) breakers: Breakers,
    refusals: Refusals,
    retry_policy: RetryPolicy,
}

impl Default for Llm {
    fn default() -> Self {
        Self::new(RetryPolicy::default())
    }
}

impl Llm {
    /// Asks at this pace. Nothing is connected yet.
    pub fn new(retry_policy: RetryPolicy) -> Self {
        Self {
            http_client: HttpClient::new(retry_policy.idle_timeout),
            breakers: Breakers::default(),
            refusals: Refusals::default(),
            retry_policy,
        }
    }

    /// Asks, and gives the whole answer. `progress` hears of every piece of it as it comes.
    ///
    /// Fails with the last failure when no attempt went well, and with what all of them spent.
    pub async fn complete(
        &self,
        model: &Model,
        request: &LlmRequest,
        on_progress: &(dyn Fn(LlmProgress) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<LlmAnswer, FailedCompletion> {
        let exchange = LlmExchange::new(self, model, request, on_progress);
        let messages = initial_messages(request);
        let text = exchange
            .run_until_deadline(cancel, exchange.send_with_retries(&messages))
            .await?;
        Ok(exchange.answer(text))
    }
}

/// The question as the provider gets it.
pub(super) fn initial_messages(request: &LlmRequest) -> Vec<Message> {
    let shared = request.shared_user_blocks.min(request.user.len());
    let (shared, own) = request.user.split_at(shared);
    let marks = MAX_CACHE_MARKS - usize::from(!shared.is_empty());
    let last = request.system.len().saturating_sub(1);
    let system = request
        .system
        .iter()
        .enumerate()
        .map(|(at, text)| Message::System {
            text: text.clone(),
            cache_prefix: at < marks - 1 || at == last,
        });
    let shared = (!shared.is_empty()).then(|| Message::SharedUser(shared.join("\n\n")));
    let user = Message::User(own.join("\n\n"));
    system.chain(shared).chain([user]).collect()
}

/// How many ends of prefixes Anthropic lets one mark.
const MAX_CACHE_MARKS: usize = 4;

/// One question to one model, with its repair if there is one.
pub(super) struct LlmExchange<'a> {
    llm: &'a Llm,
    model: &'a Model,
    request: &'a LlmRequest,
    error_context: ErrorContext,
    on_progress: &'a (dyn Fn(LlmProgress) + Send + Sync),
    answered_by: Mutex<Option<String>>,
    /// The last entry is a guess while its request is under way.
    usage: Mutex<LlmUsage>,
    /// What was learnt of the service so far, by this question and those before; it holds for the repair too.
    adjustments: Mutex<Adjustments>,
}

impl<'a> LlmExchange<'a> {
    pub(super) fn new(
        llm: &'a Llm,
        model: &'a Model,
        request: &'a LlmRequest,
        on_progress: &'a (dyn Fn(LlmProgress) + Send + Sync),
    ) -> Self {
        Self {
            llm,
            model,
            request,
            error_context: ErrorContext::of(model),
            on_progress,
            answered_by: Mutex::default(),
            usage: Mutex::default(),
            adjustments: Mutex::new(llm.refusals.adjustments(
                model,
                request.response_schema.as_ref(),
                Instant::now(),
            )),
        }
    }

    /// Provider, name and host.
    pub(super) fn model(&self) -> String {
        self.error_context.model_label.clone()
    }

    /// Makes an answer of it, with the bill.
    pub(super) fn answer(&self, text: String) -> LlmAnswer {
        let usage = self.usage().clone();
        let answered_by = self.answered_by().clone();
        LlmAnswer {
            text,
            usage,
            answered_by,
        }
    }

    /// Does the work until the deadline or the cancel, and adds the bill to a failure.
    pub(super) async fn run_until_deadline<T>(
        &self,
        cancel: &CancellationToken,
        request_future: impl Future<Output = Result<T, LlmFailure>>,
    ) -> Result<T, FailedCompletion> {
        let model = self.model();
        let after = self.request.deadline;
        let outcome = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(LlmFailure::Cancelled { model }),
            done = tokio::time::timeout(after, request_future) => {
                done.unwrap_or(Err(LlmFailure::DeadlineExceeded { model, after }))
            }
        };
        outcome.map_err(|failure| {
            let usage = self.usage().clone();
            FailedCompletion { failure, usage }
        })
    }

    /// Sends these turns until there is an answer, or none to be had.
    pub(super) async fn send_with_retries(
        &self,
        messages: &[Message],
    ) -> Result<String, LlmFailure> {
        self.check_key()?;
        let retry_policy = &self.llm.retry_policy;
        let mut delays = ExponentialBuilder::new()
            .with_jitter()
            .with_min_delay(retry_policy.first_delay)
            .with_max_delay(retry_policy.max_delay)
            .with_max_times(retry_policy.max_attempts.saturating_sub(1) as usize)
            .build();
        let mut cut_short: Option<LlmFailure> = None;
        loop {
            let (failure, retry_after) = match self.send_once(messages).await {
                Completion::Answer(answer) => {
                    *self.answered_by() = answer.answered_by;
                    self.keep_refusals();
                    return Ok(answer.text);
                }
                Completion::SchemaRejected => {
                    self.adjustments().schema_is_supported = false;
                    continue;
                }
                Completion::MaxTokensRenamed => {
                    self.adjustments().max_completion_tokens = true;
                    continue;
                }
                Completion::Failed {
                    failure,
                    retry_after: wait,
                    ..
                } => (failure, wait),
            };
            if !failure.is_retryable() {
                if cut_short.is_none() && self.raise_max_tokens(&failure) {
                    cut_short = Some(failure);
                    continue;
                }
                return Err(cut_short_or(cut_short, failure));
            }
            let delay = match (delays.next(), retry_after) {
                (None, _) => return Err(failure),
                (Some(_), Some(wait)) if wait > retry_policy.max_delay => return Err(failure),
                (Some(delay), wait) => delay.max(wait.unwrap_or_default()),
            };
            tokio::time::sleep(delay).await;
        }
    }

    /// Keeps for questions to come what this one was answered without. What led to no answer was perhaps not what was refused.
    fn keep_refusals(&self) {
        let schema = self.request.response_schema.as_ref();
        let adjusted = *self.adjustments();
        let refusals = &self.llm.refusals;
        refusals.keep(self.model, schema, adjusted, Instant::now());
    }

    /// Doubles the longest answer after one that was cut; false where that is no help.
    fn raise_max_tokens(&self, failure: &LlmFailure) -> bool {
        let LlmFailure::MaxTokensReached {
            max_tokens: Some(limit),
            ..
        } = failure
        else {
            return false;
        };
        // What was raised for the question holds for its repair, and is not raised again.
        let own_limit = self.model.max_tokens == Some(*limit);
        let raised = limit.saturating_mul(2).min(MAX_RAISED_TOKENS);
        if !own_limit || raised <= *limit {
            return false;
        }
        self.adjustments().max_tokens = Some(raised);
        true
    }

    fn check_key(&self) -> Result<(), LlmFailure> {
        let has_key = self.model.key.is_some() || self.model.login.is_some();
        if !has_key && self.model.provider.needs_key() {
            return Err(LlmFailure::NoKey {
                model: self.model(),
                variables: self.model.provider.key_variables().join(" or "),
            });
        }
        Ok(())
    }

    /// One request.
    async fn send_once(&self, messages: &[Message]) -> Completion {
        let prompt_bytes = messages.iter().map(|turn| turn.text().len()).sum::<usize>();
        if let Err(failure) = self.reserve(prompt_bytes).await {
            return Completion::Failed {
                failure,
                retry_after: None,
                usage: None,
            };
        }
        let attempt = {
            let mut usage = self.usage();
            usage.requests.push(TokenUsage::default());
            u32::try_from(usage.requests.len()).unwrap_or(u32::MAX)
        };
        let call = ChatCall {
            model: self.model,
            error_context: &self.error_context,
            messages,
            response_schema: self.request.response_schema.as_ref(),
            adjustments: *self.adjustments(),
        };
        let on_chunk = |written: u64, thought: u64| {
            self.set_current_usage(TokenUsage {
                input_tokens: estimate_tokens(prompt_bytes).into(),
                output_tokens: (written + thought).div_ceil(CHARS_PER_TOKEN),
                estimated: true,
                ..TokenUsage::default()
            });
            (self.on_progress)(LlmProgress {
                attempt,
                answer_chars: written,
                thinking_chars: thought,
            });
        };
        let completion = self.llm.http_client.send(&call, &on_chunk).await;
        let completion = self.reject_cut_prompt(messages, completion);
        match completion {
            Completion::Answer(Answer {
                usage: Some(spent), ..
            })
            | Completion::Failed {
                usage: Some(spent), ..
            } => self.set_current_usage(spent),
            Completion::Answer(_)
            | Completion::Failed { .. }
            | Completion::SchemaRejected
            | Completion::MaxTokensRenamed => {}
        }
        if let Some(gate) = &self.request.spending_gate {
            let spent = self.usage().requests.last().copied().unwrap_or_default();
            gate.settle(self.model, &spent);
        }
        completion
    }

    /// Sets aside what the next request may come to.
    async fn reserve(&self, prompt_bytes: usize) -> Result<(), LlmFailure> {
        let Some(gate) = &self.request.spending_gate else {
            return Ok(());
        };
        let own_limit = || default_max_tokens(&self.model.name, self.model.effort);
        let bound = RequestBound {
            input_tokens: (prompt_bytes as u64).div_ceil(2),
            output_tokens: self
                .adjustments()
                .max_tokens
                .unwrap_or_else(own_limit)
                .into(),
        };
        gate.reserve(self.model, bound)
            .await
            .map_err(|exceeded| LlmFailure::OverBudget {
                model: self.model(),
                exceeded: Box::new(exceeded),
            })
    }

    /// Makes a failure of an answer for which the service read far less than was sent: some cut a question in silence.
    fn reject_cut_prompt(&self, messages: &[Message], completion: Completion) -> Completion {
        // An answer that was cut for want of room says nothing of the question; where both were cut, the question is what is wrong.
        let (Completion::Answer(Answer {
            usage: Some(usage), ..
        })
        | Completion::Failed {
            failure: LlmFailure::MaxTokensReached { .. },
            usage: Some(usage),
            ..
        }) = completion
        else {
            return completion;
        };
        // Some services do not count what they had kept among the input.
        let kept = usage.cached_input_tokens + usage.stored_input_tokens;
        let read = usage.input_tokens.max(kept);
        let bytes: usize = messages.iter().map(|turn| turn.text().len()).sum();
        // No token is shorter than a byte, so that a short question need not be counted.
        if read == 0 || (bytes as u64) < MIN_CHECKED_TOKENS {
            return completion;
        }
        // The vocabulary is read only where it may decide.
        let near = |turn: &Message| u64::from(approximate_tokens(turn.text()));
        let near: u64 = messages.iter().map(near).sum();
        if surely_fits(near * MIN_READ_PERCENT, read * 100) {
            return completion;
        }
        let count = |turn: &Message| u64::from(count_tokens(turn.text()));
        let sent: u64 = messages.iter().map(count).sum();
        if sent < MIN_CHECKED_TOKENS || read * 100 >= sent * MIN_READ_PERCENT {
            return completion;
        }
        let model = self.model();
        Completion::Failed {
            failure: LlmFailure::PromptCut { model, read, sent },
            retry_after: None,
            usage: Some(usage),
        }
    }

    /// Writes down what the request under way has spent.
    fn set_current_usage(&self, usage: TokenUsage) {
        if let Some(last) = self.usage().requests.last_mut() {
            *last = usage;
        }
    }

    fn adjustments(&self) -> MutexGuard<'_, Adjustments> {
        self.adjustments
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn answered_by(&self) -> MutexGuard<'_, Option<String>> {
        self.answered_by
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn usage(&self) -> MutexGuard<'_, LlmUsage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A service that takes no larger limit, or not with this question, leaves the cut answer as what went wrong.
fn cut_short_or(cut_short: Option<LlmFailure>, failure: LlmFailure) -> LlmFailure {
    match (cut_short, &failure) {
        (Some(cut), LlmFailure::RequestRejected { .. } | LlmFailure::ContextTooLong { .. }) => cut,
        (_, _) => failure,
    }
}

/// The largest limit that is tried where the one that was set does not hold an answer; the setting ends there too.
const MAX_RAISED_TOKENS: u32 = 200_000;

/// Vocabularies differ by a third; a model that read less than this of a question was not given the whole.
const MIN_READ_PERCENT: u64 = 60;

/// Shorter questions fit every service's context.
const MIN_CHECKED_TOKENS: u64 = 4_000;

/// Of text and code alike, about.
const CHARS_PER_TOKEN: u64 = 4;
