//! What models and agents have spent, are spending, and may still spend (§15).
//!
//! What is spent is counted once, where the journal has it: by day in the store, by pull request in its loop. Until a session's answer is
//! there, what it has spent and what its calls may still come to is kept here, by the effect that it belongs to. What commands spend
//! beside the engine is theirs to write down; it is read again and again while sessions are open.

use crate::ports::{
    AppliedStep, BudgetAccount, Clock, CommandSpending, DaySpending, ModelSpending, PolicySource,
};
use async_trait::async_trait;
use collie_core::budget::{Budget, BudgetExceeded, BudgetLimit, Spending, day_of};
use collie_core::ids::{EffectId, LoopId, Time};
use collie_core::loop_state::LoopState;
use collie_core::note::Note;
use collie_core::usage::Usage;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The account book of an engine.
pub(crate) struct SpendingLedger {
    clock: Arc<dyn Clock>,
    limits: Arc<dyn PolicySource>,
    zone: TimeZone,
    books: Mutex<Books>,
    /// Wakes work that waits for its budget.
    pub(crate) changed: Notify,
}

#[derive(Default)]
struct Books {
    days: BTreeMap<Date, Usage>,
    /// What the journal has of each pull request that had a session since the start.
    pulls: BTreeMap<LoopId, Usage>,
    sessions: BTreeMap<EffectId, OpenSession>,
    /// What commands have spent or set aside, as last read.
    commands: Vec<CommandSpending>,
}

/// What a session comes to that the journal does not have yet.
struct OpenSession {
    loop_id: LoopId,
    spent: Usage,
    /// The same by model or agent.
    spent_on: BTreeMap<String, Usage>,
    reserved: Usage,
}

impl SpendingLedger {
    /// Goes on with what the journal has, by day.
    pub(crate) fn new(
        clock: Arc<dyn Clock>,
        limits: Arc<dyn PolicySource>,
        zone: TimeZone,
        days: Vec<DaySpending>,
    ) -> Self {
        let days = days.into_iter().map(|day| (day.day, day.usage)).collect();
        Self {
            clock,
            limits,
            zone,
            books: Mutex::new(Books {
                days,
                ..Books::default()
            }),
            changed: Notify::new(),
        }
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        // Each use leaves them whole.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over what commands have spent and set aside.
    pub(crate) fn set_commands(&self, commands: Vec<CommandSpending>) {
        self.books().commands = commands;
    }

    /// Whether anything may be spent right now.
    pub(crate) fn has_open_sessions(&self) -> bool {
        !self.books().sessions.is_empty()
    }

    /// An account for a session that begins; what its pull request has spent is what the loop says.
    pub(crate) fn open(self: &Arc<Self>, effect: &EffectId, state: &LoopState) -> SessionAccount {
        let session = OpenSession {
            loop_id: state.id.clone(),
            spent: Usage::default(),
            spent_on: BTreeMap::new(),
            reserved: Usage::default(),
        };
        let mut books = self.books();
        books.pulls.insert(state.id.clone(), state.spent());
        books.sessions.insert(effect.clone(), session);
        drop(books);
        SessionAccount {
            ledger: self.clone(),
            effect: effect.clone(),
            loop_id: state.id.clone(),
            repository: state.run.configuration.policy.budget,
        }
    }

    /// The limits as they are now, where the repository sets one for each of its pull requests.
    fn limits_with(&self, repository: BudgetLimit) -> Budget {
        self.limits.budget().with_repository(repository)
    }

    /// Whether a limit is another by now than when a call of this loop was refused.
    pub(crate) fn is_outdated(&self, refused: &BudgetExceeded, state: &LoopState) -> bool {
        refused.is_outdated(&self.limits_with(state.run.configuration.policy.budget))
    }

    /// Forgets a session that had no costs, or whose costs its loop has.
    pub(crate) fn close(&self, effect: &EffectId) {
        self.books().sessions.remove(effect);
    }

    /// Takes over what the journal now has: of pull requests, of days, and of the sessions that these events were the end of.
    pub(crate) fn settle_all(&self, applied: &[AppliedStep], sessions: &[Option<EffectId>]) {
        let mut books = self.books();
        for (step, session) in applied.iter().zip(sessions) {
            if let Some(known) = books.pulls.get_mut(&step.state.id) {
                *known = step.state.spent();
            }
            if let Some(spent) = &step.spent {
                *books.days.entry(spent.day).or_default() += spent.usage;
            }
            if let Some(session) = session {
                books.sessions.remove(session);
            }
        }
    }

    /// By what the usage of a session is to be told that has ended. What came from a session of an earlier process is known by its
    /// remarks alone: there all of it was spent on what it ran on last.
    pub(crate) fn spent_on(
        &self,
        session: Option<&EffectId>,
        usage: Usage,
        notes: &[Note],
    ) -> Vec<ModelSpending> {
        let books = self.books();
        let open = session.and_then(|session| books.sessions.get(session));
        if let Some(open) = open.filter(|open| open.spent == usage) {
            let spent = open.spent_on.iter();
            return spent
                .map(|(model, usage)| ModelSpending {
                    model: Some(model.clone()),
                    usage: *usage,
                })
                .collect();
        }
        vec![spent_on_finished_session(usage, notes)]
    }

    /// The day of a time.
    pub(crate) fn day(&self, at: Time) -> Date {
        day_of(at, &self.zone).0
    }
}

/// What was spent by the session that notes tell the end of.
pub(crate) fn spent_on_finished_session(usage: Usage, notes: &[Note]) -> ModelSpending {
    let model = notes.iter().find_map(|note| match note {
        Note::SessionFinished { session, .. } => Some(session.runs_on.clone()),
        _ => None,
    });
    let model = model.filter(|name| !name.is_empty());
    ModelSpending { model, usage }
}

/// The account of one session.
pub(crate) struct SessionAccount {
    ledger: Arc<SpendingLedger>,
    effect: EffectId,
    loop_id: LoopId,
    /// What the repository itself lets be spent on one of its pull requests.
    repository: BudgetLimit,
}

impl SessionAccount {
    /// What is spent or reserved, as this session's pull request sees it.
    fn spending(&self, books: &Books, today: Date) -> Spending {
        let mut spending = Spending {
            pull_request: books.pulls.get(&self.loop_id).copied().unwrap_or_default(),
            day: books.days.get(&today).copied().unwrap_or_default(),
            total: Usage::default(),
        };
        for usage in books.days.values() {
            spending.total += *usage;
        }
        for command in &books.commands {
            spending.total += command.usage;
            if command.day == today {
                spending.day += command.usage;
            }
            if command.pull.as_ref() == Some(&self.loop_id) {
                spending.pull_request += command.usage;
            }
        }
        for session in books.sessions.values() {
            let mut open = session.spent;
            open += session.reserved;
            spending.day += open;
            spending.total += open;
            if session.loop_id == self.loop_id {
                spending.pull_request += open;
            }
        }
        spending
    }
}

#[async_trait]
impl BudgetAccount for SessionAccount {
    async fn reserve(&self, worst: Usage) -> Result<(), BudgetExceeded> {
        let (today, ends) = day_of(self.ledger.clock.now(), &self.ledger.zone);
        let budget = self.ledger.limits_with(self.repository);
        let mut books = self.ledger.books();
        budget.check(&self.spending(&books, today), &worst, ends)?;
        if let Some(session) = books.sessions.get_mut(&self.effect) {
            session.reserved += worst;
        }
        Ok(())
    }

    fn replace(&self, reserved: Usage, by: Usage) {
        if let Some(session) = self.ledger.books().sessions.get_mut(&self.effect) {
            session.reserved = session.reserved.since(&reserved);
            session.reserved += by;
        }
    }

    fn spend(&self, on: &str, usage: Usage) {
        if let Some(session) = self.ledger.books().sessions.get_mut(&self.effect) {
            session.spent += usage;
            *session.spent_on.entry(on.to_owned()).or_default() += usage;
        }
    }
}
