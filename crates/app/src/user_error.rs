//! Errors of this crate as people are shown them.

use crate::auth::keychain::KeychainError;
use crate::engine_client::local::LocalEngineError;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use collie_engine::EngineError;
use collie_i18n::Localizer;
use collie_wire::ErrorView;

/// An error in words, as the page and scripts get it.
pub fn error_view(error: &UserError, localizer: &Localizer) -> ErrorView {
    ErrorView {
        code: error.code,
        message: localizer.error_text(error),
        hints: localizer.error_hints(error),
    }
}

impl From<LocalEngineError> for UserError {
    fn from(error: LocalEngineError) -> Self {
        match error {
            LocalEngineError::Connect(error) => error.into(),
            LocalEngineError::Open(error) => error.into(),
            LocalEngineError::Folder(error) => error.into(),
            LocalEngineError::Git(error) => error.into(),
            LocalEngineError::Engine(EngineError::Store(error)) => error.into(),
            LocalEngineError::LoopsElsewhere(folder) => UserError::new(ErrorCode::LoopsElsewhere)
                .with("folder", folder.path().display())
                .hint(ErrorHint::WorkerDocs),
            LocalEngineError::MoveUnfinished(_) => {
                UserError::new(ErrorCode::MoveUnfinished).hint(ErrorHint::FinishMove)
            }
            LocalEngineError::LoopsOfItsOwn(folder) => UserError::new(ErrorCode::LoopsOfItsOwn)
                .with("folder", folder.path().display())
                .hint(ErrorHint::WorkerDocs),
        }
    }
}

impl From<KeychainError> for UserError {
    fn from(error: KeychainError) -> Self {
        match error {
            KeychainError::Missing { .. } => {
                UserError::new(ErrorCode::NoKeychain).hint(ErrorHint::SignIn)
            }
            KeychainError::Locked => {
                UserError::new(ErrorCode::KeychainLocked).hint(ErrorHint::Keychain)
            }
            KeychainError::Refused { reason } => UserError::new(ErrorCode::Keychain)
                .with("message", reason)
                .hint(ErrorHint::Keychain),
        }
    }
}
