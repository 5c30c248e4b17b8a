//! The panel: the rules, language models and coding agents behind the engine's ports (§4.7, §6.1).
//!
//! Who is asked is decided by the configuration of the moment; what is asked and how an answer is read is `collie_agents::prompting`.

pub mod activity;
mod agent_turn;
mod aws_keys;
mod budget;
mod changed_files;
mod context;
mod earlier_fixes;
mod expected_cost;
mod first_pass;
mod fix;
mod gather;
mod google_keys;
mod key_sources;
mod keys;
mod known_secrets;
mod linter_findings;
mod linter_joins;
mod linters;
mod models;
mod observer;
mod prompt_size;
mod pull_reader;
mod readings;
mod recall;
mod review;
mod run_prompt;
mod saved_sessions;
mod second_look;
mod setup;
mod turn_costs;
mod usage;

pub use aws_keys::AWS_ACCESS_KEY;
pub use budget::QuestionBudget;
pub use collie_agents::llm::{ListedModel, ModelTest, Secret};
pub use expected_cost::{
    ANSWER_TOKENS, ExpectedCost, FIRST_REVIEW_TOKENS, NEXT_REVIEW_TOKENS, expected_cost,
};
pub use google_keys::GOOGLE_METADATA_HOST;
pub use key_sources::{KeyOrigin, KeySources, KeyStore, remember_key};
pub use keys::{KeyLookup, is_key_stored, key_entry, key_host, look_up_key};
pub use known_secrets::{known_secrets, own_secrets, redact_fix, redact_review};
pub use models::{build_model, list_models, model_target, test_model};
pub use pull_reader::{GitHubPullReader, PullReader};
pub use setup::{agent_spec, agent_specs, uses_agent};

use crate::activity::ActivityRegistry;
use async_trait::async_trait;
use collie_agents::acp::AgentSandbox;
use collie_agents::llm::{Llm, RetryPolicy};
use collie_config::{LiveConfig, RUNS_ON_RULES};
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::ids::LoopId;
use collie_core::policy::ReviewerKind;
use collie_core::text::KnownSecrets;
use collie_core::user_error::UserError;
use collie_engine::ports::{
    CleanWorktree, FixRequest, FixResponse, Fixer, Git, ReviewMemory, ReviewRequest,
    ReviewResponse, Reviewers,
};
use collie_github::GitHubClient;
use collie_rules::RulesAdapter;
use collie_sandbox::{Limits, SandboxRunner, UnsandboxedTrust};
use context::RelatedCodeCache;
use first_pass::FirstPassResults;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Reviewers and fixers of every kind.
pub struct Panel {
    config: LiveConfig,
    rules: Arc<RulesAdapter>,
    git: Arc<dyn Git>,
    pulls: Arc<dyn PullReader>,
    llm: Llm,
    /// Where agents' sessions are remembered, one a pull request.
    sessions: PathBuf,
    /// What people made of earlier findings.
    review_memory: Arc<dyn ReviewMemory>,
    activities: Arc<ActivityRegistry>,
    first_pass: FirstPassResults,
    related: RelatedCodeCache,
    /// Runs agents.
    sandbox: SandboxRunner,
    /// What goes to no model and into no journal.
    known_secrets: KnownSecrets,
    /// Where models' keys are looked up.
    keys: KeySources,
}

impl Panel {
    /// A panel that goes by the configuration as it is when somebody is asked, and shows in `activities` what they do.
    pub fn new(
        config: LiveConfig,
        rules: Arc<RulesAdapter>,
        git: Arc<dyn Git>,
        github: Arc<GitHubClient>,
        (sessions, review_memory): (PathBuf, Arc<dyn ReviewMemory>),
        activities: Arc<ActivityRegistry>,
        sandbox: SandboxRunner,
    ) -> Self {
        let secrets = known_secrets(&config, &github);
        let pulls = Arc::new(GitHubPullReader::new(config.clone(), github));
        let kept = (sessions, review_memory);
        Self::elsewhere(
            config,
            rules,
            git,
            (pulls, secrets),
            kept,
            activities,
            sandbox,
        )
    }

    /// One that reads no GitHub: of a pull request it knows what `pulls` tells, and as secrets these.
    pub fn elsewhere(
        config: LiveConfig,
        rules: Arc<RulesAdapter>,
        git: Arc<dyn Git>,
        (pulls, known_secrets): (Arc<dyn PullReader>, KnownSecrets),
        (sessions, review_memory): (PathBuf, Arc<dyn ReviewMemory>),
        activities: Arc<ActivityRegistry>,
        sandbox: SandboxRunner,
    ) -> Self {
        Self {
            known_secrets,
            config,
            rules,
            git,
            pulls,
            llm: Llm::new(RetryPolicy::default()),
            sessions,
            review_memory,
            activities,
            sandbox,
            first_pass: FirstPassResults::default(),
            related: RelatedCodeCache::default(),
            keys: KeySources::of_environment(),
        }
    }

    /// Looks there for models' keys, instead of in the environment alone.
    #[must_use]
    pub fn with_keys(mut self, keys: KeySources) -> Self {
        self.keys = keys;
        self
    }

    /// What a persona runs on as the configuration is now: a model or an agent, by name. None where that is not set up.
    pub async fn runs_on(&self, persona: &str) -> Option<String> {
        let runner = setup::persona_runner(&self.config.get(), persona, &self.keys)
            .await
            .ok()?;
        Some(runner.to_string())
    }

    /// Lets the rules look, and the linters that the repository configures.
    async fn review_with_rules(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewResponse, SessionFailure> {
        let mut response = self.rules.review(request.clone(), cancel).await?;
        self.add_linters(&request, &mut response, cancel).await?;
        Ok(response)
    }

    /// Whether what this pull request brings runs without a sandbox: the user wants none for its repository, and the author is a
    /// collaborator of it (§9.5).
    fn unsandboxed(
        &self,
        tree: &CleanWorktree,
        author_may_write: bool,
    ) -> Option<UnsandboxedTrust> {
        let wanted = self.config.get().runs_unsandboxed(&tree.pull().repo);
        UnsandboxedTrust::by_the_users_setting(author_may_write && wanted)
    }

    /// Where an agent works on this tree.
    fn agent_sandbox(
        &self,
        tree: &CleanWorktree,
        kept_home: PathBuf,
        author_may_write: bool,
    ) -> AgentSandbox {
        let config = self.config.get();
        AgentSandbox {
            runner: self.sandbox.clone(),
            without_walls: self.unsandboxed(tree, author_may_write),
            readable: vec![tree.git_dir().to_owned()],
            hidden: vec![config.home.clone()],
            limits: Limits {
                disk_bytes: u64::from(config.disk.sandbox_mb) << 20,
                ..Limits::default()
            },
            kept_home,
        }
    }
}

#[async_trait]
impl Reviewers for Panel {
    async fn review(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewResponse, SessionFailure> {
        let mut response = match request.reviewer.kind {
            ReviewerKind::Rules => self.review_with_rules(request, cancel).await,
            ReviewerKind::Agent => self.review_with_persona(request, cancel).await,
            ReviewerKind::Human => {
                let error = UserError::new(ErrorCode::HumanNotDispatched);
                let name = request.reviewer.name;
                Err(SessionFailure::permanent(error.with("name", name)))
            }
        }?;
        redact_review(&mut response, &self.known_secrets);
        Ok(response)
    }
}

#[async_trait]
impl Fixer for Panel {
    async fn fix(
        &self,
        request: FixRequest,
        cancel: &CancellationToken,
    ) -> Result<FixResponse, SessionFailure> {
        let config = self.config.get();
        let mut response = match setup::fixer_for_author(&config, request.author.as_ref()) {
            RUNS_ON_RULES => self.rules.fix(request, cancel).await,
            agent => self.fix_with_agent(agent, &config, request, cancel).await,
        }?;
        redact_fix(&mut response, &self.known_secrets);
        Ok(response)
    }

    async fn forget_sessions(&self, id: &LoopId) -> std::io::Result<()> {
        let (folder, id) = (self.sessions.clone(), id.clone());
        tokio::task::spawn_blocking(move || saved_sessions::remove(&folder, &id)).await?
    }
}
