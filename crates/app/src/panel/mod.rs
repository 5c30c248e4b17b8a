//! The panel: the rules, language models and coding agents behind the engine's ports (§4.7, §6.1).
//!
//! Who is asked is decided by the configuration of the moment; what is asked and how an answer is read is `collie_agents::reading`.

mod ask;
mod bill;
mod first;
mod fix;
mod gather;
mod hear;
mod read;
mod sessions;
mod setup;

pub use setup::{agents, missing_key, personas, secrets, spec_of, uses};

use crate::activity::Activities;
use crate::config::{LiveConfig, RULES};
use async_trait::async_trait;
use collie_agents::llm::{Llm, Pace};
use collie_core::model::SessionFailure;
use collie_core::policy::ReviewerKind;
use collie_engine::ports::{
    FixAnswer, FixRequest, Fixer, Git, ReviewAnswer, ReviewRequest, Reviewers,
};
use collie_github::GitHubClient;
use collie_rules::RulesPanel;
use first::FirstLooks;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Reviewers and fixers of every kind.
pub struct Panel {
    config: LiveConfig,
    rules: Arc<RulesPanel>,
    git: Arc<dyn Git>,
    github: Arc<GitHubClient>,
    llm: Llm,
    /// Where agents' sessions are remembered, one a pull request.
    sessions: PathBuf,
    activities: Arc<Activities>,
    first_looks: FirstLooks,
}

impl Panel {
    /// A panel that goes by the configuration as it is when somebody is asked, and shows in `activities` what they do.
    pub fn new(
        config: LiveConfig,
        rules: Arc<RulesPanel>,
        git: Arc<dyn Git>,
        github: Arc<GitHubClient>,
        sessions: PathBuf,
        activities: Arc<Activities>,
    ) -> Self {
        Self {
            config,
            rules,
            git,
            github,
            llm: Llm::new(Pace::default()),
            sessions,
            activities,
            first_looks: FirstLooks::default(),
        }
    }
}

#[async_trait]
impl Reviewers for Panel {
    async fn review(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewAnswer, SessionFailure> {
        match request.reviewer.kind {
            ReviewerKind::Rules => self.rules.review(request, cancel).await,
            ReviewerKind::Agent => self.read(request, cancel).await,
            ReviewerKind::Human => Err(SessionFailure::Permanent {
                message: format!(
                    "{} is a person, whom nobody dispatches",
                    request.reviewer.name
                ),
            }),
        }
    }
}

#[async_trait]
impl Fixer for Panel {
    async fn fix(
        &self,
        request: FixRequest,
        cancel: &CancellationToken,
    ) -> Result<FixAnswer, SessionFailure> {
        let config = self.config.get();
        match setup::fixer(&config, request.author.as_ref()) {
            RULES => self.rules.fix(request, cancel).await,
            agent => self.fix_with(agent, &config, request, cancel).await,
        }
    }
}
