//! Runs what pull requests bring, for whoever has such a program.

use crate::error::SandboxError;
use crate::policy::SandboxPolicy;
use crate::program::{Program, UnsandboxedTrust};
use crate::sandbox::{Sandbox, Sandboxed};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Puts programs into the sandbox, whose walls are tried once, before the first of them.
#[derive(Clone, Debug)]
pub struct SandboxRunner {
    supervisor: PathBuf,
    sandbox: Arc<OnceCell<Sandbox>>,
}

impl SandboxRunner {
    /// `supervisor` is a program whose `main` begins with [`crate::supervise_if_asked`].
    pub fn new(supervisor: PathBuf) -> Self {
        Self {
            supervisor,
            sandbox: Arc::default(),
        }
    }

    /// A program behind the walls, or without any where the user said so for its repository.
    ///
    /// # Errors
    /// There is no sandbox: what is missing, or in the way. It is looked for again the next time.
    pub async fn program(
        &self,
        policy: &SandboxPolicy,
        program: Program,
        without_walls: Option<UnsandboxedTrust>,
    ) -> Result<Sandboxed, SandboxError> {
        if let Some(trust) = without_walls {
            return Ok(Sandboxed::without_walls(
                trust,
                self.supervisor.clone(),
                program,
            ));
        }
        let detect = || Sandbox::detect(self.supervisor.clone());
        let sandbox = self.sandbox.get_or_try_init(detect).await?;
        Ok(sandbox.program(policy, program))
    }
}
