//! How large a checkout would be, before it is written.

use crate::Worktrees;
use crate::disk_limits::DiskLimits;
use crate::git_command::{GitCommand, command_error};
use collie_core::ids::Sha;
use collie_engine::ports::{DiskLimit, GitError};
use std::path::Path;
use tokio_util::sync::CancellationToken;

impl Worktrees {
    /// Adds up what a checkout of `head` would write. The same subtree counts each time that it is named.
    ///
    /// # Errors
    /// [`GitError::CheckoutTooLarge`], as soon as a limit is passed.
    pub(crate) async fn check_checkout_size(
        &self,
        clone_dir: &Path,
        head: &Sha,
    ) -> Result<(), GitError> {
        let mut size = CheckoutSize::new(self.git.options().disk_limits.now());
        let enough = CancellationToken::new();
        let list = GitCommand::new(["ls-tree", "-r", "-t", "-z", "--full-tree"])
            .arg("--format=%(objectsize)")
            .arg(head.as_str())
            .in_clone(clone_dir);
        let mut sink = |bytes: &[u8]| {
            if size.add(bytes).is_some() {
                enough.cancel();
            }
        };
        let output = self.git.stream_until(list, &mut sink, Some(&enough)).await;
        if let Some(limit) = size.passed {
            return Err(GitError::CheckoutTooLarge { limit });
        }
        match output? {
            output if output.exit_code == 0 => Ok(()),
            output => Err(command_error("ls-tree", "the clone", &output.stderr)),
        }
    }
}

/// Reads sizes that end with a zero byte each, and adds them up.
struct CheckoutSize {
    limits: DiskLimits,
    bytes: u64,
    files: u64,
    /// The digits of a size whose end has not come yet; 0 for what has none, a folder.
    digits: u64,
    passed: Option<DiskLimit>,
}

impl CheckoutSize {
    fn new(limits: DiskLimits) -> Self {
        Self {
            limits,
            bytes: 0,
            files: 0,
            digits: 0,
            passed: None,
        }
    }

    /// The limit that is passed, if one is.
    fn add(&mut self, output: &[u8]) -> Option<DiskLimit> {
        for byte in output {
            match byte {
                0 => {
                    self.files += 1;
                    self.bytes = self.bytes.saturating_add(std::mem::take(&mut self.digits));
                }
                b'0'..=b'9' => {
                    let digit = u64::from(byte - b'0');
                    self.digits = self.digits.saturating_mul(10).saturating_add(digit);
                }
                _ => {}
            }
            if self.passed.is_none() {
                self.passed = self.limit_passed();
            }
        }
        self.passed
    }

    fn limit_passed(&self) -> Option<DiskLimit> {
        let limits = self.limits;
        if self.bytes > limits.checkout_bytes {
            return Some(DiskLimit::CheckoutBytes(limits.checkout_bytes));
        }
        let too_many = self.files > limits.checkout_files;
        too_many.then_some(DiskLimit::CheckoutFiles(limits.checkout_files))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_add_up_wherever_the_output_is_cut() {
        let limits = DiskLimits {
            checkout_bytes: 150,
            checkout_files: 3,
            ..DiskLimits::default()
        };
        let mut size = CheckoutSize::new(limits);
        assert_eq!(size.add(b"-\x001"), None);
        assert_eq!(size.add(b"00\x005"), None);
        assert_eq!(size.add(b"0\x00"), None, "150 bytes in three entries");
        assert_eq!(size.add(b"0\x00"), Some(DiskLimit::CheckoutFiles(3)));
        let mut size = CheckoutSize::new(limits);
        assert_eq!(size.add(b"151\x00"), Some(DiskLimit::CheckoutBytes(150)));
        let huge = b"99999999999999999999999999\x009\x00";
        assert!(CheckoutSize::new(limits).add(huge).is_some());
    }
}
