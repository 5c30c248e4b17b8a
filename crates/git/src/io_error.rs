//! An I/O error as an error of the engine's `Git` port.

use collie_engine::ports::GitError;
use std::io;

pub(crate) fn io_error(what: &str) -> impl FnOnce(io::Error) -> GitError + '_ {
    move |error| GitError::Io {
        what: what.to_string(),
        message: error.to_string(),
    }
}
