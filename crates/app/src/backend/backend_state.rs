//! What a backend is: its options, its phase, its session.

use super::credential_scope::CredentialScope;
use super::model_tests::ModelTests;
use super::session::Session;
use super::sign_in_state::SignInState;
use crate::auth::keychain::Keychain;
use crate::engine_client::LoopsPlace;
use collie_config::{ConfigLayer, DataFolder};
use collie_core::ids::Login;
use collie_core::user_error::UserError;
use collie_i18n::Localizer;
use collie_runners::RunnerQueue;
use collie_wire::rpc::{SessionView, Update};
use std::sync::{Arc, Mutex, RwLock};
use tokio::sync::broadcast;

/// Where the environment's variables are read.
pub type HostEnv = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What a backend is opened with.
#[derive(Clone)]
pub struct BackendOptions {
    /// The data folder.
    pub folder: DataFolder,
    /// The environment.
    pub environment: HostEnv,
    /// The credentials that a person may sign in with.
    pub credentials: CredentialScope,
    /// Where tokens and keys that are typed in are kept.
    pub keychain: Keychain,
    /// The language until the configuration names one.
    pub language: &'static str,
    /// Where sessions may be offered to runners on other machines.
    pub runners: Option<Arc<RunnerQueue>>,
    /// Where loops live that are only shown here; they live here without it.
    pub elsewhere: Option<LoopsPlace>,
    /// Whether the host can merge.
    pub can_merge: bool,
    /// Opens the demo when nobody has ever signed in here and no account is found.
    pub demo_if_new: bool,
}

/// The backend of one account. Cheap to clone; every clone is the same backend.
#[derive(Clone)]
pub struct Backend {
    pub(super) shared: Arc<BackendState>,
    /// In whose name this clone asks for things; the signed-in account's where it is none.
    pub(super) acting: Option<Login>,
}

/// What the clones of a backend share.
pub(super) struct BackendState {
    pub(super) options: BackendOptions,
    /// What the host has hold until the user's own configuration says otherwise.
    pub(super) host_defaults: ConfigLayer,
    pub(super) phase: RwLock<Phase>,
    pub(super) localizer: RwLock<Arc<Localizer>>,
    pub(super) updates: broadcast::Sender<Update>,
    /// Held while the backend passes from one phase to another.
    pub(super) transition: tokio::sync::Mutex<Transition>,
    pub(super) sign_in: Mutex<SignInState>,
    pub(super) last_sent_session: Mutex<Option<SessionView>>,
    /// The tests of models that are under way, by the table of each.
    pub(super) model_tests: ModelTests,
}

/// Which phase the backend is in.
#[derive(Clone)]
pub(super) enum Phase {
    Onboarding,
    Starting,
    Stopped(UserError),
    Open(Arc<Session>),
}

/// The right to pass from one phase to another.
#[derive(Debug, Default)]
pub(super) struct Transition {
    /// The backend was closed: nothing is opened any more.
    pub(super) closed: bool,
}
