//! How much a pull request may write to the disk.

use std::fmt;
use std::sync::Arc;

/// How much a pull request may write to the disk (§9.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskLimits {
    /// The files of one checkout together, in bytes.
    pub checkout_bytes: u64,
    /// Files and folders of one checkout.
    pub checkout_files: u64,
    /// The worktree and the repository's cache together while a verify command runs, in bytes.
    pub sandbox_bytes: u64,
}

impl Default for DiskLimits {
    fn default() -> Self {
        Self {
            checkout_bytes: 2 << 30,
            checkout_files: 500_000,
            sandbox_bytes: 20 << 30,
        }
    }
}

/// Gives the limits of the moment.
#[derive(Clone)]
pub struct DiskLimitsSource(Arc<dyn Fn() -> DiskLimits + Send + Sync>);

impl DiskLimitsSource {
    /// Asks `source` whenever a limit is needed.
    pub fn new(source: impl Fn() -> DiskLimits + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }

    pub(crate) fn now(&self) -> DiskLimits {
        (self.0)()
    }
}

impl Default for DiskLimitsSource {
    fn default() -> Self {
        Self::new(DiskLimits::default)
    }
}

impl fmt::Debug for DiskLimitsSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DiskLimitsSource")
            .field(&self.now())
            .finish()
    }
}
