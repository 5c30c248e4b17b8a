//! The token of an App for one repository.

use crate::credentials::Token;
use collie_core::ids::Time;

/// What a token is for: a repository by its name in small letters, or none in particular.
pub(crate) type TokenScope = Option<String>;

/// What came of asking for the token of a repository.
#[derive(Clone)]
pub(crate) enum AppToken {
    /// It was made; it ends then, by the host's clock.
    Made(Token, Time),
    /// GitHub makes none: no such repository, or the App is not installed there. It is not asked again before then.
    Unlisted(Time),
}
