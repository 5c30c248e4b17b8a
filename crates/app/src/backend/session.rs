//! What is open: an account, its GitHub, and the engine of its data folder.

use super::listing_cache::ListingCache;
use super::locking::lock;
use super::patch_cache::PatchCache;
use crate::demo::Playground;
use crate::engine_client::local::redactor;
use crate::engine_client::{EngineClient, RequestOutcome};
use collie_config::{DataFolder, LiveConfig};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::Login;
use collie_core::user_error::UserError;
use collie_engine::ports::{GitHub as _, JournalReader, LoopRequest};
use collie_git::CloneReader;
use collie_github::GitHubClient;
use collie_i18n::Redactor;
use collie_reviewers::activity::ActivityRegistry;
use collie_wire::LoopView;
use collie_wire::rpc::AccountSource;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long the tasks may take to end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Whose work it is.
#[derive(Clone, Debug, Default)]
pub(super) struct AccountStatus {
    pub login: Option<Login>,
    pub missing_scopes: Vec<String>,
    /// GitHub does not accept the token.
    pub token_refused: bool,
}

/// An open backend's work.
pub(super) struct Session {
    pub folder: DataFolder,
    pub engine: EngineClient,
    /// Who does what in this process's engine.
    pub activities: Arc<ActivityRegistry>,
    pub config: LiveConfig,
    pub github: Arc<GitHubClient>,
    pub store: Arc<dyn JournalReader>,
    pub clones: CloneReader,
    /// What Collie's commits change.
    pub patches: PatchCache,
    pub demo: Option<Arc<Playground>>,
    pub source: AccountSource,
    pub account: Mutex<AccountStatus>,
    pub listings: ListingCache,
    /// The views as they were sent last; none until somebody has read them since all was stale.
    pub sent_views: Mutex<Option<BTreeMap<String, LoopView>>>,
    pub cancel: CancellationToken,
    pub tasks: TaskTracker,
}

impl Session {
    /// What of a post is not shown, as it would not be sent.
    pub fn redactor(&self) -> Redactor {
        redactor(&self.config.get(), self.patches.secrets().clone())
    }

    /// The signed-in account, as far as it is known.
    pub fn login(&self) -> Option<Login> {
        lock(&self.account).login.clone()
    }

    /// Carries a request out, here or by asking the process that runs the engine: in a person's name, else in the signed-in account's.
    pub async fn submit(
        &self,
        request: LoopRequest,
        acting: Option<&Login>,
    ) -> Result<(), UserError> {
        let requester = match acting {
            Some(person) => person.clone(),
            None => self.requester().await?,
        };
        match self.engine.submit(&request, &requester).await? {
            // Where the other engine has just ended, this process takes over, and the request up.
            RequestOutcome::Done | RequestOutcome::Queued => Ok(()),
            RequestOutcome::TimedOut => {
                Err(UserError::new(ErrorCode::NoAnswer).hint(ErrorHint::StaysQueued))
            }
        }
    }

    /// In whose name things are done; asked of GitHub when it is not known yet.
    async fn requester(&self) -> Result<Login, UserError> {
        if let Some(login) = self.login() {
            return Ok(login);
        }
        let login = self.github.viewer().await?.login;
        lock(&self.account).login = Some(login.clone());
        Ok(login)
    }

    /// Ends it: tasks first, then the engine, then the demo's forge.
    pub async fn close(&self) {
        self.cancel.cancel();
        self.tasks.close();
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, self.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("a task of the backend did not end in time");
        }
        self.engine.shutdown().await;
        if let Some(demo) = &self.demo {
            demo.close().await;
        }
    }
}
