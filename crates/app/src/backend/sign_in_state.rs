//! What was found to sign in with, and what was used last.

use super::remembered_login::SignInMethod;
use collie_core::ids::Login;
use collie_github::Token;
use collie_wire::rpc::{AccountSource, DetectedCredentials};

/// What was found to sign in with.
#[derive(Clone, Debug, Default)]
pub(super) struct SignInState {
    pub gh_installed: bool,
    pub token_source: Option<AccountSource>,
    pub login: Option<Login>,
    pub keychain_available: bool,
    /// What was opened last since the app began, to be opened once more.
    pub last: Option<LastSignIn>,
}

/// How the backend was opened.
#[derive(Clone, Debug)]
pub(super) enum LastSignIn {
    /// By what the next start of the app finds again.
    Method(SignInMethod),
    /// With a typed token that nothing but the app's memory keeps; it is for this host alone.
    Token { host: String, token: Token },
}

impl SignInState {
    pub fn gh_view(&self) -> DetectedCredentials {
        DetectedCredentials {
            gh_installed: self.gh_installed,
            token: self.token_source,
            login: self.login.as_ref().map(ToString::to_string),
            keychain: self.keychain_available,
        }
    }
}
