//! Asking: attempts, pauses, deadline, cancel, and the count of what it all spent.

use super::failure::{Failed, LlmFailure, Place};
use super::model::Model;
use super::tokens::guess_tokens;
use super::wire::{Call, Line, Said, Turn};
use backon::{BackoffBuilder, ExponentialBuilder};
use serde_json::Value;
use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A question.
#[derive(Clone, Debug)]
pub struct Ask {
    /// What the model is told to be and do, in blocks: what stays the same longest comes first.
    ///
    /// Each block ends a prefix that the provider may keep: Anthropic and GPT-5.6 and later get a mark there (four at most:
    /// the first three and the last), the others find a repeated beginning by themselves. So the bytes must repeat, too.
    pub system: Vec<String>,
    /// The question itself, in blocks that are joined by an empty line.
    pub user: Vec<String>,
    /// The shape that the answer is to have.
    pub shape: Option<Shape>,
    /// How long it may take, all attempts and pauses included.
    pub deadline: Duration,
}

/// The shape of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// A JSON schema of an object. OpenAI makes every property of it a required one; so what may be missing should also
    /// be allowed to be null.
    pub schema: Value,
}

/// How far an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of the request, from 1.
    pub attempt: u32,
    /// Characters of the answer so far.
    pub written: u64,
    /// Characters of thinking so far, where the service shows it.
    pub thought: u64,
}

/// Tokens of a request, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// All of the question, cached or not.
    pub input_tokens: u64,
    /// The part of it that the service had kept from an earlier request.
    pub cached_input_tokens: u64,
    /// The part of it that the service kept for later ones; some charge for that.
    pub stored_input_tokens: u64,
    /// The answer, thinking included.
    pub output_tokens: u64,
    /// Some of it is a guess from the length of the texts: the service said nothing, or was not heard to the end.
    pub guessed: bool,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, more: Self) {
        self.input_tokens += more.input_tokens;
        self.cached_input_tokens += more.cached_input_tokens;
        self.stored_input_tokens += more.stored_input_tokens;
        self.output_tokens += more.output_tokens;
        self.guessed |= more.guessed;
    }
}

/// What each request spent, in the order sent: prices depend on the size of the single request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bill {
    /// One entry a request, also for those that failed.
    pub requests: Vec<Spent>,
}

impl Bill {
    /// All of it together.
    pub fn total(&self) -> Spent {
        let mut total = Spent::default();
        for spent in &self.requests {
            total += *spent;
        }
        total
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What the model said.
    pub text: String,
    /// What it took, failed attempts included.
    pub bill: Bill,
}

/// How patient asking is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How many requests are sent for one answer before giving up.
    pub attempts: u32,
    /// The pause after the first; it doubles, with some chance in it.
    pub first_pause: Duration,
    /// The longest pause. A service that asks for a longer one is not asked again.
    pub longest_pause: Duration,
    /// How long a service may be silent before or within an answer.
    pub silence: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            attempts: 4,
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(60),
            silence: Duration::from_secs(300),
        }
    }
}

/// Connections to language models. Cheap to clone; a clone shares them.
#[derive(Clone, Debug)]
pub struct Llm {
    line: Line,
    pace: Pace,
}

impl Default for Llm {
    fn default() -> Self {
        Self::new(Pace::default())
    }
}

impl Llm {
    /// Asks at this pace. Nothing is connected yet.
    pub fn new(pace: Pace) -> Self {
        Self {
            line: Line::open(pace.silence),
            pace,
        }
    }

    /// Asks, and gives the whole answer. `progress` hears of every piece of it as it comes.
    ///
    /// Fails with the last failure when no attempt went well, and with what all of them spent.
    pub async fn ask(
        &self,
        model: &Model,
        ask: &Ask,
        progress: &(dyn Fn(Progress) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Answer, Failed> {
        let session = Session::new(self, model, ask, progress);
        let turns = first_turns(ask);
        let text = session.within(cancel, session.converse(&turns)).await?;
        Ok(session.answer(text))
    }
}

/// The question as the provider gets it.
pub(super) fn first_turns(ask: &Ask) -> Vec<Turn> {
    let last = ask.system.len().saturating_sub(1);
    let system = ask
        .system
        .iter()
        .enumerate()
        .map(|(at, text)| Turn::System {
            text: text.clone(),
            keep: at < MOST_KEPT - 1 || at == last,
        });
    let user = Turn::User(ask.user.join("\n\n"));
    system.chain([user]).collect()
}

/// How many ends of prefixes Anthropic lets one mark.
const MOST_KEPT: usize = 4;

/// One question to one model, with its repair if there is one.
pub(super) struct Session<'a> {
    llm: &'a Llm,
    model: &'a Model,
    ask: &'a Ask,
    place: Place,
    progress: &'a (dyn Fn(Progress) + Send + Sync),
    /// The last entry is a guess while its request is under way.
    bill: Mutex<Bill>,
    /// The service did not say yet that it takes no shapes.
    shape_is_taken: AtomicBool,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        llm: &'a Llm,
        model: &'a Model,
        ask: &'a Ask,
        progress: &'a (dyn Fn(Progress) + Send + Sync),
    ) -> Self {
        Self {
            llm,
            model,
            ask,
            place: Place::of(model),
            progress,
            bill: Mutex::default(),
            shape_is_taken: AtomicBool::new(true),
        }
    }

    /// Provider, name and host.
    pub(super) fn model(&self) -> String {
        self.place.model.clone()
    }

    /// Makes an answer of it, with the bill.
    pub(super) fn answer(&self, text: String) -> Answer {
        let bill = self.bill().clone();
        Answer { text, bill }
    }

    /// Does the work until the deadline or the cancel, and adds the bill to a failure.
    pub(super) async fn within<T>(
        &self,
        cancel: &CancellationToken,
        work: impl Future<Output = Result<T, LlmFailure>>,
    ) -> Result<T, Failed> {
        let model = self.model();
        let after = self.ask.deadline;
        let outcome = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(LlmFailure::Cancelled { model }),
            done = tokio::time::timeout(after, work) => {
                done.unwrap_or(Err(LlmFailure::Deadline { model, after }))
            }
        };
        outcome.map_err(|failure| {
            let bill = self.bill().clone();
            Failed { failure, bill }
        })
    }

    /// Sends these turns until there is an answer, or none to be had.
    pub(super) async fn converse(&self, turns: &[Turn]) -> Result<String, LlmFailure> {
        self.check_key()?;
        let pace = &self.llm.pace;
        let mut pauses = ExponentialBuilder::new()
            .with_jitter()
            .with_min_delay(pace.first_pause)
            .with_max_delay(pace.longest_pause)
            .with_max_times(pace.attempts.saturating_sub(1) as usize)
            .build();
        loop {
            let (failure, wait) = match self.attempt(turns).await {
                Said::Answer { text, .. } => return Ok(text),
                Said::ShapeRefused => {
                    self.shape_is_taken.store(false, Ordering::Relaxed);
                    continue;
                }
                Said::Failed { failure, wait, .. } => (failure, wait),
            };
            if !failure.is_worth_repeating() {
                return Err(failure);
            }
            let pause = match (pauses.next(), wait) {
                (None, _) => return Err(failure),
                (Some(_), Some(wait)) if wait > pace.longest_pause => return Err(failure),
                (Some(pause), wait) => pause.max(wait.unwrap_or_default()),
            };
            tokio::time::sleep(pause).await;
        }
    }

    fn check_key(&self) -> Result<(), LlmFailure> {
        if self.model.key.is_none() && self.model.provider.needs_key() {
            return Err(LlmFailure::NoKey {
                model: self.model(),
                variables: self.model.provider.key_variables().join(" or "),
            });
        }
        Ok(())
    }

    /// One request.
    async fn attempt(&self, turns: &[Turn]) -> Said {
        let attempt = {
            let mut bill = self.bill();
            bill.requests.push(Spent::default());
            u32::try_from(bill.requests.len()).unwrap_or(u32::MAX)
        };
        let call = Call {
            model: self.model,
            place: &self.place,
            turns,
            shape: self.ask.shape.as_ref(),
            shape_is_taken: self.shape_is_taken.load(Ordering::Relaxed),
        };
        let asked = turns.iter().map(|turn| turn.text().len()).sum::<usize>();
        let hear = |written: u64, thought: u64| {
            self.put(Spent {
                input_tokens: guess_tokens(asked).into(),
                output_tokens: (written + thought).div_ceil(CHARACTERS_A_TOKEN),
                guessed: true,
                ..Spent::default()
            });
            (self.progress)(Progress {
                attempt,
                written,
                thought,
            });
        };
        let said = self.llm.line.call(&call, &hear).await;
        match said {
            Said::Answer {
                spent: Some(spent), ..
            }
            | Said::Failed {
                spent: Some(spent), ..
            } => self.put(spent),
            Said::Answer { .. } | Said::Failed { .. } | Said::ShapeRefused => {}
        }
        said
    }

    /// Writes down what the request under way has spent.
    fn put(&self, spent: Spent) {
        if let Some(last) = self.bill().requests.last_mut() {
            *last = spent;
        }
    }

    fn bill(&self) -> MutexGuard<'_, Bill> {
        self.bill.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Of text and code alike, about.
const CHARACTERS_A_TOKEN: u64 = 4;
