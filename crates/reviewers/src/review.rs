//! Reviews by language models and coding agents (§4.3, §4.4), with the second look at what they find.

use super::Panel;
use super::changed_files::mark_taken_out;
use super::observer::saturating_u32;
use super::setup::{self, AGENT_PROMPT_TOKENS, PersonaRunner};
use crate::activity::WorkerHandle;
use crate::prompt_size::ShrinkingBudget;
use collie_agents::prompting::{
    BudgetTooSmall, Material, OmittedPart as Lacking, Prompt, PromptPart, PromptTarget,
    ReviewContext, Settlement, prompts_hash,
};
use collie_config::Config;
use collie_core::change_map::{FileUse, MAX_FILE_USES};
use collie_core::code_context::CodeRole;
use collie_core::coverage::{UnseenFile, UnseenReason};
use collie_core::event::SessionFailure;
use collie_core::finding::Replacement;
use collie_core::ids::{Fingerprint, ThreadId};
use collie_core::review::ReviewerResult;
use collie_core::session::{LeftOut, SessionSummary};
use collie_engine::ports::{ReviewRequest, ReviewResponse};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What a session keeps of its time for ending and for handing over what it found.
const END_MARGIN: Duration = Duration::from_secs(60);

/// One reader at work on one pull request.
pub(super) struct ReviewSession<'a> {
    pub(super) panel: &'a Panel,
    pub(super) config: &'a Config,
    pub(super) request: &'a ReviewRequest,
    pub(super) runner: PersonaRunner,
    pub(super) cancel: &'a CancellationToken,
    /// Ends what is asked at the moment, and not the session.
    pub(super) stop: CancellationToken,
    pub(super) worker: Arc<WorkerHandle>,
    /// How it went; several questions may be asked at once.
    pub(super) account: Mutex<SessionSummary>,
    /// Files that it is not shown, or not wholly.
    pub(super) unseen: Vec<UnseenFile>,
    /// When it began.
    pub(super) started: Instant,
    /// After that neither a second look nor a second try at a part continues: what was found before would be lost with it.
    pub(super) asking_ends: Instant,
}

/// What a reader says, held against the code.
struct ParsedReview {
    result: ReviewerResult,
    /// Earlier findings of its own that it takes back.
    withdrawn: BTreeSet<Fingerprint>,
    /// Earlier findings of its own that it was not asked about.
    not_rechecked: BTreeSet<Fingerprint>,
    replacements: BTreeMap<String, Replacement>,
    /// Why earlier findings still stand, by id.
    upheld: BTreeMap<String, String>,
    /// Somebody's open threads that say a finding already, by its id.
    covered: BTreeMap<String, ThreadId>,
}

impl Panel {
    /// Lets a persona look, and somebody look again at what it alone has found.
    pub(super) async fn review_with_persona(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewResponse, SessionFailure> {
        let (config, started) = (self.config.get(), Instant::now());
        let time_left = Duration::from_millis(request.time_left_ms);
        let runner = setup::persona_runner(&config, &request.reviewer.name, &self.keys).await?;
        let (pull, name) = (&request.worktree.pull().id, &request.reviewer.name);
        let worker = self
            .activities
            .start_worker(pull, name, &runner.to_string());
        let (material, unseen) = self.gather_material(&request, &config).await?;
        let mut session = ReviewSession {
            panel: self,
            config: &config,
            request: &request,
            account: Mutex::new(SessionSummary {
                runs_on: runner.to_string(),
                delta: material.delta.is_some(),
                uses: file_uses(&material.context),
                ..SessionSummary::default()
            }),
            runner,
            cancel,
            stop: cancel.child_token(),
            worker,
            unseen,
            started,
            asking_ends: started + time_left.saturating_sub(END_MARGIN),
        };
        if !request.doubted.is_empty() {
            return session.second_look_at_bots(&material).await;
        }
        let parsed = session.first_pass(&material).await?;
        mark_taken_out(&mut session.unseen, &request.diff);
        Ok(ReviewResponse {
            result: parsed.result,
            prompt_hash: Some(prompts_hash()),
            withdrawn: parsed.withdrawn,
            not_rechecked: parsed.not_rechecked,
            replacements: parsed.replacements,
            upheld: parsed.upheld,
            covered: parsed.covered,
            session: Some(session.take_account()),
            unseen: session.unseen,
            second_looks: BTreeMap::new(),
        })
    }
}

/// Which files use what the change touches, as its context tells.
fn file_uses(context: &ReviewContext) -> BTreeSet<FileUse> {
    let calls = context
        .related
        .iter()
        .filter(|code| code.role == CodeRole::CallSite);
    let of_others = calls.flat_map(|code| {
        code.touched_by.iter().map(|used| FileUse {
            used: used.clone(),
            user: code.path.clone(),
            symbol: code.symbol.clone(),
        })
    });
    let of_each_other = context.links.iter().map(|(user, used)| FileUse {
        used: used.clone(),
        user: user.clone(),
        symbol: String::new(),
    });
    of_each_other.chain(of_others).take(MAX_FILE_USES).collect()
}

impl ReviewSession<'_> {
    /// How it went so far.
    pub(super) fn account(&self) -> MutexGuard<'_, SessionSummary> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn take_account(&self) -> SessionSummary {
        std::mem::take(&mut self.account())
    }

    async fn first_pass(&mut self, material: &Material) -> Result<ParsedReview, SessionFailure> {
        let read = self.read_change(material).await?;
        let withdrawn = read
            .answer
            .settled
            .iter()
            .filter(|settled| settled.settlement == Settlement::Withdrawn)
            .map(|settled| settled.fingerprint.clone())
            .collect();
        let not_rechecked = read.not_rechecked.clone();
        let mut filtered = self.filter_and_join(read, material).await?;
        for dropped in &filtered.dropped {
            tracing::info!(why = ?dropped.reason, title = %dropped.finding.title, "a finding was dropped");
        }
        self.account().dropped += saturating_u32(filtered.dropped.len());
        self.silence(&mut filtered, material);
        self.look_again(material, &mut filtered.result).await?;
        Ok(ParsedReview {
            result: filtered.result,
            withdrawn,
            not_rechecked,
            replacements: filtered.replacements,
            upheld: filtered.upheld,
            covered: filtered.covered,
        })
    }

    /// How many tokens a prompt may have, and who reads it.
    pub(super) fn budget(&self) -> (u32, PromptTarget) {
        match &self.runner {
            PersonaRunner::Model { context_tokens, .. } => (*context_tokens, PromptTarget::Model),
            PersonaRunner::Agent(_) => (AGENT_PROMPT_TOKENS, PromptTarget::Agent),
        }
    }

    /// Composes a prompt and asks with it; with half of it, some times, where the model cannot read as much. Gives the prompt that was
    /// answered too: it tells what was shown.
    pub(super) async fn ask_within_budget<T>(
        &self,
        compose: impl Fn(u32, PromptTarget) -> Result<Prompt, BudgetTooSmall>,
        (name, schema): (&str, Value),
        member: &str,
        read: impl Fn(&Value) -> Result<T, Vec<String>> + Send + Sync,
    ) -> Result<(Prompt, T), SessionFailure> {
        let (budget, target) = self.budget();
        let mut size = ShrinkingBudget::of(budget);
        let mut prompt = compose(budget, target).map_err(SessionFailure::permanent)?;
        loop {
            let schema = (name, schema.clone());
            let asked = self.run_prompt(&prompt, schema, member, &read).await;
            let failure = match asked {
                Ok(answer) => return Ok((prompt, answer)),
                Err(failure) => failure,
            };
            let less = size.halve(&failure, &prompt);
            // Where even the task does not fit, what the service said is what is wrong.
            let Some(Ok(shorter)) = less.map(|less| compose(less, target)) else {
                return Err(failure);
            };
            prompt = shorter;
        }
    }
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
