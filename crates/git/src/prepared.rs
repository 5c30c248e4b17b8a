//! Which checkouts have been prepared for their verify commands, and from what.

use collie_core::trust::commands_hash;
use collie_engine::ports::PrepareStep;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files at the root that pin what is fetched.
const LOCK_FILES: &[&str] = &[
    "Cargo.lock",
    "Gemfile.lock",
    "Pipfile.lock",
    "bun.lock",
    "composer.lock",
    "go.sum",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "yarn.lock",
];
/// A lock file that is larger pins nothing here.
const MAX_LOCK_BYTES: u64 = 64 << 20;

/// By checkout, what it was prepared from. Kept in memory: after a restart it is done again.
#[derive(Debug, Default)]
pub(crate) struct PreparedCheckouts(Mutex<HashMap<PathBuf, String>>);

impl PreparedCheckouts {
    pub(crate) fn get(&self, checkout: &Path) -> Option<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(checkout).cloned()
    }

    pub(crate) fn remember(&self, checkout: &Path, inputs: String) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(checkout.to_owned(), inputs);
    }

    /// What was prepared is gone, or may be half done.
    pub(crate) fn forget(&self, checkout: &Path) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(checkout);
    }
}

/// A hash of the steps and of the lock files there are; none where nothing pins what is fetched, so that it is done each time.
pub(crate) fn prepare_inputs(checkout: &Path, steps: &[PrepareStep]) -> Option<String> {
    let mut parts: Vec<String> = steps.iter().map(PrepareStep::line).collect();
    let mut is_pinned = false;
    for name in LOCK_FILES {
        let path = checkout.join(name);
        // A link may lead anywhere.
        let metadata = fs::symlink_metadata(&path).ok();
        if metadata.is_some_and(|file| file.is_file() && file.len() <= MAX_LOCK_BYTES)
            && let Ok(bytes) = fs::read(&path)
        {
            is_pinned = true;
            parts.push((*name).to_owned());
            parts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    is_pinned.then(|| commands_hash(&parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pins_the_downloads_and_the_steps_decide() {
        let root = tempfile::tempdir().unwrap();
        let step = |command: &str, host: &str| PrepareStep {
            command: command.into(),
            hosts: vec![host.into()],
        };
        let inputs = |step: PrepareStep| prepare_inputs(root.path(), &[step]);
        let npm = || step("npm ci", "a:443");
        fs::write(root.path().join("package.json"), "{}").unwrap();
        assert_eq!(inputs(npm()), None, "nothing is pinned");
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/hostname", root.path().join("yarn.lock")).unwrap();
        assert_eq!(inputs(npm()), None, "a link is no lock file");
        fs::write(root.path().join("package-lock.json"), "1").unwrap();
        let first = inputs(npm());
        assert!(first.is_some());
        assert_eq!(inputs(npm()), first);
        for other in [step("npm ci --force", "a:443"), step("npm ci", "b:443")] {
            assert_ne!(inputs(other), first);
        }
        fs::write(root.path().join("package-lock.json"), "2").unwrap();
        assert_ne!(inputs(npm()), first);
    }
}
