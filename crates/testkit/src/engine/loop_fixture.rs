//! What a test of a loop starts from: a repository with pull request 1, and how Collie is told to treat it.

use crate::forge::COLLIE;
use crate::repository::RepositoryFixture;
use collie_config::{ConfigLayer, LlmLayer};
use collie_core::autonomy::Autonomy;
use collie_core::ids::Login;

/// A repository, and the Collie that is signed in to its forge.
pub struct LoopFixture {
    pub(crate) repository: RepositoryFixture,
    pub(crate) login: &'static str,
    pub(crate) layer: ConfigLayer,
}

impl LoopFixture {
    /// Changes what the user's `config.toml` would say.
    pub fn with_layer(mut self, edit: impl FnOnce(&mut ConfigLayer)) -> Self {
        edit(&mut self.layer);
        self
    }

    /// Every persona runs on the model that is served at `url`.
    pub fn with_model(self, url: String) -> Self {
        let llm = LlmLayer {
            provider: Some("compatible"),
            model: Some("scripted".into()),
            url: Some(url),
            ..LlmLayer::default()
        };
        self.with_layer(|layer| layer.llm = llm)
    }

    /// Another signed-in account.
    pub fn with_login(mut self, login: &'static str) -> Self {
        self.login = login;
        self
    }
}

/// Waits are short, and Collie may start loops.
impl From<RepositoryFixture> for LoopFixture {
    fn from(repository: RepositoryFixture) -> Self {
        let layer = ConfigLayer {
            poll_interval: Some(100),
            ready_poll_interval: Some(150),
            collect_failures_for: Some(2_000),
            no_checks_grace: Some(1_000),
            allowed_users: Some([Login::new(COLLIE)].into()),
            autonomy: Some(Autonomy::Push),
            ..ConfigLayer::default()
        };
        Self {
            repository,
            login: COLLIE,
            layer,
        }
    }
}

impl RepositoryFixture {
    /// Changes what the user's `config.toml` would say.
    pub fn with_layer(self, edit: impl FnOnce(&mut ConfigLayer)) -> LoopFixture {
        LoopFixture::from(self).with_layer(edit)
    }

    /// Every persona runs on the model that is served at `url`.
    pub fn with_model(self, url: String) -> LoopFixture {
        LoopFixture::from(self).with_model(url)
    }

    /// Another signed-in account than Collie's.
    pub fn with_login(self, login: &'static str) -> LoopFixture {
        LoopFixture::from(self).with_login(login)
    }
}
