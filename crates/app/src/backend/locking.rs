//! How the backend takes its locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock; nothing of ours panics while it holds one.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
